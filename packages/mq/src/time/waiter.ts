/**
 * A waiting place for one loop: `wait` is fulfilled with the next `notify`, at once when there was one since the last
 * `wait`. A notification is never lost, and many count as one.
 */
export class Waiter {
  #notified = false;
  #resume: (() => void) | undefined;

  notify(): void {
    const resume = this.#resume;
    if (resume === undefined) {
      this.#notified = true;
      return;
    }
    this.#resume = undefined;
    resume();
  }

  wait(): Promise<void> {
    if (this.#notified) {
      this.#notified = false;
      return Promise.resolve();
    }
    return new Promise((resume) => {
      this.#resume = resume;
    });
  }
}
