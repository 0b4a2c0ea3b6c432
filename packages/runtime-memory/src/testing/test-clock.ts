import type { Clock } from '@rs/core';
import type { Scheduler } from '@rs/runtime';

interface Wait {
  readonly at: number;
  readonly callback: () => void;
}

/** Steps of a loop after which others have their turn. */
const STEPS = 256;

/** Time that stands still until it is moved. What waits for it, such as a time-out, is called when it gets there. */
export class TestClock implements Clock, Scheduler {
  #now: number;
  readonly #waits = new Set<Wait>();
  #steps = 0;
  #changes = 0;

  constructor(now: number) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  /** Grows whenever somebody begins or ends to wait, and when the time moves. */
  get changes(): number {
    return this.#changes;
  }

  after(delay: number, callback: () => void): () => void {
    this.#changes++;
    if (delay <= 0) {
      const immediate = setImmediate(callback);
      return () => clearImmediate(immediate);
    }
    const wait = { at: this.#now + delay, callback };
    this.#waits.add(wait);
    return () => {
      if (this.#waits.delete(wait)) this.#changes++;
    };
  }

  /** Lets everything have its turn that does not wait for the clock. */
  breathe(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }

  /** To be awaited in loops that may take long: now and then everything else has its turn. */
  breath(): Promise<void> | undefined {
    return ++this.#steps % STEPS === 0 ? this.breathe() : undefined;
  }

  /** When the first one is called that waits; `Infinity` when none does. */
  get next(): number {
    return Math.min(Infinity, ...[...this.#waits].map(({ at }) => at));
  }

  /** Moves the time on, and calls those who have waited for it, one after the other. */
  moveTo(time: number): void {
    this.#changes++;
    for (let first = this.#first(time); first !== undefined; first = this.#first(time)) {
      this.#waits.delete(first);
      this.#now = Math.max(this.#now, first.at);
      first.callback();
    }
    this.#now = Math.max(this.#now, time);
  }

  #first(time: number): Wait | undefined {
    let first: Wait | undefined;
    for (const wait of this.#waits)
      if (wait.at <= time && (first === undefined || wait.at < first.at)) first = wait;
    return first;
  }
}
