import type { Disturbance } from '../../faults/disturbance.ts';
import type { Incarnation } from '../../processes/incarnation.ts';
import type { Lag } from '../../time/lag.ts';
import type { Place } from '../load/fates.ts';
import type { Count } from '../load/results.ts';
import type { DeadLetter, LogEntry, Results, TaskState } from '../redis/stored.ts';

/** The time in which a process held a partition, as Redis told it. */
export interface Tenure {
  readonly incarnation: string;
  readonly partition: number;
  readonly token: string;
  readonly epoch: number;
  /** Number of the last commit before it, and the last record in it. */
  readonly seq: number;
  readonly offset: string;
  readonly from: number;
  /** When it gave the partition back, or its process ended; `undefined` when it lost it and did not say so. */
  readonly until: number | undefined;
}

export interface Commit {
  readonly incarnation: string;
  readonly at: number;
  readonly partition: number;
  readonly token: string;
  readonly seq: number;
  /** The last record in it. */
  readonly offset: string;
  /** `OK`, `DUP`, `FENCED`, `SEQ`, or an error. */
  readonly reply: string;
}

/** A call of the sink outside of Redis that has succeeded. */
export interface Delivery extends Count {
  readonly incarnation: string;
  readonly at: number;
}

export interface Confirmation {
  readonly at: number;
  readonly n: number;
  readonly partition: number;
  readonly id: string;
}

/** A `stop` of the job in one process. */
export interface Stopping {
  readonly incarnation: string;
  readonly at: number;
  readonly budget: number;
  /** `undefined` when the process was killed meanwhile. */
  readonly took: number | undefined;
}

/** From when on a process takes part in the job. */
export interface Readiness {
  readonly incarnation: string;
  readonly at: number;
}

/** A job that ended by itself. */
export interface JobFailure {
  readonly incarnation: string;
  readonly at: number;
  readonly why: string;
}

/** What the journals of all processes tell, each list in the order of time. */
export interface Told {
  readonly sent: number;
  readonly refused: number;
  readonly confirmed: readonly Confirmation[];
  readonly tenures: readonly Tenure[];
  readonly commits: readonly Commit[];
  readonly deliveries: readonly Delivery[];
  readonly threw: Readonly<Record<Place, number>>;
  readonly ready: readonly Readiness[];
  readonly stops: readonly Stopping[];
  readonly failures: readonly JobFailure[];
  readonly lags: readonly Lag[];
}

/** Everything that is known of a run. */
export interface History extends Told {
  readonly seed: number;
  readonly lease: number;
  /** Epoch milliseconds minus monotonic ones. */
  readonly wallOffset: number;
  readonly incarnations: readonly Incarnation[];
  readonly disturbances: readonly Disturbance[];
  /** Partition by partition, each in order. */
  readonly log: readonly LogEntry[];
  readonly results: Results;
  /** At the end, when nobody works any more. */
  readonly tasks: readonly TaskState[];
  readonly deadLetters: readonly DeadLetter[];
  /** Milliseconds from the end of the load until everything was there; `undefined` when that did not happen, and then `missing` says what. */
  readonly drained: number | undefined;
  readonly missing: readonly string[];
}
