import type { Timers } from '@rs/mq';

/** How long a partition that could not be worked on is left alone, doubling from time to time. */
const REST = { initial: 500, max: 30_000 } as const;
/** A partition that went well for so long, in milliseconds, begins with the shortest rest again. */
const FORGIVEN = 60_000;

interface Rest {
  readonly until: number;
  readonly length: number;
}

/** Partitions that are left alone for a while since work on them has failed. */
export class Rests {
  readonly #timers: Pick<Timers, 'monotonic'>;
  readonly #rests = new Map<number, Rest>();

  constructor(timers: Pick<Timers, 'monotonic'>) {
    this.#timers = timers;
  }

  /** It could not be worked on: it is left alone for a while, a longer one each time, `max` milliseconds at most. */
  begin(partition: number, max: number = REST.max): void {
    const now = this.#timers.monotonic();
    const before = this.#rests.get(partition);
    const length =
      before === undefined || now > before.until + FORGIVEN ? REST.initial : Math.min(before.length * 2, max);
    this.#rests.set(partition, { until: now + length, length });
  }

  /** Milliseconds that it still rests. */
  left(partition: number): number {
    return Math.max(0, (this.#rests.get(partition)?.until ?? 0) - this.#timers.monotonic());
  }

  /** Milliseconds until the first of those that rest has rested; `Infinity` when none does. */
  get shortest(): number {
    return Math.min(...this.resting.map((partition) => this.left(partition)));
  }

  get resting(): number[] {
    return [...this.#rests.keys()].filter((partition) => this.left(partition) > 0);
  }
}
