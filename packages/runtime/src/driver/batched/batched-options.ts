import type { PlanPlace } from '../../graph/plan.ts';
import type { TaskOptions } from '../../operator/task.ts';
import type { Transfer } from './batch-log.ts';

export interface BatchedOptions extends Omit<TaskOptions, 'mode' | 'residentState'> {
  /**
   * Bytes of state that stay in memory between batches; what was wanted longest ago is forgotten first, and read again when
   * it is needed. What a commit on its way has changed stays besides.
   */
  readonly cachedBytes: number;
  /** How often a failing record is tried before its error is thrown, at least 1. */
  readonly attempts: number;
  /**
   * True when a call need not wait for the answer to its own commit, only for that to the one before: the next batch is read
   * and processed while the commit is on its way. Default false.
   */
  readonly overlap?: boolean;
  /**
   * How many timers may fire in one commit: when a watermark, the end of the input or the clock makes more of them due, they
   * fire in several, and what follows waits for them. Results do not depend on it. Default: no limit.
   */
  readonly maxFires?: number;
  /** How many of the next timers of each operator are in memory; the others are read when their time comes. Default 10,000. */
  readonly timerPage?: number;
  /** True when what goes to side outputs is committed as well, although nobody reads it. Default false. */
  readonly watchSideOutputs?: boolean;
  /**
   * Asked for each record that is late for all of its windows: true when the commit is to bring the record, for those who tell of it
   * once it is applied, and not only count it. Default false.
   */
  readonly keepLate?: () => boolean;
  /** What values that leave the task go through, at the moment they do. Default: they leave as they are. */
  readonly transfer?: Transfer;
}

/** The task that a driver runs: one partition of one stage. */
export type TaskPlace = Pick<PlanPlace, 'topology' | 'stage' | 'partition'>;
