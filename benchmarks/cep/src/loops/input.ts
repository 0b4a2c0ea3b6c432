import { randomNumbers } from '../random.ts';

/** One event as it comes; its id is its time in milliseconds too. */
export interface Signal {
  readonly id: number;
  readonly type: 'a' | 'b' | 'c' | 'x' | 'other';
}

/** How many of 10,000 events are of each type; the rest are `other`. */
export type Mix = Readonly<Record<Exclude<Signal['type'], 'other'>, number>>;

/** Makes so many events one by one, so that nothing holds them but who looks for the pattern; the same in every run. */
export function* signals(count: number, { a, b, c, x }: Mix): Generator<Signal, void> {
  const random = randomNumbers(2);
  for (let id = 0; id < count; id++) {
    const dice = random() % 10_000;
    const type =
      dice < a ? 'a' : dice < a + b ? 'b' : dice < a + b + c ? 'c' : dice < a + b + c + x ? 'x' : 'other';
    yield { id, type };
  }
}
