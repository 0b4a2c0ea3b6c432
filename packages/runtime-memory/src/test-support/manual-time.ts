import type { Clock } from '@rs/core';
import type { Scheduler } from '../index.ts';
import { settle } from './settle.ts';

interface Call {
  /** In milliseconds since the start, which no setting of the clock changes. */
  readonly at: number;
  readonly callback: () => void;
}

/** A clock and the scheduler that waits for it, moved by hand. As on a machine, setting the clock moves no wait. */
export class ManualTime implements Clock, Scheduler {
  /** Every delay that was asked for, in order. */
  readonly delays: number[] = [];
  readonly #maxDelay: number;
  readonly #calls = new Set<Call>();
  #elapsed = 0;
  #offset: number;

  /** @param maxDelay longer waits end after it, as those of `setTimeout` do */
  constructor(now = 0, maxDelay = Infinity) {
    this.#offset = now;
    this.#maxDelay = maxDelay;
  }

  now(): number {
    return this.#elapsed + this.#offset;
  }

  after(delay: number, callback: () => void): () => void {
    this.delays.push(delay);
    const call = { at: this.#elapsed + Math.min(Math.max(0, delay), this.#maxDelay), callback };
    this.#calls.add(call);
    return () => void this.#calls.delete(call);
  }

  breathe(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }

  /** Calls that are waited for. */
  get pending(): number {
    return this.#calls.size;
  }

  /** Sets the clock without letting time pass, also back. */
  set(now: number): void {
    this.#offset = now - this.#elapsed;
  }

  /** Lets time pass, stopping at each call that becomes due. */
  async advance(millis: number): Promise<void> {
    const end = this.#elapsed + millis;
    await settle();
    for (let call = this.#first(end); call !== undefined; call = this.#first(end)) {
      this.#calls.delete(call);
      this.#elapsed = Math.max(this.#elapsed, call.at);
      call.callback();
      await settle();
    }
    this.#elapsed = end;
    await settle();
  }

  #first(end: number): Call | undefined {
    return [...this.#calls].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
  }
}
