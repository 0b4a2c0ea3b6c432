import type { Namespace } from '../state/cell.ts';
import { compareText, encodeKey } from '../state/key-encoding.ts';
import { NumberHeap } from './number-heap.ts';

export interface Timer {
  readonly time: number;
  readonly key: unknown;
  readonly namespace: Namespace;
}

export interface DueTimer extends Timer {
  /** How many timers in a row have each registered the next one when it was due already; 0 for any other. */
  readonly depth: number;
}

/** A change since the last commit; absolute, so that applying it twice is the same as once. */
export interface TimerChange {
  readonly op: 'add' | 'remove';
  readonly time: number;
  /** Canonical text of the key. */
  readonly key: string;
  readonly namespace: string;
}

interface Entry extends DueTimer {
  /** Encoded key and namespace: identity within one time, and the order of firing. */
  readonly id: string;
  /** True when comparing code units gives the order of code points. */
  readonly simple: boolean;
}

const SURROGATES_OR_ABOVE = /[\ud800-\uffff]/;

function newEntry(time: number, key: unknown, namespace: Namespace, depth: number): Entry {
  const id = identity(key, namespace);
  return { time, key, namespace, depth, id, simple: !SURROGATES_OR_ABOVE.test(id) };
}

function compareEntries(a: Entry, b: Entry): number {
  if (!a.simple || !b.simple) return compareText(a.id, b.id);
  if (a.id === b.id) return 0;
  return a.id < b.id ? -1 : 1;
}

/** The timers of one time. Sorted, last first, only once they are due. */
class Bucket {
  readonly entries = new Map<string, Entry>();
  #due: Entry[] | undefined;

  add(entry: Entry): void {
    this.entries.set(entry.id, entry);
    if (this.#due === undefined) return;
    const at = this.#due.findLastIndex((other) => compareEntries(other, entry) > 0);
    this.#due.splice(at + 1, 0, entry);
  }

  /** Removes and returns the first in order. */
  takeFirst(): Entry | undefined {
    this.#due ??= [...this.entries.values()].sort((a, b) => compareEntries(b, a));
    for (let entry = this.#due.pop(); entry !== undefined; entry = this.#due.pop()) {
      // Deleted timers stay in the sorted list; one that was added again stands in it twice.
      if (this.entries.get(entry.id) !== entry) continue;
      this.entries.delete(entry.id);
      return entry;
    }
    return undefined;
  }
}

/** Times without a bucket that the heap may hold before it is worth clearing them out. */
const MIN_STALE_TIMES = 64;

/**
 * Timers of one operator and one kind, fired in the order (time, key, namespace), one for each of these triples.
 * The order does not depend on that of registration, so every engine fires alike, however it stores timers.
 */
export class TimerQueue {
  /** Time of the first timer; `Infinity` when there is none. A field, since operators look at it for every record. */
  next = Infinity;
  readonly #times = new NumberHeap();
  readonly #buckets = new Map<number, Bucket>();
  /** Changes since the last commit, where they are tracked: newest last. */
  readonly #log: { op: 'add' | 'remove'; entry: Entry }[] | undefined;

  constructor(options: { tracked: boolean }) {
    this.#log = options.tracked ? [] : undefined;
  }

  /** Returns false when the timer was there already. */
  add(time: number, key: unknown, namespace: Namespace, depth = 0): boolean {
    const entry = newEntry(time, key, namespace, depth);
    if (this.#buckets.get(time)?.entries.has(entry.id) === true) return false;
    this.#insert(entry);
    this.#log?.push({ op: 'add', entry });
    return true;
  }

  delete(time: number, key: unknown, namespace: Namespace): boolean {
    const bucket = this.#buckets.get(time);
    const entry = bucket?.entries.get(identity(key, namespace));
    if (bucket === undefined || entry === undefined) return false;
    this.#remove(bucket, entry);
    this.#log?.push({ op: 'remove', entry });
    return true;
  }

  /** Removes and returns the first timer that is due at `limit`. */
  takeDue(limit: number): DueTimer | undefined {
    if (this.next > limit) return undefined;
    const bucket = this.#buckets.get(this.next);
    const entry = bucket?.takeFirst();
    if (bucket?.entries.size === 0) this.#dropBucket(this.next);
    if (entry !== undefined) this.#log?.push({ op: 'remove', entry });
    return entry;
  }

  /** All timers due at `limit`, in no particular order. */
  *due(limit: number): IterableIterator<Timer> {
    if (limit < this.next) return; // Asked for every batch, mostly when nothing is due.
    for (const [time, bucket] of this.#buckets) if (time <= limit) yield* bucket.entries.values();
  }

  /** All timers, in the order of firing. */
  all(): Timer[] {
    const entries = [...this.#buckets.values()].flatMap((bucket) => [...bucket.entries.values()]);
    return entries.sort((a, b) => a.time - b.time || compareEntries(a, b));
  }

  get size(): number {
    let size = 0;
    for (const bucket of this.#buckets.values()) size += bucket.entries.size;
    return size;
  }

  /** Puts back a committed timer when state is read. */
  load(time: number, key: unknown, namespace: Namespace): void {
    this.#insert(newEntry(time, key, namespace, 0));
  }

  /** Forgets all timers, where they are not tracked. */
  clear(): void {
    this.#buckets.clear();
    this.#times.replace([]);
    this.next = Infinity;
  }

  changes(): TimerChange[] {
    return (this.#log ?? []).map(({ op, entry }) => ({
      op,
      time: entry.time,
      key: encodeKey(entry.key),
      namespace: String(entry.namespace),
    }));
  }

  committed(): void {
    if (this.#log !== undefined) this.#log.length = 0;
  }

  rollback(): void {
    for (let change = this.#log?.pop(); change !== undefined; change = this.#log?.pop()) {
      if (change.op === 'remove') {
        this.#insert(change.entry);
      } else {
        const bucket = this.#buckets.get(change.entry.time);
        if (bucket !== undefined) this.#remove(bucket, change.entry);
      }
    }
  }

  #insert(entry: Entry): void {
    let bucket = this.#buckets.get(entry.time);
    if (bucket === undefined) {
      bucket = new Bucket();
      this.#buckets.set(entry.time, bucket);
      this.#addTime(entry.time);
      if (entry.time < this.next) this.next = entry.time;
    }
    bucket.add(entry);
  }

  #remove(bucket: Bucket, entry: Entry): void {
    bucket.entries.delete(entry.id);
    if (bucket.entries.size === 0) this.#dropBucket(entry.time);
  }

  #dropBucket(time: number): void {
    this.#buckets.delete(time);
    if (time === this.next) this.next = this.#findNext();
  }

  /**
   * Keeps the heap in proportion to the timers: a timeout that is put off with every record would otherwise leave a time
   * behind each time.
   */
  #addTime(time: number): void {
    if (this.#times.size < 2 * this.#buckets.size + MIN_STALE_TIMES) this.#times.add(time);
    else this.#times.replace(this.#buckets.keys());
  }

  /** Times whose bucket is gone stay in the heap until they come first, or are too many. */
  #findNext(): number {
    for (;;) {
      const time = this.#times.first();
      if (time === undefined) return Infinity;
      if (this.#buckets.has(time)) return time;
      this.#times.removeFirst();
    }
  }
}

/** The namespace never contains the separator (numbers and `start|end`), so the last one splits without doubt. */
function identity(key: unknown, namespace: Namespace): string {
  return `${encodeKey(key)}\u001f${namespace}`;
}
