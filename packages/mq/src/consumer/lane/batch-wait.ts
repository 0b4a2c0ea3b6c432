import type { Timers } from '../../time/timers.ts';

/** The time that a batch which is not full waits for more messages. */
export class BatchWait {
  readonly #timers: Timers;
  readonly #onOver: () => void;
  #cancel: (() => void) | undefined;
  #over = false;

  constructor(timers: Timers, onOver: () => void) {
    this.#timers = timers;
    this.#onOver = onOver;
  }

  /** The time is over, and no batch has started since. */
  get over(): boolean {
    return this.#over;
  }

  /** Without effect while one waits already. */
  begin(ms: number): void {
    this.#cancel ??= this.#timers.after(ms, () => {
      this.#over = true;
      this.#onOver();
    });
  }

  /** A batch has started, or none will. */
  end(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#over = false;
  }
}
