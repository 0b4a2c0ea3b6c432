import { silentLogger } from '@rs/core';
import type { BatchedOptions, TaskPlace } from '../driver/batched/batched-options.ts';
import type { LogicalGraph } from '../graph/graph.ts';
import { planTopology, type Stage } from '../graph/topology.ts';
import { graphOf, type HarnessJob } from '../testing/job-harness.ts';
import { systemScheduler } from '../time/scheduler.ts';

/** The only task of a job whose inputs have one partition. */
export function taskOf(job: HarnessJob | LogicalGraph): TaskPlace {
  const topology = planTopology(typeof job === 'function' ? graphOf(job) : job, () => 1);
  return { topology, stage: topology.stages[0] as Stage, partition: 0 };
}

/** Nothing stays in memory, a failing record is tried once, and time is that of the records. */
export const TASK_OPTIONS: BatchedOptions = {
  clock: { now: () => 0 },
  scheduler: systemScheduler,
  processingTime: 'records',
  logger: silentLogger,
  cachedBytes: 0,
  attempts: 1,
};
