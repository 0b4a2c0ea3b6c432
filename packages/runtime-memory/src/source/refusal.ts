/**
 * Tells a source that a record was not taken, without throwing at whatever event the source was called by. A source that
 * waits for the answer can handle it; when nobody does, `ignored` is called, so that the record does not vanish silently.
 */
export class Refusal implements PromiseLike<never> {
  readonly #error: unknown;
  #heard = false;

  constructor(error: unknown, ignored: () => void) {
    this.#error = error;
    void this.#waitForListener(ignored);
  }

  // An object with `then` rather than a promise: `await` calls `then` on it, which is how listeners are noticed.
  then<R = never, E = never>(
    onFulfilled?: ((value: never) => R | PromiseLike<R>) | null,
    onRejected?: ((reason: unknown) => E | PromiseLike<E>) | null,
  ): Promise<R | E> {
    this.#heard = true;
    return rejected(this.#error).then(onFulfilled, onRejected);
  }

  async #waitForListener(ignored: () => void): Promise<void> {
    // `await` and `Promise.all` ask one turn of the microtask queue later.
    await Promise.resolve();
    await Promise.resolve();
    if (!this.#heard) ignored();
  }
}

async function rejected(error: unknown): Promise<never> {
  throw error;
}
