import type { Stage, Topology } from '@rs/runtime';
import type { TaskPlace } from '../keys/task-place.ts';
import type { TaskLease } from '../store/task-lease.ts';
import type { TaskRunner } from '../task/runner.ts';

export interface TaskRunnerOptions {
  readonly place: TaskPlace;
  readonly lease: TaskLease;
  /** Until when, of the monotonic clock, the lease is ours for sure. */
  readonly deadline: number;
  readonly stage: Stage;
  readonly topology: Topology;
  /** The job is paused: the runner begins so. */
  readonly paused: boolean;
  /**
   * Waits for the task's turn and gives what ends it. Taken for as long as a batch is processed, and not while waiting for records,
   * for a retry or for the answer of a commit: with a `parallelism` that is less than the partitions, others have theirs meanwhile.
   */
  readonly turn: () => Promise<() => void>;
}

/** Makes what works on a task that was acquired; it does nothing before `run`. */
export type MakeTaskRunner = (options: TaskRunnerOptions) => TaskRunner;
