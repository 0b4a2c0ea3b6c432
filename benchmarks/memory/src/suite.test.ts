import { expect, test } from '@jest/globals';
import { memorySuite } from './suite.ts';

test('measures the keyed tumbling sum beside the loop, with equal results', () => {
  let now = 0;
  const report = memorySuite({
    rounds: 2,
    records: 130_000,
    // Every run takes one second on this machine.
    probe: {
      now: () => (now += 1_000),
      heapUsed: () => 2 ** 20,
      collectGarbage: () => undefined,
      rssMb: () => 50,
    },
  });
  expect(report).toMatchObject({ suite: 'memory', node: process.version, redis: null, rounds: 2 });
  expect(report.cases).toEqual([
    expect.objectContaining({
      name: 'keyed tumbling sum',
      ours: 130_000,
      limit: 130_000,
      ratioToLimit: 1,
      extra: expect.objectContaining({ records: 130_000, peakHeapMb: 1, rssMb: 50 }),
    }),
  ]);
});
