import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Delays, collectDelays, meanDelay, mergeDelays } from './delays.ts';

function collect(delays: readonly number[]): Delays {
  return delays
    .map((delay) => ({ row: 0, scheduled: 0, delay, distance: 1, origin: 'A', destination: 'Z' }))
    .reduce(
      (accumulator, flight) => collectDelays.add(flight, accumulator),
      collectDelays.createAccumulator(),
    );
}

test('counts, adds up and finds the maximum, also of flights that were all early', () => {
  expect(collect([3, -5, 4])).toEqual({ flights: 3, totalDelay: 2, maxDelay: 4 });
  expect(collect([-7, -2])).toEqual({ flights: 2, totalDelay: -9, maxDelay: -2 });
  expect(meanDelay(collect([1, 2]))).toBe(1.5);
});

test('merging is the same as collecting all', () => {
  const delays = fc.array(fc.integer({ min: -100, max: 600 }));
  fc.assert(
    fc.property(delays, delays, (a, b) => {
      expect(mergeDelays(collect(a), collect(b))).toEqual(collect([...a, ...b]));
    }),
    { numRuns: 200 },
  );
});
