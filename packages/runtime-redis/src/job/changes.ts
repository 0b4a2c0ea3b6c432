import { abortable, type Timers } from '@rs/mq';

export interface UntilOptions {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds to wait at most. Default: no limit. */
  readonly timeout?: number | undefined;
  /** Milliseconds after which to look again, for what tells nobody that it has changed. Default: never. */
  readonly every?: number;
}

/** Tells those who wait that something about a job has changed. */
export class Changes {
  readonly #timers: Timers;
  #waiting = new Set<() => void>();

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  notify(): void {
    const waiting = this.#waiting;
    this.#waiting = new Set();
    for (const resolve of waiting) resolve();
  }

  /**
   * Waits until it is so.
   *
   * @param isSo may throw, which ends the waiting
   * @returns false when the time is up before
   * @throws the reason of the signal
   */
  async until(isSo: () => boolean, { signal, timeout, every }: UntilOptions = {}): Promise<boolean> {
    const deadline = timeout === undefined ? Infinity : this.#timers.monotonic() + timeout;
    while (!isSo()) {
      const left = deadline - this.#timers.monotonic();
      if (left <= 0) return false;
      await this.#change(Math.min(left, every ?? Infinity), signal);
    }
    return true;
  }

  async #change(longest: number, signal: AbortSignal | undefined): Promise<void> {
    let resume = (): void => undefined;
    const changed = new Promise<void>((resolve) => {
      resume = resolve;
    });
    this.#waiting.add(resume);
    const cancel = longest === Infinity ? resume : this.#timers.after(longest, resume);
    try {
      await abortable(changed, signal);
    } finally {
      cancel();
      this.#waiting.delete(resume);
    }
  }
}
