import { Pattern, PatternMatcher, type PatternLike } from '@rs/cep';
import { type Signal, signals } from './input.ts';
import { Tally } from './tally.ts';
import type { Finder, Loop, LoopWork } from './work.ts';

const MILLIS = 10_000;

const pattern: PatternLike<Signal, Loop> = Pattern.of<Signal>()
  .begin('a', ({ type }) => type === 'a')
  .followedBy('b', ({ type }) => type === 'b')
  .oneOrMore()
  .until(({ type }) => type === 'x')
  .followedBy('c', ({ type }) => type === 'c')
  .within(MILLIS);

/** A loop that a condition and the time end: what has begun is held for ten seconds, so it stays about as much. */
export function loopInTime(events: number): LoopWork {
  return {
    name: 'relaxed loop in a time',
    events,
    signals: (count) => signals(count, { a: 200, b: 2_000, c: 2, x: 500 }),
    byMatcher: () => {
      const tally = new Tally();
      const matcher = new PatternMatcher(pattern);
      return {
        take: (signal) => {
          for (const { events: bound } of matcher.process(signal, signal.id)) {
            tally.add(bound.a[0], bound.b.length, bound.b.at(-1), bound.c[0]);
          }
        },
        result: () => `${tally.toString()}, ${matcher.counters.liveRuns} can go on`,
      };
    },
    byHand: () => new ByHand(),
  };
}

/** An a in time, and the loop behind it. */
interface Begun {
  readonly a: Signal;
  readonly loop: Signal[];
  /** So much of the loop has had its c. */
  ended: number;
  isOpen: boolean;
}

class ByHand implements Finder {
  readonly #tally = new Tally();
  /** The oldest first. */
  #begun: Begun[] = [];

  take(signal: Signal): void {
    while (this.#begun[0] !== undefined && this.#begun[0].a.id + MILLIS <= signal.id) this.#begun.shift();
    if (signal.type === 'a') {
      this.#begun.push({ a: signal, loop: [], ended: 0, isOpen: true });
    } else if (signal.type === 'b') {
      for (const begun of this.#begun) if (begun.isOpen) begun.loop.push(signal);
    } else if (signal.type === 'x') {
      for (const begun of this.#begun) if (begun.loop.length > 0) begun.isOpen = false;
    } else if (signal.type === 'c') {
      for (const begun of this.#begun) this.#end(begun, signal);
      this.#begun = this.#begun.filter(({ isOpen }) => isOpen);
    }
  }

  /** A match for each length of the loop that has had no c yet. */
  #end(begun: Begun, c: Signal): void {
    for (let length = begun.loop.length; length > begun.ended; length--) {
      this.#tally.add(begun.a, length, begun.loop[length - 1], c);
    }
    begun.ended = begun.loop.length;
  }

  /** Each length of a loop is a run, and so is an a without one, and a loop that may still get longer. */
  result(): string {
    let canGoOn = 0;
    for (const { loop, ended, isOpen } of this.#begun) {
      canGoOn += Math.max(loop.length - ended, isOpen ? 1 : 0);
    }
    return `${this.#tally.toString()}, ${canGoOn} can go on`;
  }
}
