import { setTimeout as pause } from 'node:timers/promises';
import { compareIds } from '../../redis/compare-ids.ts';
import type { Sighting } from '../history/history.ts';
import type { LeaseSample, Observer } from '../redis/observer.ts';
import { now } from '../../time/now.ts';
import { type Lag, NOTEWORTHY, REDIS } from '../../time/lag.ts';

const EVERY = 100;

/**
 * Looks at the leases all the time: neither an epoch nor a low watermark may ever go back. How long the answers take is what Redis and its
 * disk need on this machine.
 */
export class LeaseWatch {
  readonly sightings: Sighting[] = [];
  readonly lags: Lag[] = [];
  readonly #observer: Observer;
  readonly #ended = new AbortController();
  readonly #running: Promise<void>;
  #before: readonly LeaseSample[] = [];

  constructor(observer: Observer) {
    this.#observer = observer;
    this.#running = this.#run();
  }

  async close(): Promise<void> {
    this.#ended.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#ended;
    while (!signal.aborted) {
      const asked = now();
      // The server is away now and then.
      const leases = await this.#observer.leases().catch(() => this.#before);
      const at = now();
      if (at - asked > NOTEWORTHY) this.lags.push({ incarnation: REDIS, at, millis: at - asked });
      for (const what of wentBack(this.#before, leases)) {
        this.sightings.push({ promise: 'only the owner changes state', at, what });
      }
      this.#before = leases;
      await pause(EVERY, undefined, { signal }).catch(() => undefined);
    }
  }
}

/** What went back from one look at all leases to the next. */
export function wentBack(before: readonly LeaseSample[], after: readonly LeaseSample[]): string[] {
  return after.flatMap(({ epoch, low }, partition) => {
    const earlier = before[partition];
    if (earlier === undefined) return [];
    return [
      ...(epoch < earlier.epoch
        ? [`the epoch of partition ${partition} went back from ${earlier.epoch} to ${epoch}`]
        : []),
      ...(compareIds(low, earlier.low) < 0
        ? [`the low watermark of partition ${partition} went back from ${earlier.low} to ${low}`]
        : []),
    ];
  });
}
