import { type Logger, RsError, isRsError } from '@rs/core';
import type { UnsettledTable } from '../position/low-watermark.ts';
import type { Timers } from '../../time/timers.ts';
import type { PartitionScripts, Refusal } from '../partition/partition-scripts.ts';
import type { Delivery } from './delivery.ts';
import { type DeadReason, SettleBatch } from './settle-batch.ts';

/** Outcomes per call: what a script may do without holding Redis up. */
const MAX_BATCH = 1_000;
/** Waiting after an error of Redis before the same call is made again, doubling up to the maximum. */
const RETRY_DELAY = { initial: 20, max: 2_000 } as const;

/** What `settle-messages.lua` takes instead of an entry to mark. */
const NO_CHANGE = '=';
const ALL_CLEAR = '-';

const WHY: Readonly<Record<Refusal, string>> = {
  FENCED: 'it has another owner by now',
  NOGROUP: 'its consumer group was destroyed; what was not settled is delivered again',
  FOREIGN: 'another program reads as its group; what that was given is taken over',
  ROLLED_BACK: 'Redis has lost what it had confirmed; what was handled since then is delivered again',
};

export interface SettlerOptions {
  readonly scripts: PartitionScripts;
  readonly token: string;
  readonly table: UnsettledTable;
  readonly timers: Timers;
  readonly logger: Logger;
  /** The partition has another owner, or its stream is gone: nothing that this lane knows can be stored any more. */
  readonly onLost: (error: RsError) => void;
  /** Outcomes were stored: there may be room for more. */
  readonly onStored: () => void;
}

/**
 * Stores outcomes. One call is under way at a time, and what ends meanwhile goes with the next one: so the more there is to
 * do, the more goes into one call, and nothing waits when there is nothing to wait for.
 *
 * Invariant: a call is made again, unchanged, until Redis has answered it or the lease is lost. An outcome is decided once; that it
 * cannot be stored never turns a success into a retry. What no repetition mends (a key of another type, a missing permission) ends the
 * lane: behind it nothing could ever be stored, and a new owner reads what was not.
 */
export class Settler {
  readonly #options: SettlerOptions;
  #next = new SettleBatch();
  #current: SettleBatch | undefined;
  /** Number of the call that was made last. */
  #seq = 0;
  #confirmed = 0;
  #started: string | undefined;
  #scheduled = false;
  #closed = false;
  #stuck = false;
  #waiting: (() => void)[] = [];

  constructor(options: SettlerOptions) {
    this.#options = options;
  }

  done(delivery: Delivery): void {
    // A retry that is over must not be written after its end.
    this.#next.retries.delete(delivery);
    this.#next.done.push(delivery);
    this.#schedule();
  }

  retry(delivery: Delivery, delay: number): void {
    delivery.recorded = true;
    this.#next.retries.set(delivery, { delivery, delay, failed: delivery.failed });
    this.#schedule();
  }

  dead(delivery: Delivery, reason: DeadReason, error: string): void {
    // A retry that is over must not be written after its end.
    this.#next.retries.delete(delivery);
    this.#next.dead.push({ delivery, failed: delivery.failed, reason, error });
    this.#schedule();
  }

  /**
   * Writes down which entry's handler is about to start, `''` for none; with it all outcomes so far. Fulfilled when that is
   * stored, or never will be.
   */
  mark(started: string): Promise<void> {
    this.#started = started;
    this.#schedule();
    return this.stored();
  }

  /**
   * With the next outcomes: what was marked has been charged, and is not to be charged again if this process ends before it starts
   * anything. A mark that waits to be stored stands.
   */
  unmark(): void {
    if (this.#started === undefined || this.#started === NO_CHANGE) this.#started = '';
    this.#schedule();
  }

  /** With the next outcomes: nothing is left of what owners may have crashed on. */
  allClear(): void {
    this.#started = ALL_CLEAR;
    this.#schedule();
  }

  /** Stores the low watermark, also when no outcome is about to be. */
  storeLow(): void {
    this.#started ??= NO_CHANGE;
    this.#schedule();
  }

  /** Fulfilled when everything so far is stored, or never will be since the lease is lost. */
  stored(): Promise<void> {
    if (this.#closed || (this.#current === undefined && this.#idle)) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  /** Ends without storing what is left: somebody else owns it. */
  close(): void {
    this.#closed = true;
    this.#release();
  }

  /** Number of the last call that Redis has confirmed: one that has lost it was set back. */
  get confirmed(): number {
    return this.#confirmed;
  }

  /** Outcomes that are not stored yet. */
  get unstored(): number {
    return this.#next.size + (this.#current?.size ?? 0);
  }

  /** It has ended because Redis refuses for good to store what it holds. */
  get stuck(): boolean {
    return this.#stuck;
  }

  get #idle(): boolean {
    return this.#next.size === 0 && this.#started === undefined;
  }

  #schedule(): void {
    if (this.#scheduled || this.#current !== undefined || this.#closed) return;
    this.#scheduled = true;
    // Everything that ends in this turn of the event loop goes together.
    this.#options.timers.soon(() => {
      this.#scheduled = false;
      void this.#flush();
    });
  }

  async #flush(): Promise<void> {
    if (this.#current !== undefined) return;
    const { scripts, token, table } = this.#options;
    while (!this.#idle && !this.#closed) {
      const batch = this.#take();
      this.#current = batch;
      batch.forEachSettled(({ place }) => {
        if (place !== undefined) table.settle(place);
      });
      const started = this.#started ?? NO_CHANGE;
      this.#started = undefined;
      this.#seq++;
      const call = scripts.settle(token, this.#seq, { low: table.low, started }, batch.arguments());
      await this.#store(() => scripts.runSettle(call));
      this.#current = undefined;
      if (this.#closed) return;
      this.#confirmed = this.#seq;
      this.#options.onStored();
    }
    if (this.#idle) this.#release();
  }

  /** Invariant: returns only when the batch is stored or the settler is closed. */
  async #store(call: () => Promise<'OK' | Refusal>): Promise<void> {
    let delay: number = RETRY_DELAY.initial;
    while (!this.#closed) {
      try {
        const answer = await call();
        if (answer !== 'OK') this.refused(answer);
        return;
      } catch (error) {
        if (isRsError(error, 'RS_CLOSED')) {
          this.close();
          return;
        }
        const { topic, partition, group } = this.#options.scripts.place;
        if (!isRsError(error) || !error.retriable) {
          this.#stuck = true;
          this.#giveUp('its outcomes cannot be stored, and are handled again', { cause: error });
          return;
        }
        this.#options.logger.warn(
          { topic, partition, group, error },
          'outcomes could not be stored; trying again',
        );
        await this.#pause(delay);
        delay = Math.min(delay * 2, RETRY_DELAY.max);
      }
    }
  }

  /**
   * A script did nothing, and no other will: the lane ends, and whoever acquires the partition next goes on from what Redis has. Also for a
   * group that has vanished: only acquiring makes it again, from a position that is known for sure.
   */
  refused(refusal: Refusal): void {
    this.#giveUp(WHY[refusal], { refusal });
  }

  #giveUp(why: string, { cause, ...facts }: { readonly refusal?: Refusal; readonly cause?: unknown }): void {
    const { topic, partition } = this.#options.scripts.place;
    this.close();
    const because = cause === undefined ? why : `${why}: ${reasonOf(cause)}`;
    this.#options.onLost(
      new RsError('RS_LEASE_LOST', `partition ${partition} of topic '${topic}' was given up: ${because}`, {
        cause,
        details: { topic, partition, ...facts },
      }),
    );
  }

  #take(): SettleBatch {
    const all = this.#next;
    this.#next = new SettleBatch();
    if (all.size <= MAX_BATCH) return all;
    const batch = new SettleBatch();
    move(all.done, batch.done, MAX_BATCH);
    for (const [delivery, record] of all.retries) {
      if (batch.size >= MAX_BATCH) break;
      batch.retries.set(delivery, record);
      all.retries.delete(delivery);
    }
    move(all.dead, batch.dead, MAX_BATCH - batch.size);
    this.#next = all;
    return batch;
  }

  #pause(delay: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#options.timers.after(delay, resolve);
      this.#waiting.push(() => {
        // Only closing may end the pause early.
        if (!this.#closed) return;
        cancel();
        resolve();
      });
    });
  }

  #release(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resume of waiting) resume();
  }
}

function move<T>(from: T[], to: T[], count: number): void {
  to.push(...from.splice(0, Math.max(0, count)));
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
