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
  /** Whether something has come or gone; whoever looks sets it back. */
  changed = false;
  #queue: HeldMatch[] = [];
  #nextOrder = 0;

  get size(): number {
    return this.#queue.length;
  }

  first(): HeldMatch | undefined {
    return this.#queue[0];
  }

  all(): readonly HeldMatch[] {
    return this.#queue;
  }

  add(run: Run, timestamp: number): void {
    this.put({ run, timestamp, order: this.#nextOrder });
  }

  put(match: HeldMatch): void {
    this.changed = true;
    this.#nextOrder = Math.max(this.#nextOrder, match.order + 1);
    let at = this.#queue.length;
    while (at > 0 && isBefore(match, this.#queue[at - 1])) at--;
    this.#queue.splice(at, 0, match);
  }

  shift(): HeldMatch | undefined {
    this.changed = true;
    return this.#queue.shift();
  }

  /** Takes out the matches that began at an event up to `seq`. */
  removeThrough(seq: number): HeldMatch[] {
    const count = this.#queue.findIndex(({ run }) => run.first.seq > seq);
    if (count !== 0) this.changed = true;
    return this.#queue.splice(0, count === -1 ? this.#queue.length : count);
  }

  clear(): HeldMatch[] {
    return this.#queue.splice(0);
  }
}

function isBefore(match: HeldMatch, other: HeldMatch | undefined): boolean {
  if (other === undefined) return false;
  const difference = match.run.first.seq - other.run.first.seq;
  return difference < 0 || (difference === 0 && match.order < other.order);
}
