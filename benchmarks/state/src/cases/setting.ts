import type { Worker } from '@rs/bench-harness';
import type { Server } from '@rs/bench-harness/redis';
import type { Tasks } from '../worker/tasks.ts';

/** What all cases of the suite share. */
export interface Setting {
  readonly server: Server;
  /** Program of the child processes. */
  readonly program: string;
}

/** A child process of this suite. */
export type StateWorker = Worker<Tasks>;

export const PARTITIONS = 8;
