import { randomNumbers } from '../random.ts';

/** One event as it comes; its id is its time in milliseconds too. */
export interface Step {
  readonly id: number;
  readonly key: string;
  readonly type: 'a' | 'b' | 'c';
}

export const KEYS = 1_000;

const TYPES = ['a', 'b', 'c'] as const;

/** So many events, the same in every run: keys and types are random, so one event in 27 ends a sequence a, b, c of its key. */
export function steps(count: number): Step[] {
  const keys = Array.from({ length: KEYS }, (_, index) => `key-${index}`);
  const random = randomNumbers(1);
  return Array.from({ length: count }, (_, id) => {
    const number = random();
    return { id, key: keys[number % KEYS] ?? '', type: TYPES[(number >>> 16) % 3] ?? 'a' };
  });
}
