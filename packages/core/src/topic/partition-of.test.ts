import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { partitionOf } from './partition-of.ts';

const TWO_TO_31 = 2 ** 31;

/** The definition once more, in whole numbers without overflow: `Σ unit[i] · 31^(n−1−i)`, cut to 32 signed bits. */
function javaHash(text: string): bigint {
  let sum = 0n;
  for (let at = 0; at < text.length; at++) sum = sum * 31n + BigInt(text.charCodeAt(at));
  return BigInt.asIntN(32, sum);
}

describe('partitionOf', () => {
  // Values of String.hashCode() in Java. With 2^31 partitions the partition shows all bits but the sign.
  test.each([
    ['', 0],
    ['\u0000', 0],
    ['a', 97],
    ['ab', 3_105],
    ['hello', 99_162_322],
    ['Aa', 2_112],
    ['BB', 2_112],
    ['😀', 1_772_899],
    ['\ud83d', 55_357],
    ['The quick brown fox jumps over the lazy dog', -609_428_141],
    ['polygenelubricants', -2_147_483_648],
  ])('%j has the hash %i', (key, hash) => {
    expect(Number(javaHash(key))).toBe(hash);
    expect(partitionOf(key, TWO_TO_31)).toBe(hash < 0 ? hash + TWO_TO_31 : hash);
  });

  test.each([
    ['a', 8, 1],
    ['hello', 8, 2],
    ['polygenelubricants', 8, 0],
    ['polygenelubricants', 3, 1],
    ['polygenelubricants', 2 ** 40, 2 ** 40 - TWO_TO_31],
    ['The quick brown fox jumps over the lazy dog', 10, 9],
  ])('%j of %i partitions is in %i', (key, partitions, partition) => {
    expect(partitionOf(key, partitions)).toBe(partition);
  });

  test('any text and any count give the non-negative remainder of the hash', () => {
    const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 40 }), fc.string({ maxLength: 200 }));
    const counts = fc.oneof(fc.integer({ min: 1, max: 64 }), fc.integer({ min: 1, max: 2 ** 31 - 1 }));
    fc.assert(
      fc.property(text, counts, (key, partitions) => {
        const count = BigInt(partitions);
        expect(partitionOf(key, partitions)).toBe(Number(((javaHash(key) % count) + count) % count));
      }),
      { numRuns: 500 },
    );
  });

  test('one partition holds every key', () => {
    fc.assert(fc.property(fc.string(), (key) => expect(partitionOf(key, 1)).toBe(0)));
  });

  test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])(
    'a count of %p is refused',
    (partitions) => {
      expect(() => partitionOf('a', partitions)).toThrow(
        expect.objectContaining({ code: 'RS_INVALID_ARGUMENT', details: { received: partitions } }),
      );
    },
  );
});
