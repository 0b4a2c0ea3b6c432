import type { Timers } from '../time/timers.ts';
import { turn } from './turn.ts';

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

/** Time that passes when a test says so. */
export class ManualTimers implements Timers {
  readonly #timers = new Set<Timer>();
  #now = 1_000;

  monotonic(): number {
    return this.#now;
  }

  after(ms: number, run: () => void): () => void {
    const timer = { at: this.#now + Math.max(0, ms), run };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  soon(run: () => void): void {
    setImmediate(run);
  }

  /** How long until the next timer, `undefined` without one. */
  get next(): number | undefined {
    const times = [...this.#timers].map(({ at }) => at);
    return times.length === 0 ? undefined : Math.min(...times) - this.#now;
  }

  /** Lets time pass, stopping at each timer that becomes due, and everything that follows at once happen. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await turn();
    for (let timer = this.#first(end); timer !== undefined; timer = this.#first(end)) {
      this.#timers.delete(timer);
      this.#now = timer.at;
      timer.run();
      await turn();
    }
    this.#now = end;
    await turn();
  }

  #first(end: number): Timer | undefined {
    return [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
  }
}
