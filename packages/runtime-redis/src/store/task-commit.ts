import type { CellChange, OperatorMeta, OperatorTimerChange } from '@rs/runtime';
import type { CommitOp } from './commit-op.ts';

/** Everything that a commit of a task changes, with the names that Redis knows it by. */
export interface TaskCommit {
  /** One more than that of the last commit. */
  readonly seq: number;
  /** Id of the last entry of the log that is settled. */
  readonly offset: string;
  /** How many items of the input are settled. */
  readonly count: number;
  /** True once the end of a bounded input is settled. */
  readonly ended: boolean;
  readonly operators: Readonly<Record<string, OperatorMeta>>;
  readonly cells: readonly CellChange[];
  readonly timers: readonly OperatorTimerChange[];
  /** Late records by operator, since the task began. */
  readonly late: Readonly<Record<string, number>>;
  /** How far what stands in the out log of each sink was delivered: cursors by sink. */
  readonly cursors: Readonly<Record<string, string>>;
  /** The entry whose processing is about to start; `''` for none. */
  readonly started: string;
  /** True when the crashes that were counted are dealt with. */
  readonly recovered: boolean;
  /** What sinks and dead letters write. */
  readonly ops: readonly CommitOp[];
}

/** What is stored of a task. */
export interface StoredTask {
  readonly seq: number;
  readonly offset: string;
  readonly count: number;
  readonly ended: boolean;
  readonly operators: Readonly<Record<string, OperatorMeta>>;
  readonly late: Readonly<Record<string, number>>;
  readonly cursors: Readonly<Record<string, string>>;
  /** Random, new for each task that begins anew: names the history that positions belong to. */
  readonly gen: string;
  /** The last entry that a bounded source reads; `undefined`: it has no end. */
  readonly until: string | undefined;
}
