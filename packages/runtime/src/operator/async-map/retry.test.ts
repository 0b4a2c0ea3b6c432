import { describe, expect, test } from '@jest/globals';
import { type RetryPolicy, retryDelay } from './retry.ts';

const policy = (delay: number, maxDelay: number): RetryPolicy => ({
  attempts: 9,
  delay,
  maxDelay,
  retryIf: () => true,
});
const longest = () => 0.999_999;

describe('the wait before a call is made again', () => {
  test('doubles, up to the longest', () => {
    const waits = [1, 2, 3, 4, 5, 6].map((failed) => retryDelay(policy(100, 1000), failed, longest));
    expect(waits).toEqual([100, 200, 400, 800, 1000, 1000]);
  });

  test('is a random part of that', () => {
    expect(retryDelay(policy(100, 1000), 3, () => 0)).toBe(0);
    expect(retryDelay(policy(100, 1000), 3, () => 0.25)).toBe(100);
  });

  test('stays a number after thousands of failures, also without a delay', () => {
    expect(retryDelay(policy(100, 1000), 5_000, longest)).toBe(1000);
    expect(retryDelay(policy(0, 1000), 5_000, longest)).toBe(0);
    expect(retryDelay(policy(1, Number.MAX_SAFE_INTEGER), 5_000, () => 0.5)).toBeLessThan(Infinity);
  });
});
