import { expect, test } from '@jest/globals';
import { formatCount, formatCountOf, formatDepartures, formatDuration } from './format.ts';

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

test('departures', () => {
  const times = [17 * 60 + 5, 23 * 60 + 59, 24 * 60].map((minute) => Date.UTC(2001, 2, 4, 0, minute));
  expect(formatDepartures(times)).toBe('2001-03-04 17:05, 23:59, 00:00');
});
