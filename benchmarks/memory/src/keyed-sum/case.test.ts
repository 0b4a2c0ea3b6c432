import { measureCase } from '@rs/bench-harness';
import { expect, test } from '@jest/globals';
import { keyedTumblingSum } from './case.ts';

test('measures the keyed tumbling sum beside the loop, with equal results', async () => {
  let now = 0;
  const collected: number[] = [];
  const sum = keyedTumblingSum(130_000, {
    // Every run takes one second on this machine.
    now: () => (now += 1_000),
    heapUsed: () => 2 ** 20,
    rssMb: () => 50,
    collectGarbage: () => void collected.push(now),
  });
  const { variants, extra } = await sum.open();
  const measured = await measureCase(variants, 2, sum.figures);
  const facts = { median: 130_000, min: 130_000, max: 130_000, records: 130_000, figures: { peakHeapMb: 1 } };
  expect(measured).toEqual([
    { name: 'loop', role: 'limit', ...facts },
    { name: '@rs', role: 'ours', ...facts },
  ]);
  expect(extra?.()).toEqual({ rssMb: 50 });
  expect(collected).toHaveLength(6);
});
