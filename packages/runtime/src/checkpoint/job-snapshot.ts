import type { StoredTimer } from '../time/stored-timer.ts';
import type { OperatorMeta } from '../operator/operator.ts';
import type { StateContents } from '../state/contents.ts';

/**
 * Everything that a job keeps between two records, encoded: plain data, of which nothing changes when the job goes on.
 * Numbers may be infinite.
 */
export interface JobSnapshot {
  readonly version: typeof SNAPSHOT_VERSION;
  readonly operators: readonly OperatorSnapshot[];
  readonly states: readonly StateSnapshot[];
  readonly sources: readonly SourceSnapshot[];
  readonly sinks: readonly SinkSnapshot[];
}

/** Changes when the meaning of a snapshot does. */
export const SNAPSHOT_VERSION = 1;

/** Where something of a job is: keys are found only in the same place. */
interface Placed {
  readonly partition: number;
  /** How many partitions there are. */
  readonly partitions: number;
}

/** The facts and timers of an operator. */
export interface OperatorSnapshot extends Placed {
  readonly id: string;
  readonly meta: OperatorMeta;
  readonly event: readonly StoredTimer[];
  readonly processing: readonly StoredTimer[];
}

export type StateSnapshot = StateContents & Placed;

export interface SourceSnapshot {
  readonly id: string;
  readonly partition: number;
  /** Records that were processed. */
  readonly position: number;
  /** True when its end was processed too. */
  readonly ended: boolean;
}

/** Transactions that were prepared and are not known to be committed. */
export interface SinkSnapshot {
  readonly id: string;
  readonly transactions: readonly string[];
}
