import type { Clock, RsError } from '@rs/core';
import type { BatchedDriver, FailedTimer } from '@rs/runtime';
import type { RuntimeSettings } from '../options/settings.ts';
import type { BatchSize } from './batch-size.ts';
import type { ExpirySweep } from './expiry-sweep.ts';
import type { InputQueue } from './input-queue.ts';
import type { Suspicion } from './suspicion.ts';
import type { TaskCommits } from './task-commits.ts';
import type { TaskControl } from './task-control.ts';
import type { TaskInput } from './task-input.ts';

export interface TaskWorkParts {
  readonly driver: BatchedDriver;
  readonly queue: InputQueue;
  readonly input: TaskInput;
  readonly control: TaskControl;
  readonly commits: TaskCommits;
  readonly suspicion: Suspicion;
  readonly deliveries: Deliveries;
  readonly settings: RuntimeSettings;
  readonly size: BatchSize;
  readonly clock: Clock;
  /** Waits for the task's turn, and gives what ends it. */
  readonly turn: () => Promise<() => void>;
  /** Milliseconds for which the process has been busy so far. */
  readonly busyTime: () => number;
  readonly sweep: Pick<ExpirySweep, 'dueIn' | 'run'>;
  /** Waits before the next batch, where states are too large to go on at full speed. */
  readonly throttle: () => number;
  /** From now on new entries of the log wake the loop; the result ends that. */
  readonly listen: () => () => void;
  readonly onFailure: FailureListener;
}

/** What user code failed for: the record of a message with this id, or a timer. */
export type FailedWork = { readonly record: string } | { readonly timer: FailedTimer };

/** Told of what has failed and is tried again. `attempts`: in a row; `work`: `undefined` for calls of Redis and of sinks. */
export type FailureListener = (error: RsError, attempts: number, work?: FailedWork) => void;

/** Results on their way to sinks outside of the slot. */
export interface Deliveries {
  /** True while so much waits that the task must not make more. */
  readonly full: boolean;
  /** True when everything that was committed is delivered. */
  readonly empty: boolean;
  /** True when the next commit has cursors to write. */
  readonly moved: boolean;
}
