import type { Namespace } from '../state/cell.ts';
import { NumberHeap } from './number-heap.ts';
import { TimerBucket } from './timer-bucket.ts';
import { type DueTimer, type Entry, identity, inFiringOrder, newEntry, type Timer } from './timer-entry.ts';
import { type TimerChange, TimerLog } from './timer-log.ts';

/** Times without a bucket that the heap may hold before it is worth clearing them out. */
const MIN_STALE_TIMES = 64;

/**
 * Timers of one operator and one kind, fired in the order (time, key, namespace), one for each of these triples.
 * The order does not depend on that of registration, so every engine fires alike, however it stores timers.
 *
 * Over a backend only the first timers are in memory. Invariant: all up to the horizon are here, and none behind it; what is
 * done to those is written down without looking.
 */
export class TimerQueue {
  /**
   * Time of the first timer, or of the horizon where none is in memory: the first one comes no earlier. `Infinity` when there is
   * none. A field, since operators look at it for every record.
   */
  next = Infinity;
  readonly #times = new NumberHeap();
  readonly #buckets = new Map<number, TimerBucket>();
  #size = 0;
  /** Changes since the last commit, where they are tracked. */
  readonly #log: TimerLog | undefined;
  /** The last timer that was read into memory; `undefined` when there are no others. */
  #horizon: Entry | undefined;
  /** The first timer that must not fire now. */
  #fence: Entry | undefined;

  constructor(options: { tracked: boolean }) {
    this.#log = options.tracked ? new TimerLog() : undefined;
  }

  /** Returns false when the timer is known to have been there already. */
  add(time: number, key: unknown, namespace: Namespace, depth = 0): boolean {
    const entry = newEntry(time, key, namespace, depth);
    if (this.#horizon !== undefined && this.#isBehindHorizon(entry)) {
      this.#log?.added(entry, false);
      return true;
    }
    if (this.#buckets.get(time)?.entries.has(entry.id) === true) return false;
    this.#insert(entry);
    this.#log?.added(entry, true);
    return true;
  }

  /** True for a timer in memory. */
  has(time: number, key: unknown, namespace: Namespace): boolean {
    return this.#buckets.get(time)?.entries.has(identity(key, namespace)) === true;
  }

  /** Returns false when the timer is known not to have been there. */
  delete(time: number, key: unknown, namespace: Namespace): boolean {
    const bucket = this.#buckets.get(time);
    const entry = bucket?.entries.get(identity(key, namespace));
    if (bucket !== undefined && entry !== undefined) {
      this.#remove(bucket, entry);
      this.#log?.removed(entry);
      return true;
    }
    return this.#horizon !== undefined && this.#deleteUnseen(newEntry(time, key, namespace, 0));
  }

  /** True unless no timer is due at `limit`: one in memory, or one that may be behind the horizon. */
  mayHaveDue(limit: number): boolean {
    return this.next <= limit && (this.#size > 0 || this.#horizon !== undefined);
  }

  /** True when there is a timer for {@link takeDue} to take. */
  canTake(limit: number): boolean {
    if (this.next > limit) return false;
    const entry = this.#buckets.get(this.next)?.first();
    if (entry === undefined) return false;
    return this.#fence === undefined || inFiringOrder(entry, this.#fence) < 0;
  }

  /** Removes and returns the first timer that is due at `limit`, if it is in memory and may fire. */
  takeDue(limit: number): DueTimer | undefined {
    if (this.next > limit) return undefined;
    const bucket = this.#buckets.get(this.next);
    if (bucket === undefined || (this.#fence !== undefined && !this.canTake(limit))) return undefined;
    const entry = bucket.takeFirst();
    if (entry === undefined) return undefined;
    this.#removed(bucket, entry.time);
    this.#log?.removed(entry);
    return entry;
  }

  /** The timers in memory that are due at `limit` and may fire, in no particular order. */
  *due(limit: number): IterableIterator<Timer> {
    if (limit < this.next) return; // Asked for every batch, mostly when nothing is due.
    const fence = this.#fence;
    for (const [time, { entries }] of this.#buckets) {
      if (time > limit || (fence !== undefined && time > fence.time)) continue;
      if (time !== fence?.time) yield* entries.values();
      else for (const entry of entries.values()) if (inFiringOrder(entry, fence) < 0) yield entry;
    }
  }

  /** How many timers in memory are due at `limit`, time by time, in no particular order. */
  *counts(limit: number): IterableIterator<readonly [time: number, timers: number]> {
    if (limit < this.next) return;
    for (const [time, { entries }] of this.#buckets) if (time <= limit) yield [time, entries.size];
  }

  /** Until {@link lift}, no timers may fire but the first `count` that are due at `limit`, and what is registered before them. */
  fence(limit: number, count: number): void {
    this.#fence = undefined;
    if (limit < this.next) return;
    let left = count;
    for (const [, bucket] of this.#inOrder(limit)) {
      if (bucket.entries.size > left) {
        this.#fence = bucket.sorted()[left];
        return;
      }
      left -= bucket.entries.size;
    }
  }

  lift(): void {
    this.#fence = undefined;
  }

  /** All timers in memory, in the order of firing. */
  all(): Timer[] {
    return this.#inOrder().flatMap(([, bucket]) => bucket.sorted());
  }

  /** Timers in memory. */
  get size(): number {
    return this.#size;
  }

  /** True when no timers are behind the horizon. */
  get whole(): boolean {
    return this.#horizon === undefined;
  }

  /** Timers in memory, and changes that are not committed: among the first `known` stored timers all in memory are found. */
  get known(): number {
    return this.#size + (this.#log?.size ?? 0);
  }

  /** True when there may be timers behind the horizon among the first `count` that are due at `limit`. */
  lacks(limit: number, count: number): boolean {
    return this.#horizon !== undefined && this.#horizon.time <= limit && this.#size < count;
  }

  /** Puts back a timer when state is read. */
  load(time: number, key: unknown, namespace: Namespace): void {
    this.#insert(newEntry(time, key, namespace, 0));
  }

  /**
   * Takes the stored timers that come first into memory, in place of what is there; what was done since the last commit is done
   * to them.
   *
   * @param timers in the order of firing
   * @param more true when there are others behind them
   */
  fill(timers: readonly Timer[], more: boolean): void {
    this.clear();
    for (const { time, key, namespace } of timers) this.load(time, key, namespace);
    const last = timers.at(-1);
    if (more && last !== undefined) this.#setHorizon(newEntry(last.time, last.key, last.namespace, 0));
    for (const { op, entry } of this.#log?.steps() ?? []) {
      const bucket = this.#buckets.get(entry.time);
      const present = bucket?.entries.has(entry.id) === true;
      if (op === 'remove' && bucket !== undefined && present) this.#remove(bucket, entry);
      else if (op === 'add' && !present) this.#reinsert(entry);
    }
  }

  /** Forgets all but the first `count` timers, which are to be read again when their time comes. Only after a commit. */
  trim(count: number): void {
    if (this.#size <= count) return;
    let left = count;
    let last: TimerBucket | undefined;
    for (const [time, bucket] of this.#inOrder()) {
      const { size } = bucket.entries;
      if (left === 0) {
        this.#drop(time, bucket);
        continue;
      }
      if (size > left) for (const entry of bucket.sorted().slice(left)) this.#remove(bucket, entry);
      left = Math.max(0, left - size);
      last = bucket;
    }
    const horizon = last?.sorted().at(-1);
    if (horizon !== undefined) this.#setHorizon(horizon);
  }

  /** Forgets all timers. */
  clear(): void {
    this.#buckets.clear();
    this.#times.replace([]);
    this.#size = 0;
    this.#horizon = undefined;
    this.#fence = undefined;
    this.next = Infinity;
  }

  changes(): TimerChange[] {
    return this.#log?.changes() ?? [];
  }

  committed(): void {
    this.#log?.clear();
  }

  rollback(): void {
    this.#fence = undefined;
    for (let step = this.#log?.pop(); step !== undefined; step = this.#log?.pop()) {
      const { op, entry } = step;
      const bucket = this.#buckets.get(entry.time);
      if (op === 'remove') this.#reinsert(entry);
      else if (bucket?.entries.has(entry.id) === true) this.#remove(bucket, entry);
    }
    this.#log?.clear();
  }

  #isBehindHorizon(entry: Entry): boolean {
    return this.#horizon !== undefined && inFiringOrder(entry, this.#horizon) > 0;
  }

  #deleteUnseen(entry: Entry): boolean {
    if (!this.#isBehindHorizon(entry)) return false;
    this.#log?.removed(entry);
    return true;
  }

  #setHorizon(last: Entry): void {
    this.#horizon = last;
    this.next = this.#findNext();
  }

  /** Puts in a timer that may belong behind the horizon. */
  #reinsert(entry: Entry): void {
    if (!this.#isBehindHorizon(entry)) this.#insert(entry);
  }

  #insert(entry: Entry): void {
    let bucket = this.#buckets.get(entry.time);
    if (bucket === undefined) {
      bucket = new TimerBucket();
      this.#buckets.set(entry.time, bucket);
      this.#addTime(entry.time);
      if (entry.time < this.next) this.next = entry.time;
    }
    bucket.add(entry);
    this.#size++;
  }

  #remove(bucket: TimerBucket, { time, id }: Entry): void {
    bucket.entries.delete(id);
    this.#removed(bucket, time);
  }

  #removed(bucket: TimerBucket, time: number): void {
    this.#size--;
    if (bucket.entries.size > 0) return;
    this.#buckets.delete(time);
    if (time === this.next) this.next = this.#findNext();
  }

  #drop(time: number, { entries }: TimerBucket): void {
    this.#size -= entries.size;
    this.#buckets.delete(time);
  }

  #inOrder(limit = Infinity): (readonly [time: number, bucket: TimerBucket])[] {
    // Each time stands there once; it may be infinite.
    return [...this.#buckets].filter(([time]) => time <= limit).sort(([a], [b]) => (a < b ? -1 : 1));
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
      if (time === undefined) return this.#horizon?.time ?? Infinity;
      if (this.#buckets.has(time)) return time;
      this.#times.removeFirst();
    }
  }
}
