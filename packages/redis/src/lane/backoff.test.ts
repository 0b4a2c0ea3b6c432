import { expect, test } from '@jest/globals';
import { backoff } from './backoff.ts';

const limits = { min: 50, max: 2_000 };

test.each([
  [1, 25, 50],
  [2, 50, 100],
  [3, 100, 200],
  [6, 800, 1_600],
  [7, 1_000, 2_000],
  [1_000, 1_000, 2_000],
])('before attempt %i + 1: from %i to %i', (attempt, least, most) => {
  expect(backoff(attempt, limits, () => 0)).toBe(least);
  expect(backoff(attempt, limits, () => 1 - Number.EPSILON)).toBe(most);
});

test('never nothing', () => {
  expect(backoff(1, { min: 0, max: 0 }, () => 0)).toBe(1);
});
