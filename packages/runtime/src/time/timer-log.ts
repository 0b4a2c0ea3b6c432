import { type Entry, partsOf } from './timer-entry.ts';

/** A change since the last commit; absolute, so that applying it twice is the same as once. */
export interface TimerChange {
  readonly op: 'add' | 'remove';
  readonly time: number;
  /** Canonical text of the key. */
  readonly key: string;
  readonly namespace: string;
}

interface Logged {
  readonly op: TimerChange['op'];
  readonly entry: Entry;
  /** True when it is known that the timer was not there before. */
  readonly fresh: boolean;
}

/** What was done to the timers of a queue since the last commit, newest last. */
export class TimerLog {
  #steps: Logged[] = [];
  /** True when a timer may stand in it more than once. */
  #repeats = false;

  get size(): number {
    return this.#steps.length;
  }

  /** @param fresh true when it is known that there was no such timer before */
  added(entry: Entry, fresh: boolean): void {
    this.#steps.push({ op: 'add', entry, fresh });
    this.#repeats ||= !fresh;
  }

  removed(entry: Entry): void {
    this.#repeats = true;
    this.#steps.push({ op: 'remove', entry, fresh: false });
  }

  steps(): readonly Logged[] {
    return this.#steps;
  }

  /** Takes the last step out; `undefined` when none is left. */
  pop(): Logged | undefined {
    return this.#steps.pop();
  }

  clear(): void {
    this.#steps = [];
    this.#repeats = false;
  }

  /** What comes of all of it: one change for each timer, none for those that came and went. */
  changes(): TimerChange[] {
    return (this.#repeats ? lasting(this.#steps) : this.#steps).map(({ op, entry }) => ({
      op,
      time: entry.time,
      ...partsOf(entry),
    }));
  }
}

function lasting(steps: readonly Logged[]): Logged[] {
  const times = new Map<number, Map<string, { readonly first: Logged; last: Logged }>>();
  for (const step of steps) {
    const { time, id } = step.entry;
    const timers = times.get(time) ?? new Map<string, { readonly first: Logged; last: Logged }>();
    times.set(time, timers);
    const known = timers.get(id);
    if (known === undefined) timers.set(id, { first: step, last: step });
    else known.last = step;
  }
  return [...times.values()].flatMap((timers) =>
    [...timers.values()].flatMap(({ first, last }) => (last.op === 'remove' && first.fresh ? [] : [last])),
  );
}
