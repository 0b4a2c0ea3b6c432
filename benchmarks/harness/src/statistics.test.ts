import { expect, test } from '@jest/globals';
import { highest, median } from './statistics.ts';

test('the median of an even number of values lies between the two in the middle', () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([10, 1, 100, 2])).toBe(6);
  expect(median([])).toBeNaN();
});

test('the highest', () => {
  expect(highest([1, 3, 2])).toBe(3);
});
