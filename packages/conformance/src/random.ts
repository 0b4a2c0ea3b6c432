import type { InputMessage } from './case.ts';
import { type Event, EVENTS } from './input.ts';

export interface RandomEvents {
  /** Equal seeds give equal events. */
  readonly seed: number;
  readonly count: number;
  readonly keys: number;
  /** How far a time may be off the line on which they all rise; two milliseconds from one event to the next. */
  readonly disorder: number;
}

/** Events in an order that is not that of their times. Amounts are from 0 to 9. */
export function randomEvents({ seed, count, keys, disorder }: RandomEvents): InputMessage[] {
  const next = generator(seed);
  return Array.from({ length: count }, (_, i) => {
    const at = i * 2 + (next() % (2 * disorder + 1)) - disorder;
    const value: Event = { key: `k${next() % keys}`, amount: next() % 10, at };
    return { topic: EVENTS.name, key: value.key, value, timestamp: at };
  });
}

/** Integers from 0: mulberry32. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}
