import type { TimerResult } from '../load/results.ts';
import { takesBack, timerOf } from '../load/timers.ts';
import type { LogEntry } from '../redis/stored.ts';
import { byTimeAndKey } from './order.ts';

/** Timers of event time: one for each key and time, which the next record of the key may take back. */
export class TimerModel {
  readonly results: TimerResult[] = [];
  readonly #seed: number;
  readonly #waiting = new Map<string, Set<number>>();
  readonly #before = new Map<string, number>();
  readonly #fired = new Map<string, number>();

  constructor(seed: number) {
    this.#seed = seed;
  }

  advance(watermark: number): void {
    const due: [time: number, key: string][] = [];
    for (const [key, times] of this.#waiting) {
      for (const time of times) if (time <= watermark) due.push([time, key]);
    }
    for (const [time, key] of due.sort(byTimeAndKey)) {
      this.#waiting.get(key)?.delete(time);
      const nth = (this.#fired.get(key) ?? 0) + 1;
      this.#fired.set(key, nth);
      this.results.push({ key, time, nth });
    }
  }

  take(record: LogEntry, watermark: number): void {
    const { key, n } = record;
    const times = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, times);
    const before = this.#before.get(key);
    if (before !== undefined && takesBack(this.#seed, n)) times.delete(before);
    const time = timerOf(this.#seed, record);
    times.add(time);
    this.#before.set(key, time);
    // What lies in the past is due at once.
    this.advance(watermark);
  }
}
