import { Pattern, PatternMatcher, type PatternLike } from '@rs/cep';
import { type Signal, signals } from './input.ts';
import { Tally } from './tally.ts';
import type { Finder, Loop, LoopWork } from './work.ts';

const pattern: PatternLike<Signal, Loop> = Pattern.of<Signal>()
  .begin('a', ({ id }) => id === 0)
  .followedBy('b', ({ type }) => type === 'b')
  .oneOrMore()
  .greedy()
  .followedBy('c', ({ type }) => type === 'c');

/** A single loop that takes half of all events and holds them until the end: so what is held grows with the events, and no faster. */
export function heldLoop(events: number): LoopWork {
  return {
    name: 'loop that holds its events',
    events,
    signals: (count) => signals(count, { a: 0, b: 5_000, c: 0, x: 0 }),
    byMatcher: () => {
      const tally = new Tally();
      const matcher = new PatternMatcher(pattern, { maxEventsPerRun: Infinity });
      const take = (signal: Signal) => {
        for (const { events: bound } of matcher.process(signal, signal.id)) {
          tally.add(bound.a[0], bound.b.length, bound.b.at(-1), bound.c[0]);
        }
      };
      return {
        take,
        result: () => {
          const held = matcher.counters.events;
          take(LAST);
          return `${tally.toString()}, held ${held}`;
        },
      };
    },
    byHand: () => new ByHand(),
  };
}

const LAST: Signal = { id: Number.MAX_SAFE_INTEGER, type: 'c' };

class ByHand implements Finder {
  readonly #held: Signal[] = [];

  take(signal: Signal): void {
    if (signal.type === 'b' || signal.id === 0) this.#held.push(signal);
  }

  result(): string {
    const tally = new Tally();
    tally.add(this.#held[0], this.#held.length - 1, this.#held.at(-1), LAST);
    return `${tally.toString()}, held ${this.#held.length}`;
  }
}
