import type { Signal } from './input.ts';

/** Something that looks for loops in events which come one by one. */
export interface Finder {
  take(signal: Signal): void;
  /** What it has found and what it holds, as text; the same for all finders of the same work. */
  result(): string;
}

/** The stages of the patterns: a loop of b between an a and a c. */
export type Loop = Readonly<Record<'a' | 'b' | 'c', Signal>>;

/** A pattern with a loop, the events for it, and two ways to find it. */
export interface LoopWork {
  readonly name: string;
  /** Events of the smallest run; the others have two and four times as many. */
  readonly events: number;
  readonly signals: (count: number) => Iterable<Signal>;
  readonly byHand: () => Finder;
  readonly byMatcher: () => Finder;
}
