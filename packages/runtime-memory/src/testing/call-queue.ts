/** Lets calls have effect one after the other, in their order, whether the one before was awaited or has failed. */
export class CallQueue {
  #last: Promise<unknown> = Promise.resolve();

  add<R>(call: () => Promise<R>): Promise<R> {
    const result = this.#last.then(call);
    this.#last = result.then(ignore, ignore);
    return result;
  }

  /**
   * A call that may have its effect before those that were added earlier have ended. Later ones wait for all of them.
   *
   * @param call told when those before it have ended
   */
  overtake<R>(call: (before: Promise<void>) => Promise<R>): Promise<R> {
    const before = this.ended();
    const result = call(before);
    this.#last = Promise.all([before, result.then(ignore, ignore)]);
    return result;
  }

  /** Resolves when all calls that were added before have ended, well or not. */
  async ended(): Promise<void> {
    await this.#last;
  }
}

function ignore(): void {
  // The caller was told.
}
