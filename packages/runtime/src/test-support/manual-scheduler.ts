import { MAX_DELAY, type Scheduler } from '../time/scheduler.ts';
import { turn } from './turn.ts';

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/** A scheduler whose time the test moves by hand. Longer waits end after the longest one, as those of `setTimeout` do. */
export class ManualScheduler implements Scheduler {
  /** Every delay that was asked for, in order. */
  readonly delays: number[] = [];
  /** How often others were given their turn. */
  breaths = 0;
  readonly #timers = new Set<Timer>();
  #now = 0;

  /** Timers that are waited for. */
  get pending(): number {
    return this.#timers.size;
  }

  after(delay: number, callback: () => void): () => void {
    this.delays.push(delay);
    const timer = { at: this.#now + Math.min(delay, MAX_DELAY), callback };
    this.#timers.add(timer);
    return () => void this.#timers.delete(timer);
  }

  breathe(): Promise<void> {
    this.breaths++;
    return turn();
  }

  /** Lets time pass, stopping at each timer that becomes due. */
  async advance(millis: number): Promise<void> {
    const end = this.#now + millis;
    await turn();
    for (let timer = this.#first(end); timer !== undefined; timer = this.#first(end)) {
      this.#timers.delete(timer);
      this.#now = timer.at;
      timer.callback();
      await turn();
    }
    this.#now = end;
  }

  #first(end: number): Timer | undefined {
    return [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
  }
}
