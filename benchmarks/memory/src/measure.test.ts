import { expect, test } from '@jest/globals';
import { measure, type Probe, type Variant } from './measure.ts';

const MB = 1024 * 1024;

/** A machine on which the n-th run of a variant takes as many seconds as are written down for it. */
function machine(
  variants: Readonly<Record<string, { seconds: number[]; result?: string; heapMb?: number }>>,
) {
  const log: string[] = [];
  let now = 0;
  let heap = 0;
  const probe: Probe = {
    now: () => now,
    heapUsed: () => heap,
    collectGarbage: () => void log.push('collect'),
  };
  const list = Object.entries(variants).map(([name, { seconds, result = 'right', heapMb = 1 }]): Variant => ({
    name,
    run(records, onRecord) {
      log.push(name);
      heap = heapMb * MB;
      for (let index = 0; index < records; index++) onRecord(index);
      now += (seconds.shift() ?? NaN) * 1000;
      return result;
    },
  }));
  return { list, probe, log };
}

test('runs the variants in turn and leaves the first round out', () => {
  const { list, probe, log } = machine({
    loop: { seconds: [99, 1, 2, 4] },
    ours: { seconds: [99, 10, 5, 20], heapMb: 3 },
  });
  expect(measure(list, { records: 100, rounds: 3, probe })).toEqual([
    { name: 'loop', median: 50, min: 25, max: 100, peakHeapMb: 1 },
    { name: 'ours', median: 10, min: 5, max: 20, peakHeapMb: 3 },
  ]);
  expect(log.filter((entry) => entry !== 'collect')).toEqual(Array(4).fill(['loop', 'ours']).flat());
  expect(log.filter((entry) => entry === 'collect')).toHaveLength(8);
});

test('the median of an even number of rounds lies between the two in the middle', () => {
  const { list, probe } = machine({ loop: { seconds: [99, 1, 2] } });
  expect(measure(list, { records: 100, rounds: 2, probe })[0]?.median).toBe(75);
});

test('a wrong result fails the run, also in the round that is not counted', () => {
  const { list, probe } = machine({ loop: { seconds: [1] }, ours: { seconds: [1], result: 'wrong' } });
  expect(() => measure(list, { records: 1, rounds: 1, probe })).toThrow('wrong result of ours: wrong');
});
