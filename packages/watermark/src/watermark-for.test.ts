import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { checkWatermark, watermarkFor } from './index.ts';

const timestamps = fc.maxSafeInteger();
const bounds = fc.oneof(fc.nat(10_000), fc.nat(Number.MAX_SAFE_INTEGER));

describe('watermarkFor', () => {
  test.each([
    { max: 3000, outOfOrderness: 5000, watermark: -2001 },
    { max: 1000, outOfOrderness: 100, watermark: 899 },
    { max: 1000, outOfOrderness: 0, watermark: 999 },
    { max: 0, outOfOrderness: 0, watermark: -1 },
    { max: Number.MAX_SAFE_INTEGER, outOfOrderness: 0, watermark: Number.MAX_SAFE_INTEGER - 1 },
    { max: Number.MIN_SAFE_INTEGER, outOfOrderness: 0, watermark: -Infinity },
    { max: Number.MIN_SAFE_INTEGER + 1, outOfOrderness: 0, watermark: Number.MIN_SAFE_INTEGER },
    { max: 0, outOfOrderness: Number.MAX_SAFE_INTEGER, watermark: -Infinity },
    { max: -Infinity, outOfOrderness: 5000, watermark: -Infinity },
    { max: Infinity, outOfOrderness: 5000, watermark: Infinity },
  ])(
    'max $max with out-of-orderness $outOfOrderness gives $watermark',
    ({ max, outOfOrderness, watermark }) => {
      expect(watermarkFor(max, outOfOrderness)).toBe(watermark);
    },
  );

  test('is exact, or -Infinity below every timestamp', () => {
    fc.assert(
      fc.property(timestamps, bounds, (max, outOfOrderness) => {
        const exact = BigInt(max) - BigInt(outOfOrderness) - 1n;
        const watermark = watermarkFor(max, outOfOrderness);
        if (exact < BigInt(Number.MIN_SAFE_INTEGER)) expect(watermark).toBe(-Infinity);
        else expect(BigInt(watermark)).toBe(exact);
        expect(checkWatermark(watermark, 'test')).toBe(watermark);
      }),
      { numRuns: 1000 },
    );
  });
});
