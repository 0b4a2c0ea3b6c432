import { expect, test } from '@jest/globals';
import { silentLogger } from '@rs/core';
import { TumblingWindow } from '@rs/window';
import type { SourceNode } from '../graph/node.ts';
import { planTopology } from '../graph/topology.ts';
import { systemScheduler } from '../time/scheduler.ts';
import { graphOf, type HarnessJob } from './job-harness.ts';
import { JobSimulation } from './job-simulation.ts';

/** Counts of the smaller stream, in windows behind two exchanges; the larger one only shares its stage. */
const job: HarnessJob = (env) => {
  const small = env.input<string>('small');
  small.union(env.input<string>('large')).addSink(() => undefined);
  small
    .keyBy((text) => text)
    .map(() => 1)
    .sum()
    .keyBy(() => 'all')
    .window(TumblingWindow.of(10))
    .count()
    .addSink(() => undefined, { uid: 'counts' });
};

test('partitions that one of the sources does not have do not hold back what waits for its end', async () => {
  const graph = graphOf(job);
  const counts: unknown[] = [];
  const simulation = new JobSimulation(
    planTopology(graph, ({ name }) => (name === 'small' ? 2 : 5)),
    {
      clock: { now: () => 0 },
      scheduler: systemScheduler,
      logger: silentLogger,
      processingTime: 'clock',
      batchSize: 1,
      cachedBytes: Infinity,
      attempts: 1,
      onOutput: ({ sink, value }) => sink === 'counts' && counts.push(value),
    },
  );
  const small = graph.sources.find(({ name }) => name === 'small') as SourceNode;
  await simulation.tick(); // What is committed first must not stand in the way of it.
  for (const partition of [0, 1]) {
    simulation.append(small, partition, { type: 'record', value: 'a', timestamp: partition });
    simulation.append(small, partition, { type: 'end' });
  }
  await simulation.run();
  expect(counts).toEqual([2]);
});
