import type { OperatorMeta } from './operator.ts';
import type { FiringTimer, TimerKind } from './timed-operator.ts';

/** Where an item about time had to stop, since more timers were due than may fire. */
export interface TimeStop<P = unknown> {
  /** Time has not come to what stands here or behind it. */
  readonly place: P;
  /** False when an operator only had to wait until the one before it was through. */
  readonly exhausted: boolean;
}

interface Move<P> {
  readonly operator: object;
  readonly place: P;
  readonly before: OperatorMeta;
}

/**
 * For a driver that lets time advance in steps: it says how many timers may fire, and the operator that has more of them due
 * stops and tells nobody behind it of the time that has come. It hears of it once more when more may fire.
 *
 * Invariant: operators fire in the order of a chain of calls. None goes on with an item about time while one before it has
 * timers left.
 */
export class StepwiseTime<P = unknown> {
  /** True while what is known about time is said again: who merges it says it again too, whether or not it is news. */
  repeating = false;
  /** Timers that have fired since the last commit. */
  fired = 0;
  /** The first of them. */
  first: FiringTimer | undefined = undefined;
  /** True when {@link moved} is of use: the batch may be committed in parts. */
  keepsMoves = false;
  readonly #places: { reserve(): P };
  #left = Infinity;
  #bounded: TimerKind | undefined;
  /** The operator that waits for a promise of a timer's. */
  #holder: object | undefined;
  #stop: TimeStop<P> | undefined;
  #moves: Move<P>[] = [];

  constructor(places: { reserve(): P }) {
    this.#places = places;
  }

  get bounded(): boolean {
    return this.#bounded !== undefined;
  }

  /** Where the item had to stop; `undefined` when it went all the way. */
  get stop(): TimeStop<P> | undefined {
    return this.#stop;
  }

  /**
   * From now on so many timers may fire; `undefined`: all.
   *
   * @param kind whose turn it is: where the clock makes timers fire, the event timers that they register in the past are a part
   *   of them
   */
  bound(timers: number | undefined, kind: TimerKind = 'event'): void {
    this.#bounded = timers === undefined ? undefined : kind;
    this.#left = timers ?? Infinity;
    this.#holder = undefined;
    this.#stop = undefined;
  }

  mayFire(operator: object, kind: TimerKind): boolean {
    if (this.#bounded === undefined) return true;
    if (this.holdsBack(operator)) return false;
    if (this.#left > 0 || (this.#bounded === 'processing' && kind === 'event')) return true;
    this.exhaust();
    return false;
  }

  firing(timer: FiringTimer): void {
    if (this.fired++ === 0) this.first = timer;
    this.#left--;
  }

  /** The operator that fires has no more timers that may fire, though more are due. */
  exhaust(): void {
    this.#holder = undefined;
    this.#stop = { place: this.#places.reserve(), exhausted: true };
  }

  /** The operator that fires waits for a promise: those behind it must not go on meanwhile. */
  wait(operator: object): void {
    if (this.#bounded !== undefined) this.#holder = operator;
  }

  /** Everything that was due has fired, and those behind the operator know. */
  through(operator: object): void {
    if (this.#holder === operator) this.#holder = undefined;
  }

  /** True when an operator must not go on with an item about time, nor send it on. */
  holdsBack(operator: object): boolean {
    if (this.#bounded === undefined || operator === this.#holder) return false;
    if (this.#stop !== undefined) return true;
    if (this.#holder === undefined) return false;
    this.#stop = { place: this.#places.reserve(), exhausted: false };
    return true;
  }

  /** What an operator knows about time is about to change. @param before its facts until now */
  moved(operator: object, before: OperatorMeta): void {
    this.#moves.push({ operator, place: this.#places.reserve(), before });
  }

  /**
   * What operators knew when only a part of the batch was done: facts of those that know more now.
   *
   * @param done says what belongs to that part
   */
  factsAt(done: (place: P) => boolean): ReadonlyMap<object, OperatorMeta> {
    const facts = new Map<object, OperatorMeta>();
    for (const { operator, place, before } of this.#moves)
      if (!facts.has(operator) && !done(place)) facts.set(operator, before);
    return facts;
  }

  /** A commit holds what was done. @param done says what that is; default: everything */
  committed(done?: (place: P) => boolean): void {
    this.fired = 0;
    this.first = undefined;
    this.#moves = done === undefined ? [] : this.#moves.filter(({ place }) => !done(place));
  }

  /** Everything since the last commit was undone. */
  reset(): void {
    this.bound(undefined);
    this.repeating = false;
    this.committed();
  }
}
