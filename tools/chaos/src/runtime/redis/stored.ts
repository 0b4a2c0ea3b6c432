import type { ClockTimerResult, Count, LateRecord, TimerResult, WindowResult } from '../load/results.ts';

/** A record in the log. */
export interface LogEntry {
  readonly partition: number;
  readonly id: string;
  readonly key: string;
  readonly n: number;
  /** Event time. */
  readonly time: number;
}

/** What all sinks of one partition in the slot hold, those of streams in their order. */
export interface PartitionResults {
  readonly partition: number;
  /** Key → number of its records. */
  readonly counts: Readonly<Record<string, number>>;
  /** `<key> <start>` → the last result of the window. */
  readonly windows: Readonly<Record<string, WindowResult>>;
  readonly late: readonly LateRecord[];
  readonly sessions: readonly WindowResult[];
  readonly timers: readonly TimerResult[];
  readonly clockTimers: readonly ClockTimerResult[];
}

/** What the sinks hold. */
export interface Results {
  readonly partitions: readonly PartitionResults[];
  /** What was sent to topics: for each of their partitions, in order. */
  readonly countsTopic: readonly (readonly Count[])[];
  readonly windowsTopic: readonly (readonly WindowResult[])[];
}

/** How far the job has come in a partition, as Redis tells others. */
export interface TaskState {
  readonly partition: number;
  /** The newest record. */
  readonly last: string;
  /** What retention must keep for the job: what comes after this record. */
  readonly held: string;
  /** Where the job's group is, for tools that look at groups; `undefined` when there is none. */
  readonly delivered: string | undefined;
  /** Records that the group has not come to, as far as Redis can tell. */
  readonly lag: number | undefined;
  /** Somebody has the lease. */
  readonly owned: boolean;
}

export interface DeadLetter {
  readonly partition: number;
  /** Id of the message. */
  readonly original: string;
  readonly error: string;
}
