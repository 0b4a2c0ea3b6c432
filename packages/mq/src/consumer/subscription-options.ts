import type { Duration } from '@rs/core';

/**
 * What must not overtake what. `partition`: messages of a partition are handled one by one, and a message that is to be
 * retried holds all that come after it. `key`: messages of one key are, others go on; messages without a key are free.
 * `none`: nothing waits for anything.
 */
export type Ordering = 'partition' | 'key' | 'none';

/** Where a group begins that has never read the topic: an id `ms-seq` means after it, a `Date` from that time on. */
export type StartPosition = 'earliest' | 'latest' | Date | `${number}-${number}`;

export interface RetryOptions {
  /** How often a message is handled at most, the first time included; then it goes to the dead letters. Default 5. */
  readonly maxAttempts?: number;
  /** Waiting before the second attempt. Each further one waits `multiplier` times as long, `maxBackoff` at most. Default 1 s. */
  readonly initialBackoff?: Duration;
  /** Default 1 min. */
  readonly maxBackoff?: Duration;
  /** From 1. Default 2. */
  readonly multiplier?: number;
  /**
   * `full`: the waiting is drawn at random between 0 and what it would be, so that what failed together is not retried
   * together. `none`: exactly that. Default `full`.
   */
  readonly jitter?: 'full' | 'none';
  /**
   * Decides by error: `'retry'` (by the rules above), `'deadLetter'` (at once), or how long to wait before the next attempt.
   * Not called once the attempts are used up. When it throws, the message is retried by the rules. Default: an `RsError` of
   * this library with `retriable: false` that speaks of the message (`RS_INVALID_VALUE`) is not retried, all else is.
   */
  readonly policy?: (
    error: unknown,
    attempt: number,
  ) => 'retry' | 'deadLetter' | { readonly delay: Duration };
}

export interface ConsumerSubscriptionOptions {
  /** Default: `partition`; `key` when `concurrency` is above 1. `partition` with a concurrency above 1 is refused. */
  readonly ordering?: Ordering;
  /** Handlers that run at the same time per partition. Default 1. */
  readonly concurrency?: number;
  readonly retry?: RetryOptions;
  /**
   * `auto`: a message is settled when its handler has ended. `manual`: when `context.ack()` or `context.settle()` is called, or
   * the handler returns a result; until then it counts as being in flight. Default `auto`.
   */
  readonly ack?: 'auto' | 'manual';
  /** How long a handler may take. After it, its signal is aborted and the attempt has failed. Default: no limit. */
  readonly handlerTimeout?: Duration;
  /** Messages per partition that are read ahead or being handled, 100,000 at most. More hides round trips and takes memory. Default 512. */
  readonly maxInFlight?: number;
  /** Bytes per partition, as `maxInFlight`; a single message may exceed it. Default 8 MiB. */
  readonly maxInFlightBytes?: number;
  /**
   * Messages per partition that wait for a retry, or behind one; beyond it nothing further is read. Nor is anything that lies 100,000
   * messages behind the oldest one that is not settled. Default 1,000.
   */
  readonly maxParked?: number;
  /** Messages that are read with one call at most, up to 1,000. Default 256. */
  readonly batchCount?: number;
  /** Where a new group begins. Has no effect on a group that exists. Default `earliest`. */
  readonly from?: StartPosition;
  /** Only partitions with `partition % modulo === remainder`: for a fixed split over processes. */
  readonly pin?: { readonly modulo: number; readonly remainder: number };
}

export interface BatchOptions {
  /** Messages per call at most. Default 100. */
  readonly max?: number;
  /** How long to wait for a full batch after its first message. Default 0: what is there is handled at once. */
  readonly maxWait?: Duration;
}
