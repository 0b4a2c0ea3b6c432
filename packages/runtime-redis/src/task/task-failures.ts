import type { FailedTimer } from '@rs/runtime';
import { backoffDelay } from '@rs/mq';
import type { RetrySettings } from '../options/settings.ts';

const GROWTH = { multiplier: 2, jitter: 'full' } as const;

/** What has failed: the item at a position of the input, or a timer. */
export type Failing = { readonly item: number } | { readonly timer: FailedTimer };

interface Entry {
  readonly failing: Failing;
  count: number;
}

/**
 * Counts how often in a row each thing has failed. Others succeed in between: timers fire while a record waits for its next attempt, and
 * records are processed while a timer does; so only what it is about ends a count.
 */
export class TaskFailures {
  readonly #settings: RetrySettings;
  readonly #random: () => number;
  readonly #entries = new Map<string, Entry>();

  constructor(settings: RetrySettings, random: () => number) {
    this.#settings = settings;
    this.#random = random;
  }

  /** True while something is being tried again. */
  get any(): boolean {
    return this.#entries.size > 0;
  }

  /** How often in a row it has failed, this time included. */
  note(failing: Failing): number {
    const key = keyOf(failing);
    let entry = this.#entries.get(key);
    if (entry === undefined) this.#entries.set(key, (entry = { failing, count: 0 }));
    return ++entry.count;
  }

  /** It has been given up. */
  forget(failing: Failing): void {
    this.#entries.delete(keyOf(failing));
  }

  /** A batch went through: its items, and the timers of event time that it made due. */
  processed(): void {
    this.#remove((failing) => 'item' in failing || failing.timer.kind === 'event');
  }

  /** All timers that were due have fired. */
  ticked(): void {
    this.#remove((failing) => 'timer' in failing);
  }

  /** Milliseconds until the next attempt of something that has failed so often. */
  delay(count: number): number {
    return backoffDelay({ ...this.#settings, ...GROWTH }, count, this.#random);
  }

  #remove(over: (failing: Failing) => boolean): void {
    for (const [key, { failing }] of this.#entries) if (over(failing)) this.#entries.delete(key);
  }
}

function keyOf(failing: Failing): string {
  if ('item' in failing) return `item ${failing.item}`;
  const { operator, kind, time, key, namespace } = failing.timer;
  return JSON.stringify([operator, kind, time, key, namespace]);
}
