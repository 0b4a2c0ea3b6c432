import type { Sums, Work } from '../load/work.ts';

/** Where the payments are. */
export interface Place {
  readonly host: string;
  readonly port: number;
  readonly partitions: number;
  /** What all keys begin with. */
  readonly prefix: string;
}

/** One pass over all that was filled in, with state of its own. */
export interface Job extends Place {
  readonly work: Work;
  /** Another one for each pass. */
  readonly run: number;
}

export interface Filling extends Place {
  readonly work: Work;
  /** Payments, from the first one on. */
  readonly records: number;
}

/** One way to keep sums in Redis. */
export interface Way {
  /** Writes the payments, those of a customer in one partition, in an empty Redis. */
  fill(filling: Filling): Promise<void>;
  /**
   * Works everything off, from the beginning. Fulfilled when all sums are in Redis.
   *
   * @returns calls of Redis
   */
  work(job: Job): Promise<number>;
  /** The sums, read from Redis. */
  sums(job: Job): Promise<Sums>;
  /** Removes everything that a pass has left. */
  clear(job: Job): Promise<void>;
}
