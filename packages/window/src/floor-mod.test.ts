import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { floorMod } from './floor-mod.ts';

const LIMIT = 2 ** 53;

/** The definition, in numbers that cannot round. */
function exact(value: number, modulus: number): number {
  const m = BigInt(modulus);
  return Number(((BigInt(value) % m) + m) % m);
}

describe('floorMod', () => {
  test.each([
    [-11, 10, 9],
    [-10, 10, 0],
    [-1, 10, 9],
    [0, 10, 0],
    [9, 10, 9],
    [10, 10, 0],
    [7, 1, 0],
    [-7, 1, 0],
  ])('of %d by %d is %d', (value, modulus, expected) => {
    expect(floorMod(value, modulus)).toBe(expected);
  });

  test('is never -0', () => {
    for (const value of [0, -0, -10, 10, -1_000_000]) expect(floorMod(value, 10)).toBe(0);
  });

  test('is exact for all integers of its domain', () => {
    const pairs = fc.oneof(
      fc.tuple(
        fc.integer({ min: -1e13, max: 1e13 }),
        fc.oneof(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 1e9 })),
      ),
      fc.tuple(fc.maxSafeInteger(), fc.integer({ min: 1, max: 2 ** 50 })),
    );
    fc.assert(
      fc.property(pairs, ([value, modulus]) => {
        fc.pre(Math.abs(value) + modulus <= LIMIT);
        expect(floorMod(value, modulus)).toBe(exact(value, modulus));
      }),
      { numRuns: 2000 },
    );
  });

  test('is exact next to multiples, where a rounded quotient would show', () => {
    const cases = fc.tuple(fc.integer({ min: 1, max: 2 ** 40 }), fc.double({ min: 0, max: 1, noNaN: true }));
    fc.assert(
      fc.property(cases, fc.constantFrom(-1, 1), fc.constantFrom(-1, 0, 1), ([modulus, part], sign, step) => {
        const factor = Math.floor(((LIMIT - 2 * modulus) / modulus) * part);
        const value = sign * factor * modulus + step;
        expect(floorMod(value, modulus)).toBe(exact(value, modulus));
      }),
      { numRuns: 2000 },
    );
  });
});
