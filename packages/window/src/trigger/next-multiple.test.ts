import { describe, expect, test } from '@jest/globals';
import { nextMultiple } from './next-multiple.ts';

describe('nextMultiple', () => {
  test.each([
    [0, 10, 10],
    [9, 10, 10],
    [10, 10, 20],
    [-1, 10, 0],
    [-10, 10, 0],
    [-11, 10, -10],
    [7, 1, 8],
    [1_709_294_400_123, 60_000, 1_709_294_460_000],
  ])('after %d the next multiple of %d is %d', (time, interval, expected) => {
    expect(nextMultiple(time, interval)).toBe(expected);
  });

  test('is never where there is no exact number', () => {
    expect(nextMultiple(Infinity, 10)).toBe(Infinity);
    expect(nextMultiple(-Infinity, 10)).toBe(Infinity);
    expect(nextMultiple(Number.MAX_SAFE_INTEGER, 10)).toBe(Infinity);
  });
});
