import { Fifo } from './fifo.ts';
import type { Run, StoredEvent } from './run.ts';

interface Entry {
  readonly event: StoredEvent;
  /** Some may be gone. */
  runs: Run[];
  live: number;
}

/** Live runs by an event of theirs, the first or the last one, in the order of these events. */
export class RunQueue {
  readonly #entries = new Map<StoredEvent, Entry>();
  /** Those in front that have no live runs are taken off at once, others when they are many. */
  readonly #order = new Fifo<Entry>();
  readonly #eventOf: (run: Run) => StoredEvent;

  constructor(eventOf: (run: Run) => StoredEvent) {
    this.#eventOf = eventOf;
  }

  /** The first event of all; `undefined` without runs. */
  get head(): StoredEvent | undefined {
    return this.#order.first()?.event;
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
    const made: Entry = { event, runs: [run], live: 1 };
    this.#entries.set(event, made);
    this.#order.push(made);
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
      entry.runs = [];
      while (this.#order.first()?.live === 0) this.#order.shift();
      if (this.#order.size > 2 * this.#entries.size + 8) this.#order.keep(({ live }) => live > 0);
    } else if (entry.runs.length > 2 * entry.live + 8) {
      entry.runs = entry.runs.filter(isLive);
    }
  }

  /** Those of the first event. */
  first(): readonly Run[] {
    return this.#order.first()?.runs.filter(isLive) ?? [];
  }

  /** Those of the events up to a time. */
  through(timestamp: number): Run[] {
    const runs: Run[] = [];
    for (const entry of this.#order) {
      if (entry.event.timestamp > timestamp) break;
      for (const run of entry.runs) if (isLive(run)) runs.push(run);
    }
    return runs;
  }
}

function isLive(run: Run): boolean {
  return run.bucket !== undefined;
}
