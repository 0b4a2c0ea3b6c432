import type { WindowResult } from '../load/results.ts';
import { LOAD } from '../load/settings.ts';
import type { LogEntry } from '../redis/stored.ts';
import { byTimeAndKey } from './order.ts';

interface Session {
  readonly key: string;
  readonly start: number;
  readonly end: number;
  readonly records: readonly number[];
}

/** Windows that last until a gap without records of their key, and become one where they overlap. */
export class SessionModel {
  readonly results: WindowResult[] = [];
  #open: Session[] = [];

  advance(watermark: number): void {
    const closed = this.#open.filter(({ end }) => end - 1 <= watermark);
    if (closed.length === 0) return;
    this.#open = this.#open.filter(({ end }) => end - 1 > watermark);
    for (const { key, start, end, records } of closed.sort((a, b) =>
      byTimeAndKey([a.end, a.key], [b.end, b.key]),
    )) {
      this.results.push({ key, start, end, records: [...records].sort((a, b) => a - b) });
    }
  }

  take({ key, n, time }: LogEntry, watermark: number): void {
    const end = time + LOAD.gap;
    const met = this.#open.filter((each) => each.key === key && each.start < end && time < each.end);
    const merged = {
      key,
      start: Math.min(time, ...met.map((each) => each.start)),
      end: Math.max(end, ...met.map((each) => each.end)),
      records: [...met.flatMap((each) => each.records), n],
    };
    // Too late, which only one that meets no open session can be.
    if (merged.end - 1 <= watermark) return;
    this.#open = [...this.#open.filter((each) => !met.includes(each)), merged];
  }
}
