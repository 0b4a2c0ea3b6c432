/** Those who wait until no handler of a lane runs. */
export class Quiet {
  readonly #active: () => number;
  #waiting: (() => void)[] = [];

  /** @param active how many handlers run */
  constructor(active: () => number) {
    this.#active = active;
  }

  /** Fulfilled when no handler runs. */
  wait(): Promise<void> {
    if (this.#active() === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  /** To be called whenever a handler has returned. */
  check(): void {
    if (this.#active() > 0 || this.#waiting.length === 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
