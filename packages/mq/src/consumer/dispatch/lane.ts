import { Fifo } from './fifo.ts';
import { Heap } from './heap.ts';
import type { QueueEntry } from './queue-entry.ts';

export function older(a: QueueEntry, b: QueueEntry): boolean {
  return a.queueTurn < b.queueTurn;
}

/**
 * Entries that must not overtake each other: those of a key, or all of a partition. Those that have run before and wait for
 * another attempt stand in front, in the order of adding.
 */
export class Lane<E extends QueueEntry> {
  /** Several only when they were started together, as a batch. */
  running = 0;
  /** How many of them are not due. */
  parked = 0;
  readonly #waiting = new Fifo<E>();
  #returned: Heap<E> | undefined;

  /** Entries that are not running. */
  get size(): number {
    return this.#waiting.size + (this.#returned?.size ?? 0);
  }

  /** How many are parked, or in one lane with one that is. */
  get held(): number {
    return this.parked === 0 ? 0 : this.size;
  }

  /** The one whose turn it is. It may be parked; then all others wait for it. */
  first(): E | undefined {
    return this.#returnedFirst() ?? this.#waiting.first();
  }

  take(): E | undefined {
    return this.#returnedFirst() === undefined ? this.#waiting.take() : this.#returned?.take();
  }

  add(entry: E): void {
    this.#waiting.add(entry);
  }

  /** Takes back one that has run before. */
  putBack(entry: E): void {
    this.#returned ??= new Heap<E>(older);
    this.#returned.add(entry);
  }

  /** The first of those in front, unless one that has not run yet was added before it, as after a takeover. */
  #returnedFirst(): E | undefined {
    const returned = this.#returned?.first();
    const waiting = this.#waiting.first();
    return returned !== undefined && waiting !== undefined && older(waiting, returned) ? undefined : returned;
  }
}
