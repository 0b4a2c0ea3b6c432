import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { cleanupTime, closingTime, isWindowLate } from './lateness.ts';

describe('lateness', () => {
  test('a window closes with its last millisecond, not one later', () => {
    expect(isWindowLate(998, 1000, 0)).toBe(false);
    expect(isWindowLate(999, 1000, 0)).toBe(true);
  });

  test('allowed lateness keeps the window that much longer', () => {
    expect(isWindowLate(1498, 1000, 500)).toBe(false);
    expect(isWindowLate(1499, 1000, 500)).toBe(true);
  });

  test('nothing is late before the first watermark, everything is at the end of the input', () => {
    expect(isWindowLate(-Infinity, Number.MIN_SAFE_INTEGER, 0)).toBe(false);
    expect(isWindowLate(Infinity, Number.MAX_SAFE_INTEGER, 0)).toBe(true);
    expect(isWindowLate(Infinity, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)).toBe(true);
  });

  test('lateness moves the firing in mode postpone only', () => {
    expect(closingTime(1000, 500, 'refire')).toBe(999);
    expect(closingTime(1000, 500, 'postpone')).toBe(1499);
    expect(closingTime(1000, 0, 'postpone')).toBe(999);
  });

  test('sums beyond 2^53 never make a window late too early', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), fc.maxSafeInteger(), fc.maxSafeNat(), (watermark, end, lateness) => {
        const exact = BigInt(watermark) >= BigInt(end) - 1n + BigInt(lateness);
        expect(isWindowLate(watermark, end, lateness)).toBe(exact);
      }),
      { numRuns: 1000 },
    );
  });

  test('no element is taken once the contents are gone, and no firing comes after that', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -1000, max: 1000 }),
        fc.nat(500),
        fc.constantFrom('refire' as const, 'postpone' as const),
        (end, lateness, mode) => {
          const cleanup = cleanupTime(end, lateness);
          expect(isWindowLate(cleanup - 1, end, lateness)).toBe(false);
          expect(isWindowLate(cleanup, end, lateness)).toBe(true);
          expect(closingTime(end, lateness, mode)).toBeLessThanOrEqual(cleanup);
        },
      ),
      { numRuns: 200 },
    );
  });
});
