import type { Timers } from '../time/timers.ts';

/** Portions per second, when there is a rate: what comes in one lump is no rate. */
const PORTIONS = 10;
const MAX_PORTION = 200;

/** Spreads work over time: `rate` per second at most, in portions. */
export class Pace {
  /** How much may be done at once. */
  readonly portion: number;
  readonly #timers: Pick<Timers, 'monotonic' | 'after'>;
  readonly #rate: number | undefined;
  #next: number;

  constructor(timers: Pick<Timers, 'monotonic' | 'after'>, rate: number | undefined) {
    this.#timers = timers;
    this.#rate = rate;
    this.#next = timers.monotonic();
    this.portion = rate === undefined ? MAX_PORTION : Math.min(MAX_PORTION, Math.ceil(rate / PORTIONS));
  }

  /**
   * Fulfilled when it is time for the next portion. What was missed is not made up for: that would come in a lump.
   *
   * @param size how much is going to be done
   * @throws the signal's reason
   */
  async wait(size: number, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (this.#rate === undefined) return;
    const left = this.#next - this.#timers.monotonic();
    if (left > 0) await this.#pause(left, signal);
    this.#next = Math.max(this.#next, this.#timers.monotonic()) + (size / this.#rate) * 1_000;
  }

  async #pause(millis: number, signal: AbortSignal | undefined): Promise<void> {
    await new Promise<void>((resolve) => {
      const end = (): void => {
        cancel();
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const cancel = this.#timers.after(millis, end);
      signal?.addEventListener('abort', end);
    });
    signal?.throwIfAborted();
  }
}
