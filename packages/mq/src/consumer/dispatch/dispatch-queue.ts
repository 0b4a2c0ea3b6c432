import type { Ordering } from '../subscription-options.ts';
import { Heap } from './heap.ts';
import { Lane, older } from './lane.ts';
import type { QueueEntry } from './queue-entry.ts';

export interface DispatchOptions {
  readonly ordering: Ordering;
  /** Entries that `next` lets run at the same time. With `partition` it is 1 in any case. */
  readonly concurrency: number;
  readonly maxParked: number;
}

function sooner(a: QueueEntry, b: QueueEntry): boolean {
  return a.queueDue < b.queueDue || (a.queueDue === b.queueDue && older(a, b));
}

/**
 * Decides which of a partition's entries may start. It holds no clock: what is due is told to it.
 *
 * Invariants: two entries of one lane (a key; with `partition` everything) run together only as parts of one batch, and none
 * before one that was added earlier has ended. Of all that may start, the one added first does. Nothing is ever dropped: an entry
 * is waiting, parked or running until `done` or `giveBack`.
 */
export class DispatchQueue<E extends QueueEntry> {
  readonly #ordering: Ordering;
  readonly #concurrency: number;
  readonly #maxParked: number;
  /** The first of each lane that may start, and entries without a lane. Some may not be that any more: see `#firstReady`. */
  readonly #ready = new Heap<E>(older);
  readonly #byDue = new Heap<E>(sooner);
  /** With `partition` the only lane. */
  readonly #single: Lane<E> | undefined;
  /** With `key`, a lane for each key that has entries. */
  readonly #lanes = new Map<string, Lane<E>>();
  #turn = 0;
  #size = 0;
  #running = 0;
  #parked = 0;

  constructor({ ordering, concurrency, maxParked }: DispatchOptions) {
    this.#ordering = ordering;
    this.#concurrency = ordering === 'partition' ? 1 : concurrency;
    this.#maxParked = maxParked;
    if (ordering === 'partition') this.#single = new Lane<E>();
  }

  get running(): number {
    return this.#running;
  }

  /** Entries that wait for their turn alone, or for room. */
  get queued(): number {
    return this.#size - this.#running - this.#parked;
  }

  /** Entries that wait for the time of another attempt, or in one lane with one that does. */
  get parked(): number {
    return this.#parked;
  }

  /** So many are parked that nothing further should be read. */
  get full(): boolean {
    return this.#parked >= this.#maxParked;
  }

  /** The earliest time at which `unparkDue` has something to do. */
  get nextDue(): number | undefined {
    return this.#byDue.first()?.queueDue;
  }

  /** Entries come in the order of their ids. */
  add(entry: E): void {
    this.#enter(entry);
    entry.queueState = 'waiting';
    const lane = this.#laneOf(entry);
    if (lane === undefined) {
      this.#ready.add(entry);
      return;
    }
    lane.add(entry);
    if (lane.parked > 0) this.#parked++;
    this.#offer(lane, entry);
  }

  /**
   * Adds an entry that waits for another attempt. At a takeover these come in the order of ids, among the others. An entry that has
   * ended may come back by this, and has its old place.
   */
  addParked(entry: E, dueAt: number): void {
    this.#enter(entry);
    this.#holdBack(entry, dueAt, this.#laneOf(entry));
  }

  /** The next entry that may start, which is running from now on. */
  next(): E | undefined {
    if (this.#running >= this.#concurrency) return undefined;
    const entry = this.#firstReady();
    if (entry === undefined) return undefined;
    this.#ready.take();
    this.#start(entry);
    return entry;
  }

  /**
   * Entries that may be handled together, in order, running from now on; none while any entry is running. Several of one key may be
   * among them.
   */
  nextBatch(max: number): E[] {
    const batch: E[] = [];
    if (this.#running > 0) return batch;
    // What follows an entry of the batch in its lane may go with it, but is not ready: its lane is running.
    const following = new Heap<E>(older);
    while (batch.length < max) {
      const follower = following.first();
      const first = this.#firstReady();
      const fromLane = follower !== undefined && (first === undefined || older(follower, first));
      const entry = fromLane ? following.take() : this.#ready.take();
      if (entry === undefined) break;
      const lane = this.#start(entry);
      batch.push(entry);
      const behind = lane?.first();
      if (behind !== undefined && behind.queueState === 'waiting') following.add(behind);
    }
    return batch;
  }

  /** Ends an entry that was running. False when it was not. */
  done(entry: E): boolean {
    if (!this.#stop(entry)) return false;
    entry.queueState = 'gone';
    this.#size--;
    const lane = this.#laneOf(entry);
    if (lane !== undefined) this.#leave(lane, entry);
    return true;
  }

  /** Lets an entry that was running wait for another attempt. False when it was not. */
  park(entry: E, dueAt: number): boolean {
    if (!this.#stop(entry)) return false;
    const lane = this.#laneOf(entry);
    if (lane !== undefined) lane.running--;
    this.#holdBack(entry, dueAt, lane);
    const first = lane?.first();
    if (lane !== undefined && first !== undefined) this.#offer(lane, first);
    return true;
  }

  /** Lets entries whose time has come start again, each before those of its lane that were added later. Returns how many there were. */
  unparkDue(now: number): number {
    let count = 0;
    for (let entry = this.#byDue.first(); entry !== undefined; entry = this.#byDue.first()) {
      if (entry.queueDue > now) break;
      this.#byDue.take();
      this.#release(entry);
      count++;
    }
    return count;
  }

  /** Empties the queue of all that is not running, and returns it in order. */
  giveBack(): E[] {
    const entries = [...this.#ready.drain(), ...this.#byDue.drain()].filter(
      ({ queueState }) => queueState === 'waiting' || queueState === 'parked',
    );
    const lanes = this.#single === undefined ? [...this.#lanes] : [['', this.#single] as const];
    for (const [key, lane] of lanes) {
      lane.parked = 0;
      for (let entry = lane.take(); entry !== undefined; entry = lane.take()) entries.push(entry);
      if (lane.running === 0) this.#lanes.delete(key);
    }
    const unique = [...new Set(entries)].sort((a, b) => a.queueTurn - b.queueTurn);
    for (const entry of unique) entry.queueState = 'gone';
    this.#size = this.#running;
    this.#parked = 0;
    return unique;
  }

  #enter(entry: E): void {
    if (entry.queueState === 'new') entry.queueTurn = this.#turn++;
    this.#size++;
  }

  /** The lane of an entry, made where needed; `undefined` for one that is free of all others. */
  #laneOf({ key }: E): Lane<E> | undefined {
    if (this.#ordering !== 'key' || key === undefined) return this.#single;
    let lane = this.#lanes.get(key);
    if (lane === undefined) {
      lane = new Lane<E>();
      this.#lanes.set(key, lane);
    }
    return lane;
  }

  /** Makes an entry ready if it has just become the one whose turn it is. */
  #offer(lane: Lane<E>, entry: E): void {
    if (lane.running === 0 && lane.first() === entry && entry.queueState === 'waiting')
      this.#ready.add(entry);
  }

  /**
   * The first that may start. One that came back may have stepped in front of one that was ready; that one is offered again when its
   * turn comes, and so may be there twice.
   */
  #firstReady(): E | undefined {
    for (let entry = this.#ready.first(); entry !== undefined; entry = this.#ready.first()) {
      if (entry.queueState === 'waiting') {
        const lane = this.#laneOf(entry);
        if (lane === undefined || (lane.running === 0 && lane.first() === entry)) return entry;
      }
      this.#ready.take();
    }
    return undefined;
  }

  #start(entry: E): Lane<E> | undefined {
    entry.queueState = 'running';
    this.#running++;
    const lane = this.#laneOf(entry);
    if (lane === undefined) return undefined;
    lane.take();
    lane.running++;
    // Only a batch with a follower that is due can be behind others that are parked.
    if (lane.parked > 0) this.#parked--;
    return lane;
  }

  #stop(entry: E): boolean {
    if (entry.queueState !== 'running') return false;
    this.#running--;
    return true;
  }

  #leave(lane: Lane<E>, entry: E): void {
    lane.running--;
    const first = lane.first();
    if (first !== undefined) this.#offer(lane, first);
    else if (lane.running === 0 && entry.key !== undefined) this.#lanes.delete(entry.key);
  }

  #holdBack(entry: E, dueAt: number, lane: Lane<E> | undefined): void {
    entry.queueState = 'parked';
    entry.queueDue = dueAt;
    this.#byDue.add(entry);
    if (lane === undefined) {
      this.#parked++;
      return;
    }
    const held = lane.held;
    lane.putBack(entry);
    lane.parked++;
    this.#parked += lane.held - held;
  }

  #release(entry: E): void {
    entry.queueState = 'waiting';
    const lane = this.#laneOf(entry);
    if (lane === undefined) {
      this.#parked--;
      this.#ready.add(entry);
      return;
    }
    const held = lane.held;
    lane.parked--;
    this.#parked += lane.held - held;
    this.#offer(lane, entry);
  }
}
