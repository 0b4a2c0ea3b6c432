import { expect, test } from '@jest/globals';
import { formatCount, formatCountOf, formatDuration } from './format.ts';

test.each([
  [0, '0'],
  [1, '1ms'],
  [1_500, '1500ms'],
  [90_000, '90s'],
  [5_400_000, '90m'],
  [7_200_000, '2h'],
  [172_800_000, '2d'],
])('%p ms is %p', (millis, text) => {
  expect(formatDuration(millis)).toBe(text);
});

test('counts', () => {
  expect(formatCount(20_000)).toBe('20,000');
  expect(formatCountOf(1, 'flight')).toBe('1 flight');
  expect(formatCountOf(0, 'flight')).toBe('0 flights');
  expect(formatCountOf(1_234, 'window')).toBe('1,234 windows');
});
