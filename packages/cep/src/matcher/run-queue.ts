import type { Run, StoredEvent } from './run.ts';

interface Entry {
  /** Some may be gone. */
  runs: Run[];
  live: number;
}

/** Live runs by an event of theirs, the first or the last one, in the order of these events. */
export class RunQueue {
  /** The first event of all; `undefined` without runs. */
  head: StoredEvent | undefined;
  readonly #entries = new Map<StoredEvent, Entry>();
  readonly #eventOf: (run: Run) => StoredEvent;

  constructor(eventOf: (run: Run) => StoredEvent) {
    this.#eventOf = eventOf;
  }

  /** The event is that of a run that is here, or a later one. */
  add(run: Run): void {
    const event = this.#eventOf(run);
    const entry = this.#entries.get(event);
    if (entry !== undefined) {
      entry.runs.push(run);
      entry.live++;
      return;
    }
    this.#entries.set(event, { runs: [run], live: 1 });
    this.head ??= event;
  }

  /** Adds any to an empty one. */
  fill(runs: readonly Run[]): void {
    const seqOf = (run: Run): number => this.#eventOf(run).seq;
    for (const run of runs.toSorted((a, b) => seqOf(a) - seqOf(b))) this.add(run);
  }

  /** A run of it is gone. */
  remove(run: Run): void {
    const event = this.#eventOf(run);
    const entry = this.#entries.get(event);
    if (entry === undefined) return;
    entry.live--;
    if (entry.live === 0) {
      this.#entries.delete(event);
      if (this.head === event) this.head = firstOf(this.#entries.keys());
    } else if (entry.runs.length > 2 * entry.live + 8) {
      entry.runs = entry.runs.filter(isLive);
    }
  }

  /** Those of the first event. */
  first(): readonly Run[] {
    const entry = this.head === undefined ? undefined : this.#entries.get(this.head);
    return entry === undefined ? [] : entry.runs.filter(isLive);
  }

  /** How many there are of the events up to a time. */
  countThrough(timestamp: number): number {
    let count = 0;
    for (const [event, { live }] of this.#entries) {
      if (event.timestamp > timestamp) break;
      count += live;
    }
    return count;
  }
}

function isLive(run: Run): boolean {
  return run.bucket !== undefined;
}

function firstOf<V>(values: Iterable<V>): V | undefined {
  for (const value of values) return value;
  return undefined;
}
