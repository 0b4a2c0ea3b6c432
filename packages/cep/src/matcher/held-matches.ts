import { Fifo } from './fifo.ts';
import type { Run } from './run.ts';

export interface HeldMatch {
  readonly run: Run;
  readonly timestamp: number;
  /** Counts matches in the order in which they became certain. */
  readonly order: number;
}

/**
 * Matches that wait because a run that began earlier may still become one, and would come first: by first event, then by
 * the order in which they became certain.
 */
export class HeldMatches {
  /** What has come and gone since the last {@link collected}, by the ids of the runs. */
  readonly added = new Map<number, HeldMatch>();
  readonly removed = new Set<number>();
  size = 0;
  readonly #queue = new Fifo<HeldMatch>();
  #nextOrder = 0;

  first(): HeldMatch | undefined {
    return this.#queue.first();
  }

  all(): readonly HeldMatch[] {
    return [...this.#queue];
  }

  add(run: Run, timestamp: number): void {
    this.put({ run, timestamp, order: this.#nextOrder });
  }

  put(match: HeldMatch): void {
    this.size++;
    this.added.set(match.run.id, match);
    this.#nextOrder = Math.max(this.#nextOrder, match.order + 1);
    let at = this.#queue.size;
    while (at > 0 && isBefore(match, this.#queue.at(at - 1))) at--;
    if (at === this.#queue.size) this.#queue.push(match);
    else this.#queue.insert(at, match);
  }

  shift(): HeldMatch | undefined {
    const match = this.#queue.shift();
    if (match === undefined) return undefined;
    this.size--;
    if (!this.added.delete(match.run.id)) this.removed.add(match.run.id);
    return match;
  }

  /** Takes out the matches that began at an event up to `seq`. */
  removeThrough(seq: number): HeldMatch[] {
    const removed: HeldMatch[] = [];
    for (let first = this.first(); first !== undefined && first.run.first.seq <= seq; first = this.first()) {
      removed.push(first);
      this.shift();
    }
    return removed;
  }

  get hasChanged(): boolean {
    return this.added.size + this.removed.size > 0;
  }

  collected(): void {
    this.added.clear();
    this.removed.clear();
  }

  clear(): HeldMatch[] {
    return this.removeThrough(Infinity);
  }
}

function isBefore(match: HeldMatch, other: HeldMatch | undefined): boolean {
  if (other === undefined) return false;
  const difference = match.run.first.seq - other.run.first.seq;
  return difference < 0 || (difference === 0 && match.order < other.order);
}
