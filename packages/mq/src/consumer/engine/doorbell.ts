import { isRsError } from '@rs/core';
import { type BlockingConnection, isTold, type RedisReply } from '@rs/redis';
import type { Timers } from '../../time/timers.ts';
import { Waiter } from '../../time/waiter.ts';
import { compareIds } from '../position/entry-id.ts';

/** What a lane listens to: its log, and what is redelivered to its group, where there is such a thing. */
export interface Listener {
  readonly stream: string;
  readonly redelivery?: string;
  ring(): void;
}

interface Watched {
  readonly listener: Listener;
  after: string;
  again: string;
}

export interface DoorbellOptions {
  readonly connection: Pick<BlockingConnection, 'call' | 'wake' | 'close'>;
  /** Milliseconds that a call blocks at most. */
  readonly block: number;
  readonly timers: Timers;
  /** A read has failed. `told`: whether that is worth a warning, so often in a row. */
  readonly onTrouble: (error: unknown, told: boolean) => void;
}

const TROUBLE_DELAY = { initial: 50, max: 2_000 } as const;

/**
 * Tells lanes when their partition has something new: one blocking read for all of them. It only listens. What it is shown it does not
 * deliver, since a process that is stopped while it blocks would take entries with it; the lane fetches them under its lease.
 *
 * Invariant: the loop ends only with `close`. A lane that watches is in the call under way or in the next one, or is rung when that call
 * fails; and whoever joins while a call is under way ends that call early.
 */
export class Doorbell {
  readonly #options: DoorbellOptions;
  readonly #watched = new Map<Listener, Watched>();
  readonly #waiter = new Waiter();
  #inCall: ReadonlySet<Listener> | undefined;
  #running = false;
  #closed = false;
  #endPause: (() => void) | undefined;

  constructor(options: DoorbellOptions) {
    this.#options = options;
  }

  watch(listener: Listener, after: string, again = '0-0'): void {
    const known = this.#watched.get(listener);
    if (known === undefined) this.#watched.set(listener, { listener, after, again });
    else {
      known.after = later(known.after, after);
      known.again = later(known.again, again);
    }
    if (!this.#running) {
      this.#running = true;
      void this.#run();
    }
    if (this.#inCall === undefined) this.#waiter.notify();
    else if (!this.#inCall.has(listener)) this.#options.connection.wake();
  }

  unwatch(listener: Listener): void {
    this.#watched.delete(listener);
  }

  close(): void {
    this.#closed = true;
    this.#waiter.notify();
    this.#endPause?.();
    this.#options.connection.close();
  }

  async #run(): Promise<void> {
    let delay: number = TROUBLE_DELAY.initial;
    let failures = 0;
    while (!this.#closed) {
      if (this.#watched.size === 0) {
        await this.#waiter.wait();
        continue;
      }
      try {
        await this.#listen();
        delay = TROUBLE_DELAY.initial;
        failures = 0;
      } catch (error) {
        if (this.#closed || isRsError(error, 'RS_CLOSED')) return;
        this.#options.onTrouble(error, isTold(++failures));
        await this.#pause(delay);
        delay = Math.min(delay * 2, TROUBLE_DELAY.max);
        // Nobody can tell what is new, so each looks for itself: it may be the bell alone that is broken, or one log of many.
        this.#inCall = undefined;
        for (const listener of [...this.#watched.keys()]) listener.ring();
      } finally {
        this.#inCall = undefined;
      }
    }
  }

  async #listen(): Promise<void> {
    const { connection, block } = this.#options;
    const watched = [...this.#watched.values()];
    const streams = new Map<string, Watched>();
    const ids: string[] = [];
    for (const each of watched) {
      streams.set(each.listener.stream, each);
      ids.push(each.after);
    }
    for (const each of watched) {
      if (each.listener.redelivery === undefined) continue;
      streams.set(each.listener.redelivery, each);
      ids.push(each.again);
    }
    this.#inCall = new Set(this.#watched.keys());
    const args = ['COUNT', 1, 'BLOCK', block, 'STREAMS', ...streams.keys(), ...ids];
    const reply = await connection.call({ name: 'XREAD', args }, { block });
    this.#inCall = undefined;
    if (!Array.isArray(reply)) return;
    for (const [stream, entries] of reply as readonly [string, readonly [string, RedisReply][]][]) {
      const each = streams.get(stream);
      const id = entries[0]?.[0];
      if (each === undefined || id === undefined) continue;
      // The lane is about to fetch this entry; it need not be rung for it again.
      if (stream === each.listener.stream) each.after = later(each.after, id);
      else each.again = later(each.again, id);
      each.listener.ring();
    }
  }

  #pause(delay: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#options.timers.after(delay, resolve);
      this.#endPause = () => {
        cancel();
        resolve();
      };
    });
  }
}

function later(a: string, b: string): string {
  return compareIds(a, b) < 0 ? b : a;
}
