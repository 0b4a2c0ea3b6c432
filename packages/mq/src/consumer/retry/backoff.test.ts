import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Backoff, backoffDelay } from './backoff.ts';

const base: Backoff = { initialBackoff: 100, maxBackoff: 800, multiplier: 2, jitter: 'none' };
const unused = () => {
  throw new Error('no randomness was asked for');
};

describe('backoffDelay', () => {
  test.each([
    [1, 100],
    [2, 200],
    [3, 400],
    [4, 800],
    [5, 800],
    [10_000, 800],
    [0, 100],
    [-3, 100],
  ])('after attempt %i: %i ms', (attempt, delay) => {
    expect(backoffDelay(base, attempt, unused)).toBe(delay);
  });

  test('a cap below the first wait is raised to it', () => {
    expect(backoffDelay({ ...base, maxBackoff: 30 }, 1, unused)).toBe(100);
    expect(backoffDelay({ ...base, maxBackoff: 30 }, 4, unused)).toBe(100);
  });

  test.each([0, -100])('a first wait of %i: no waiting at all, however often', (initialBackoff) => {
    const backoff = { ...base, initialBackoff };
    expect([1, 2, 10_000].map((attempt) => backoffDelay(backoff, attempt, unused))).toEqual([0, 0, 0]);
  });

  test('a multiplier of 1 waits the same each time', () => {
    expect(backoffDelay({ ...base, multiplier: 1 }, 10_000, unused)).toBe(100);
  });

  test('a multiplier just above 1 keeps growing', () => {
    expect(backoffDelay({ ...base, multiplier: 1.0001 }, 10_000, unused)).toBe(
      Math.round(100 * 1.0001 ** 9_999),
    );
  });

  test('full jitter takes a random part of the wait', () => {
    const jittered: Backoff = { ...base, jitter: 'full' };
    expect(backoffDelay(jittered, 3, () => 0)).toBe(0);
    expect(backoffDelay(jittered, 3, () => 0.5)).toBe(200);
    expect(backoffDelay(jittered, 10, () => 0.999_999)).toBe(800);
  });

  test('is always whole milliseconds between nothing and the cap', () => {
    const anyBackoff = fc.record({
      initialBackoff: fc.nat(),
      maxBackoff: fc.maxSafeNat(),
      multiplier: fc.double({ min: 1, max: 1e300, noNaN: true }),
      jitter: fc.constantFrom('full' as const, 'none' as const),
    });
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(anyBackoff, fc.integer({ min: -5, max: 100_000 }), random, (backoff, attempt, drawn) => {
        const delay = backoffDelay(backoff, attempt, () => drawn);
        expect(Number.isSafeInteger(delay)).toBe(true);
        expect(delay).toBeGreaterThanOrEqual(0);
        expect(delay).toBeLessThanOrEqual(Math.max(backoff.initialBackoff, backoff.maxBackoff));
      }),
      { numRuns: 1_000, seed: 1 },
    );
  });
});
