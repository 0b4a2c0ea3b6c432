import type { StoredTask } from './task-commit.ts';

/** A task that was acquired. */
export interface TaskLease {
  /** Random, new for each acquisition. Every script that acts for the owner names it. */
  readonly token: string;
  readonly epoch: number;
  /** The server's time when it was acquired, epoch milliseconds. */
  readonly now: number;
  readonly stored: StoredTask;
  /** How often in a row owners have crashed with the offset where it is now. */
  readonly crashes: number;
  /** The entry whose processing had been started when the last owner crashed; `''` for none. */
  readonly started: string;
}

export type AcquireReply =
  | { readonly type: 'acquired'; readonly lease: TaskLease }
  /** `left`: milliseconds until the lease of the present owner ends. */
  | { readonly type: 'busy'; readonly left: number; readonly owner: string };
