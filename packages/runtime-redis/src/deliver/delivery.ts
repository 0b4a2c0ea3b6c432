import { isRsError, RsError } from '@rs/core';
import { backoffDelay, type Timers, Waiter } from '@rs/mq';
import { failureOf } from '@rs/runtime';
import { type Cursor, cursorText } from '../sink/cursor.ts';
import { seqOf } from '../sink/out-position.ts';
import type { OutEntry } from './out-entry.ts';
import type { OutFeed } from './out-feed.ts';
import type { OutTarget } from './out-target.ts';
import type { Replicated } from './replication.ts';

export interface DeliveryOptions {
  /** How messages call the sink. */
  readonly label: string;
  readonly feed: OutFeed;
  readonly target: OutTarget;
  readonly cursor: Cursor;
  readonly timers: Pick<Timers, 'after' | 'monotonic'>;
  readonly random: () => number;
  /** Milliseconds to wait after a failure of the sink, growing. */
  readonly backoff: { readonly initialBackoff: number; readonly maxBackoff: number };
  /** What has to be waited for before the results of a commit are delivered; `undefined`: nothing. */
  readonly replicated: Replicated | undefined;
  /** Something was delivered, or has failed. */
  readonly onChange: () => void;
  /** A delivery failed and will be tried again. `attempts`: in a row. */
  readonly onTrouble: (error: RsError, attempts: number) => void;
  /** Trying again would help nobody: the delivery has ended. */
  readonly onFatal: (error: RsError) => void;
}

/** Milliseconds that a call of a target may take before it looks as if it would never end. */
const STUCK = 30_000;
/** Entries that are given to a target at once. */
const COUNT = 256;
const BYTES = 1024 * 1024;

/** Milliseconds to wait for Redis: when it is back, nobody should have to wait as long as for a sink that refuses. */
const REDIS_BACKOFF = { initialBackoff: 50, maxBackoff: 1_000 };

/** Errors that another attempt does not change: the target and the task do not agree on what was delivered, or it is somebody else's. */
const FATAL = ['RS_LOG_ROLLED_BACK', 'RS_LEASE_LOST', 'RS_CLOSED'] as const;

/**
 * Delivers the results in one out log, in order, until it is closed. What fails is tried again after growing pauses, for as long as it
 * takes: it blocks this sink of this task and nothing else.
 *
 * Invariant: the cursor is that of the last entry up to which everything is delivered. It only rises.
 */
export class Delivery {
  readonly #options: DeliveryOptions;
  readonly #waiter = new Waiter();
  readonly #closing = new AbortController();
  #cursor: Cursor;
  #failure: RsError | undefined;
  /** Since when a call of the target has been under way that brought nothing yet. */
  #callingSince: number | undefined;
  #unreplicatedSince: number | undefined;
  #closed = false;
  #running: Promise<void> | undefined;
  #endPause: (() => void) | undefined;

  constructor(options: DeliveryOptions) {
    this.#options = options;
    this.#cursor = options.cursor;
  }

  get cursor(): Cursor {
    return this.#cursor;
  }

  get cursorText(): string {
    return cursorText(this.#cursor);
  }

  /** Why nothing is delivered at the moment. */
  get failure(): RsError | undefined {
    if (this.#failure !== undefined || this.#callingSince === undefined) return this.#failure;
    const { label, timers } = this.#options;
    const waited = timers.monotonic() - this.#callingSince;
    if (waited < STUCK) return undefined;
    return new RsError('RS_SINK_FAILED', `${label} has not answered for ${Math.floor(waited / 1_000)} s`, {
      details: { operator: label },
    });
  }

  /** Milliseconds for which it has waited for a replica to have the next results; 0 while it does not. */
  get unreplicatedFor(): number {
    const since = this.#unreplicatedSince;
    return since === undefined ? 0 : Math.max(1, this.#options.timers.monotonic() - since);
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** A commit was answered, which wrote these entries. */
  committed(seq: number, entries: readonly OutEntry[]): void {
    this.#options.feed.committed(seq, entries);
    if (entries.length > 0) this.#waiter.notify();
  }

  /** Begins nothing more; fulfilled when what is under way has ended. Idempotent. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#closing.abort();
    this.#endPause?.();
    this.#waiter.notify();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { target, timers } = this.#options;
    let left: readonly OutEntry[] = [];
    let replicated = false;
    let attempts = 0;
    while (!this.#closed) {
      try {
        if (left.length === 0) {
          left = await this.#next();
          replicated = false;
        }
        if (!replicated) await this.#untilReplicated(left);
        if (this.#closed) return;
        replicated = true;
        const batch = left;
        let delivered = 0;
        const done = (count: number): void => {
          this.#delivered(batch.slice(delivered, delivered + count));
          delivered += count;
          attempts = 0;
          this.#callingSince = timers.monotonic();
        };
        this.#callingSince = timers.monotonic();
        try {
          await target.deliver(batch, done, () => this.#closed);
        } finally {
          this.#callingSince = undefined;
          left = batch.slice(delivered);
        }
      } catch (error) {
        if (this.#closed) return;
        if (this.#failed(error, ++attempts)) return;
        await this.#pause(attempts);
      }
    }
  }

  /** Waits until there is something to deliver; none once it is closed. */
  async #next(): Promise<readonly OutEntry[]> {
    while (!this.#closed) {
      const entries = await this.#options.feed.take(COUNT, BYTES);
      if (entries.length > 0) return entries;
      // That there is nothing may be news: nobody knew what an earlier owner had left.
      this.#options.onChange();
      await this.#waiter.wait();
    }
    return [];
  }

  /** What is tried again later is on a replica all the same. */
  async #untilReplicated(entries: readonly OutEntry[]): Promise<void> {
    const { replicated, timers } = this.#options;
    const last = entries.at(-1);
    if (replicated === undefined || last === undefined) return;
    this.#unreplicatedSince = timers.monotonic();
    try {
      await replicated(seqOf(last.id), this.#closing.signal);
    } finally {
      this.#unreplicatedSince = undefined;
    }
  }

  #delivered(entries: readonly OutEntry[]): void {
    const last = entries.at(-1);
    if (last === undefined) return;
    this.#failure = undefined;
    this.#cursor = { ...this.#cursor, id: last.id };
    this.#options.feed.delivered(entries);
    this.#options.onChange();
  }

  /** Returns true when that is the end. */
  #failed(error: unknown, attempts: number): boolean {
    const { label, onFatal, onTrouble, onChange } = this.#options;
    const failure = failureOf('RS_SINK_FAILED', label, error);
    this.#failure = failure;
    const fatal = FATAL.some((code) => isRsError(failure, code));
    if (fatal) onFatal(failure);
    else onTrouble(failure, attempts);
    onChange();
    return fatal;
  }

  #pause(attempts: number): Promise<void> {
    const { backoff, random, timers } = this.#options;
    const times = this.#failure?.code.startsWith('RS_REDIS_') === true ? REDIS_BACKOFF : backoff;
    const delay = backoffDelay({ ...times, multiplier: 2, jitter: 'full' }, attempts, random);
    return new Promise((resolve) => {
      const cancel = timers.after(delay, resolve);
      this.#endPause = () => {
        cancel();
        resolve();
      };
    });
  }
}
