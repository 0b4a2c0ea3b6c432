import type { RsError } from '@rs/core';
import type { Unreplicated } from '../deliver/task-outputs.ts';
import type { TaskPlace } from '../keys/task-place.ts';
import type { LostMessages } from '../store/lost-messages.ts';

/** How the work on a task ended. */
export type TaskEnd =
  /** As it was asked to: everything that it had begun is committed or undone, and the lease is given back. */
  | { readonly type: 'released' }
  /** Its bounded input has ended and all outputs are delivered; the lease is given back. */
  | { readonly type: 'finished' }
  /** Somebody else is the owner by now, or may be. */
  | { readonly type: 'lost'; readonly error: RsError }
  /** It cannot go on: a poison record with `onPoison: 'halt'`, or a state that cannot be read. The lease is given back. */
  | { readonly type: 'failed'; readonly error: RsError };

export interface TaskStatus {
  readonly task: string;
  readonly topic: string;
  readonly partition: number;
  readonly state: 'opening' | 'running' | 'paused' | 'retrying' | 'finished' | 'ended';
  readonly epoch: number;
  /** Id of the last entry that is settled. */
  readonly offset: string;
  /**
   * Entries of the log behind it, at the last look: within half a second of a commit that moved the task, and every few seconds while none does.
   * `undefined`: not known.
   */
  readonly lag: number | undefined;
  /** Records that were read and are not committed. */
  readonly inFlight: number;
  /** Milliseconds that the batch under way has taken so far; 0 between batches. */
  readonly busyFor: number;
  /** The smallest watermark that an operator of the task has, as of the last commit; −∞ before the first. */
  readonly watermark: number;
  /** Watermarks by id of the operator, as of the last commit. */
  readonly watermarks: Readonly<Record<string, number>>;
  readonly lateRecords: Readonly<Record<string, number>>;
  readonly deadLetters: number;
  /** Messages that were removed from the log before they were read, as far as that is known; found by this process. */
  readonly lostMessages: number;
  /** The last time that some were. */
  readonly lastLoss: LostMessages | undefined;
  readonly commits: number;
  /** Outputs that wait for their sink, by sink. */
  readonly undelivered: Readonly<Record<string, number>>;
  /** How many of these wait until a replica has their commit (`deliverAfter: 'replicated'`), and for how many milliseconds; `undefined`: none. */
  readonly unreplicated: Unreplicated | undefined;
  /** Sinks that cannot be served at the moment, and why. */
  readonly failingSinks: Readonly<Record<string, RsError>>;
  readonly lastError: RsError | undefined;
}

/** The work on one task under one lease. */
export interface TaskRunner {
  readonly place: TaskPlace;
  readonly token: string;
  /** Until when, of the monotonic clock, the lease is ours for sure. */
  readonly deadline: number;
  /** Works until it is stopped, has lost its lease, cannot go on, or has finished. Called once; never rejected. */
  run(): Promise<TaskEnd>;
  /** The lease holds until then. */
  renewed(deadline: number): void;
  /** The lease is somebody else's, or may be. */
  lose(error: RsError): void;
  /**
   * Ends the work. `drain`: not before what has been read is committed and all outputs are delivered; else as soon as what is being
   * processed can be undone.
   */
  stop(options: { readonly drain: boolean }): void;
  pause(): void;
  resume(): void;
  status(): TaskStatus;
}
