import type { PlanPlace } from '../../graph/plan.ts';
import type { TaskOptions } from '../../operator/task.ts';
import type { Transfer } from './batch-log.ts';

export interface BatchedOptions extends Omit<TaskOptions, 'mode' | 'residentState'> {
  /** Cells that stay in memory between batches. */
  readonly cachedCells: number;
  /** How often a failing record is tried before its error is thrown, at least 1. */
  readonly attempts: number;
  /** True when what goes to side outputs is committed as well, although nobody reads it. Default false. */
  readonly watchSideOutputs?: boolean;
  /** What values that leave the task go through, at the moment they do. Default: they leave as they are. */
  readonly transfer?: Transfer;
}

/** The task that a driver runs: one partition of one stage. */
export type TaskPlace = Pick<PlanPlace, 'topology' | 'stage' | 'partition'>;
