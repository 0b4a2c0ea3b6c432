import { Pattern, PatternMatcher, type PatternLike } from '@rs/cep';
import { type Signal, signals } from './input.ts';
import { Tally } from './tally.ts';
import type { Finder, Loop, LoopWork } from './work.ts';

const MAX_RUNS = 1_000;

const pattern: PatternLike<Signal, Loop> = Pattern.of<Signal>()
  .begin('a', ({ type }) => type === 'a')
  .followedBy('b', ({ type }) => type === 'b')
  .oneOrMore()
  .followedBy('c', ({ type }) => type === 'c');

/** Loops that nothing ends, so that more and more runs begin: the limit holds them. What is left at the end is found by a last c. */
export function limitedLoops(events: number): LoopWork {
  return {
    name: 'loops without an end, held by maxRuns',
    events,
    signals: (count) => signals(count, { a: 500, b: 2_000, c: 0, x: 0 }),
    byMatcher: () => {
      const tally = new Tally();
      const matcher = new PatternMatcher(pattern, { maxRuns: MAX_RUNS, onLimit: 'drop-oldest' });
      const take = (signal: Signal) => {
        for (const { events: bound } of matcher.process(signal, signal.id)) {
          tally.add(bound.a[0], bound.b.length, bound.b.at(-1), bound.c[0]);
        }
      };
      return {
        take,
        result: () => {
          take(LAST);
          return `${tally.toString()}, dropped ${matcher.counters.dropped}`;
        },
      };
    },
    byHand: () => new ByHand(),
  };
}

const LAST: Signal = { id: Number.MAX_SAFE_INTEGER, type: 'c' };

/** An a and its loop. Each length of the loop is a run; the longest one is the one that grows, and the first to be dropped. */
interface Begun {
  readonly a: Signal;
  readonly loop: Signal[];
  runs: number;
  isGrowing: boolean;
}

class ByHand implements Finder {
  /** The oldest first. */
  #begun: Begun[] = [];
  #runs = 0;
  #dropped = 0;

  take(signal: Signal): void {
    if (signal.type === 'a') {
      this.#begun.push({ a: signal, loop: [], runs: 1, isGrowing: true });
      this.#runs++;
    } else if (signal.type === 'b') {
      for (const begun of this.#begun) if (begun.isGrowing) this.#grow(begun, signal);
    }
    while (this.#runs > MAX_RUNS) this.#drop();
  }

  #grow(begun: Begun, b: Signal): void {
    begun.loop.push(b);
    // The a alone waits for nothing but the first b.
    if (begun.loop.length === 1) return;
    begun.runs++;
    this.#runs++;
  }

  #drop(): void {
    const oldest = this.#begun[0];
    if (oldest === undefined) return;
    oldest.runs--;
    oldest.isGrowing = false;
    if (oldest.runs === 0) this.#begun.shift();
    this.#runs--;
    this.#dropped++;
  }

  result(): string {
    const tally = new Tally();
    for (const { a, loop, runs } of this.#begun) {
      const longest = loop.length === 0 ? 0 : runs;
      for (let length = longest; length > 0; length--) tally.add(a, length, loop[length - 1], LAST);
    }
    return `${tally.toString()}, dropped ${this.#dropped}`;
  }
}
