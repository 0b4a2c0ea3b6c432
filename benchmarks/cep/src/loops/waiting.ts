import { Pattern, PatternMatcher, type PatternLike } from '@rs/cep';
import { type Signal, signals } from './input.ts';
import { Tally } from './tally.ts';
import type { Finder, LoopWork } from './work.ts';

const MILLIS = 20_000;

const pattern: PatternLike<Signal, Readonly<Record<'a' | 'c', Signal>>> = Pattern.of<Signal>()
  .begin('a', ({ type }) => type === 'a')
  .followedBy('c', ({ type }) => type === 'c')
  .within(MILLIS);

/** No loop, but ten thousand beginnings that wait: an event that concerns none of them must not be shown to each. A last c finds them. */
export function waitingRuns(events: number): LoopWork {
  return {
    name: 'ten thousand that wait',
    events,
    signals: (count) => signals(count, { a: 5_000, b: 0, c: 0, x: 2_000 }),
    byMatcher: () => {
      const tally = new Tally();
      const matcher = new PatternMatcher(pattern);
      let last = 0;
      const take = (signal: Signal): void => {
        last = signal.id;
        for (const { events: bound } of matcher.process(signal, signal.id)) {
          tally.add(bound.a[0], 0, undefined, bound.c[0]);
        }
      };
      return {
        take,
        result: () => {
          take({ id: last + 1, type: 'c' });
          return tally.toString();
        },
      };
    },
    byHand: () => new ByHand(),
  };
}

class ByHand implements Finder {
  #waiting: Signal[] = [];
  #from = 0;
  #last = 0;

  take(signal: Signal): void {
    this.#last = signal.id;
    if (signal.type === 'a') this.#waiting.push(signal);
    while ((this.#waiting[this.#from]?.id ?? Infinity) + MILLIS <= signal.id) this.#from++;
    if (2 * this.#from < this.#waiting.length) return;
    this.#waiting = this.#waiting.slice(this.#from);
    this.#from = 0;
  }

  result(): string {
    const tally = new Tally();
    const c: Signal = { id: this.#last + 1, type: 'c' };
    for (const a of this.#waiting.slice(this.#from)) {
      if (a.id + MILLIS > c.id) tally.add(a, 0, undefined, c);
    }
    return tally.toString();
  }
}
