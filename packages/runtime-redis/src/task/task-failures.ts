import { backoffDelay } from '@rs/mq';
import type { RetrySettings } from '../options/settings.ts';

const GROWTH = { multiplier: 2, jitter: 'full' } as const;

/** Counts the failures in a row of one thing: a record or a timer. Whatever else fails begins a new count. */
export class TaskFailures {
  readonly #settings: RetrySettings;
  readonly #random: () => number;
  #what: string | undefined;
  #count = 0;

  constructor(settings: RetrySettings, random: () => number) {
    this.#settings = settings;
    this.#random = random;
  }

  /** How often in a row it has failed, this time included. */
  note(what: string): number {
    if (what !== this.#what) {
      this.#what = what;
      this.#count = 0;
    }
    return ++this.#count;
  }

  /** True while something is being tried again. */
  get any(): boolean {
    return this.#what !== undefined;
  }

  clear(): void {
    this.#what = undefined;
    this.#count = 0;
  }

  /** Milliseconds until the next attempt. */
  delay(): number {
    return backoffDelay({ ...this.#settings, ...GROWTH }, this.#count, this.#random);
  }
}
