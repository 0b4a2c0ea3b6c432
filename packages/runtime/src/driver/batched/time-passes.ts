import type { PlannedOperator } from '../../graph/plan.ts';
import type { TimerQueues } from '../../operator/keyed-group.ts';
import { deliver } from '../../operator/stream-item.ts';
import type { StepwiseTime, TimeStop } from '../../operator/stepwise-time.ts';
import type { Task } from '../../operator/task.ts';
import { type Barrier, reachOf, type WaitingItem } from './barrier.ts';
import { comesOf, comparePlaces, type OrderCounter, type Place } from './order.ts';
import type { Prefetch } from './prefetch.ts';
import type { TimerPages } from './timer-pages.ts';

/** An item about time that waits at a barrier. */
interface Advance {
  readonly barrier: Barrier;
  readonly waiting: WaitingItem;
}

/** What is done where a batch is divided. */
export interface Division {
  /** It is going to be, and nothing is done yet. */
  begin(): void;
  /** Commits everything before an item about time, and what has come of it so far. */
  commit(at: Place): Promise<void>;
}

export interface TimePassesParts {
  readonly task: Task;
  readonly stepwise: StepwiseTime<Place>;
  readonly counter: OrderCounter;
  /** In the order in which batches flow. */
  readonly barriers: readonly Barrier[];
  readonly pages: TimerPages;
  readonly prefetch: Prefetch;
  readonly operators: readonly PlannedOperator[];
  /** How many timers may fire between two commits. */
  readonly limit: number;
}

/**
 * Takes a batch through the barriers, and divides it where a watermark, or the end, makes more timers due than may fire in one
 * commit: what comes before it is processed, then it fires what may fire, a commit is made, and it fires on.
 *
 * Such an item goes through the operators in the order of a chain of calls, depth first. Where an operator has to stop, those that
 * come later in that order have not heard of it, and after the commit it goes the same way again: whoever has heard of it and has
 * fired everything just says it again. Invariant: when it stops, no record of the batch is between two operators, so that nothing
 * is lost when what still waits is dropped.
 */
export class TimePasses {
  readonly #parts: TimePassesParts;
  /** The timers of all operators. */
  readonly #queues: readonly TimerQueues[];
  readonly #max: number;
  #limit: number;
  /** True when each timer that fires has a commit of its own. */
  #alone = false;

  constructor(parts: TimePassesParts) {
    this.#parts = parts;
    this.#queues = queuesOf(parts.operators);
    this.#max = this.#limit = parts.limit;
  }

  /** How many timers may still fire in this commit. */
  get left(): number {
    return Math.max(0, this.#limit - this.#parts.stepwise.fired);
  }

  get alone(): boolean {
    return this.#alone;
  }

  /** False when a batch that begins now is not going to be divided, since no more timers wait than may fire. */
  get mayDivide(): boolean {
    const left = this.#alone ? 0 : this.left;
    if (left === Infinity) return false;
    let timers = 0;
    for (const { event, processing } of this.#queues) {
      if (!event.whole || !processing.whole) return true;
      timers += event.size + processing.size;
    }
    return timers > left;
  }

  /**
   * Fewer may fire from now on, since a commit was refused in which so many have; in the end each has a commit of its own.
   * Returns false when there cannot be fewer.
   */
  fewer(fired: number): boolean {
    if (fired === 0 || this.#alone) return false;
    this.#alone = fired === 1 || this.#limit === 1;
    this.#limit = Math.max(1, Math.floor(Math.min(this.#limit, fired) / 2));
    return true;
  }

  /** A commit was not refused. */
  more(): void {
    this.#alone = false;
    this.#limit = Math.min(this.#max, 2 * this.#limit);
  }

  /** Lets everything that waits through. */
  async drain(division: Division): Promise<void> {
    let next = await this.#firstTooMany();
    if (next !== undefined) division.begin();
    for (; next !== undefined; next = await this.#firstTooMany()) {
      const { place } = next.waiting;
      await this.drainAll((at) => comparePlaces(at, place) < 0);
      if (this.#alone) await division.commit(place);
      await this.#advance(next, division);
      if (this.#alone) await division.commit(place);
    }
    await this.drainAll();
  }

  /** The same in one go, however many timers fire. @param which default: all that wait */
  async drainAll(which?: (place: Place) => boolean): Promise<void> {
    const { task, prefetch } = this.#parts;
    for (const barrier of this.#parts.barriers) await barrier.drain(task, prefetch, which);
  }

  /** The first waiting item with which more timers are due than may fire. */
  async #firstTooMany(): Promise<Advance | undefined> {
    const { barriers } = this.#parts;
    let reach = -Infinity;
    for (const barrier of barriers) reach = Math.max(reach, barrier.reach);
    const from = await this.#tooManyFrom(reach);
    if (from === undefined) return undefined;
    let first: Advance | undefined;
    for (const barrier of barriers) {
      if (barrier.reach < from) continue;
      const waiting = barrier.waiting().find(({ item }) => item.type !== 'record' && reachOf(item) >= from);
      if (waiting !== undefined && (first === undefined || isBefore(waiting, first.waiting)))
        first = { barrier, waiting };
    }
    return first;
  }

  /** The event time from which on more timers are due than may fire; `undefined` when that comes after `reach`. */
  async #tooManyFrom(reach: number): Promise<number | undefined> {
    const left = this.#alone ? 0 : this.left;
    if (left === Infinity || reach === -Infinity) return undefined;
    // The end makes timers due on both clocks.
    const queues = this.#queues.flatMap(({ event, processing }) =>
      reach === Infinity ? [event, processing] : [event],
    );
    if (queues.every(({ next }) => next > reach)) return undefined;
    await this.#parts.pages.load(queues.map((queue) => ({ queue, limit: reach, count: left + 1 })));
    const counts = this.#queues.flatMap(({ event, processing }) => {
      const atEnd = reach === Infinity && processing.size > 0 ? [[Infinity, processing.size] as const] : [];
      return [...event.counts(reach), ...atEnd];
    });
    let due = 0;
    for (const [time, timers] of counts.sort(([a], [b]) => (a === b ? 0 : a < b ? -1 : 1))) {
      due += timers;
      if (due > left) return time;
    }
    return undefined;
  }

  async #advance(item: Advance, division: Division): Promise<void> {
    const { stepwise } = this.#parts;
    const { repeating } = stepwise;
    item.barrier.clear((place) => place === item.waiting.place);
    while (!(await this.#pass(item))) {
      await division.commit(item.waiting.place);
      stepwise.repeating = true;
    }
    stepwise.repeating = repeating;
  }

  /** Returns true when the item, and everything that comes of it, is done. */
  async #pass(item: Advance): Promise<boolean> {
    const { place } = item.waiting;
    let stop = await this.#deliver(item);
    for (;;) {
      const next = this.#firstBelow(place, stop);
      if (next === undefined) break;
      const record = this.#lastRecordBelow(place, stop);
      if (record !== undefined)
        await this.drainAll((at) => comparePlaces(at, record) <= 0 || comesOf(at, record));
      else if (stop?.exhausted === true) await this.drainAll(isBeforeStop(stop));
      else {
        next.barrier.clear((at) => at === next.waiting.place);
        stop = (await this.#deliver(next)) ?? stop;
      }
    }
    for (const barrier of this.#parts.barriers) barrier.clear((at) => comesOf(at, place));
    return stop === undefined;
  }

  /** Gives an item about time to whom it is meant for. Returns where it had to stop, if it had to. */
  async #deliver({ barrier, waiting }: Advance): Promise<TimeStop<Place> | undefined> {
    const { task, stepwise, counter, prefetch, operators } = this.#parts;
    const { place, receiver, item } = waiting;
    const { left } = this;
    counter.leave();
    if (barrier.prefetcher !== undefined) await prefetch.forAdvance(task, barrier.prefetcher, item, left);
    task.assertRunning();
    task.bound(left);
    counter.enter(place);
    task.guard(() => deliver(receiver, item));
    await task.drained();
    task.assertRunning();
    const { stop } = stepwise;
    task.bound(undefined);
    lift(operators);
    return stop;
  }

  #firstBelow(place: Place, stop: TimeStop<Place> | undefined): Advance | undefined {
    let first: Advance | undefined;
    for (const barrier of this.#parts.barriers) {
      const waiting = barrier.waiting()[0];
      if (waiting === undefined || !comesOf(waiting.place, place)) continue;
      if (stop !== undefined && !isBeforeStop(stop)(waiting.place)) continue;
      if (first === undefined || isBefore(waiting, first.waiting)) first = { barrier, waiting };
    }
    return first;
  }

  #lastRecordBelow(place: Place, stop: TimeStop<Place> | undefined): Place | undefined {
    let last: Place | undefined;
    for (const barrier of this.#parts.barriers) {
      for (const { place: at, item } of barrier.waiting()) {
        if (item.type !== 'record' || !comesOf(at, place)) continue;
        if (stop !== undefined && !isBeforeStop(stop)(at)) continue;
        if (last === undefined || comparePlaces(at, last) > 0) last = at;
      }
    }
    return last;
  }
}

/** All timers may fire again. */
export function lift(operators: readonly PlannedOperator[]): void {
  for (const { event, processing } of queuesOf(operators)) {
    event.lift();
    processing.lift();
  }
}

function queuesOf(operators: readonly PlannedOperator[]): readonly TimerQueues[] {
  return operators.flatMap(({ instance: { timers } }) => (timers === undefined ? [] : [timers]));
}

function isBefore(a: WaitingItem, b: WaitingItem): boolean {
  return comparePlaces(a.place, b.place) < 0;
}

function isBeforeStop({ place }: TimeStop<Place>): (at: Place) => boolean {
  return (at) => comparePlaces(at, place) < 0;
}
