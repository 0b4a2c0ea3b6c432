import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ItemFormat } from '../../state/format.ts';
import { type Bucket, bucketFormat, BucketTimes, newBucket, type TriggerTimer } from './bucket.ts';

const item = new ItemFormat<unknown>({
  name: 'window',
  schemaVersion: 1,
  codec: undefined,
  migrate: undefined,
});
const aligned = (namespace: string | number) => ({ start: Number(namespace), end: Number(namespace) + 10 });

function roundTrip(
  bucket: Bucket<unknown>,
  windowOf: Parameters<typeof bucketFormat>[1],
  times: BucketTimes,
) {
  const format = bucketFormat(item, windowOf, times);
  const stored = { layout: 'value' as const, version: 1, ...format.encode(bucket) };
  return { stored, decoded: format.decode(stored, bucket.window.start) };
}

describe('times of a window', () => {
  test.each<[Parameters<typeof newBucket>[1], number, number]>([
    [new BucketTimes('event', 5, 'refire'), 9, 14],
    [new BucketTimes('event', 5, 'postpone'), 14, 14],
    [new BucketTimes('event', 0, 'refire'), 9, 9],
    [new BucketTimes('processing', 5, 'postpone'), 9, 9],
  ])('%#', (times, closing, cleanup) => {
    expect(newBucket({ start: 0, end: 10 }, times)).toMatchObject({ closing, cleanup });
  });
});

describe('a stored bucket', () => {
  const timers = fc.array(fc.tuple(fc.constantFrom('event' as const, 'processing' as const), fc.integer()), {
    maxLength: 3,
  }) as fc.Arbitrary<TriggerTimer[]>;

  test('is read as it was written', () => {
    const buckets = fc.record({
      start: fc.integer({ min: -20, max: 20 }),
      length: fc.constantFrom(10, 7),
      accumulator: fc.oneof(fc.constant(undefined), fc.constant(null), fc.integer(), fc.constantFrom('', -0)),
      fresh: fc.boolean(),
      asksAtCleanup: fc.boolean(),
      timers,
      lateness: fc.constantFrom(0, 5),
      onGrid: fc.boolean(),
    });
    fc.assert(
      fc.property(buckets, ({ start, length, lateness, onGrid, ...rest }) => {
        const times = new BucketTimes('event', lateness, 'refire');
        const bucket = { ...newBucket({ start, end: start + length }, times), ...rest };
        expect(roundTrip(bucket, onGrid ? aligned : () => undefined, times).decoded).toEqual(bucket);
      }),
      { numRuns: 1000, seed: 1 },
    );
  });

  test.each(['refire', 'postpone'] as const)('has no meta in the usual case: %s', (mode) => {
    for (const lateness of [0, 5]) {
      const times = new BucketTimes('event', lateness, mode);
      const bucket = { ...newBucket<unknown>({ start: 20, end: 30 }, times), accumulator: 3, fresh: true };
      const usual = { ...bucket, asksAtCleanup: lateness === 0 || mode === 'postpone' };
      expect(roundTrip(usual, aligned, times).stored).toEqual({ layout: 'value', version: 1, data: '3' });
      const counting = { ...bucket, asksAtCleanup: !usual.asksAtCleanup };
      expect(roundTrip(counting, aligned, times).stored.meta).toBeDefined();
    }
  });
});
