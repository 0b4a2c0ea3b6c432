import type { LateRecord, WindowResult } from '../load/results.ts';
import { LOAD } from '../load/settings.ts';
import type { LogEntry } from '../redis/stored.ts';
import { byTimeAndKey } from './order.ts';

interface Open {
  readonly key: string;
  readonly start: number;
  readonly records: number[];
  fired: boolean;
}

/** Windows of one size that fire when they close, and again for each record that comes within the lateness. */
export class TumblingModel {
  readonly results: WindowResult[] = [];
  readonly late: LateRecord[] = [];
  readonly #open = new Map<string, Open>();

  advance(watermark: number): void {
    const closed = [...this.#open.values()].filter(
      (window) => !window.fired && closingOf(window) <= watermark,
    );
    for (const window of closed.sort((a, b) => byTimeAndKey([closingOf(a), a.key], [closingOf(b), b.key]))) {
      this.#fire(window);
    }
    for (const [name, window] of this.#open) {
      if (closingOf(window) + LOAD.lateness <= watermark) this.#open.delete(name);
    }
  }

  take({ key, n, time }: LogEntry, watermark: number): void {
    const start = Math.floor(time / LOAD.window) * LOAD.window;
    const name = `${key} ${start}`;
    const window = this.#open.get(name) ?? { key, start, records: [], fired: false };
    if (closingOf(window) + LOAD.lateness <= watermark) {
      this.late.push({ key, n });
      return;
    }
    this.#open.set(name, window);
    window.records.push(n);
    if (closingOf(window) <= watermark) this.#fire(window);
  }

  #fire(window: Open): void {
    const { key, start, records } = window;
    window.fired = true;
    this.results.push({ key, start, end: start + LOAD.window, records: [...records] });
  }
}

function closingOf({ start }: Open): number {
  return start + LOAD.window - 1;
}
