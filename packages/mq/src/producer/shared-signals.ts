/** One listener for each signal, however many calls share it: Node.js warns of more than ten. */
export class SharedSignals {
  readonly #watched = new Map<
    AbortSignal,
    { readonly calls: Set<() => void>; readonly listener: () => void }
  >();

  /**
   * Calls back once when the signal, which is not aborted yet, is.
   *
   * @returns how to stop that
   */
  watch(signal: AbortSignal, call: () => void): () => void {
    const { calls } = this.#watched.get(signal) ?? this.#listen(signal);
    calls.add(call);
    return () => {
      calls.delete(call);
      if (calls.size === 0) this.#forget(signal);
    };
  }

  #listen(signal: AbortSignal) {
    const calls = new Set<() => void>();
    const listener = (): void => {
      for (const call of [...calls]) call();
    };
    const watched = { calls, listener };
    this.#watched.set(signal, watched);
    signal.addEventListener('abort', listener);
    return watched;
  }

  #forget(signal: AbortSignal): void {
    const watched = this.#watched.get(signal);
    if (watched === undefined) return;
    this.#watched.delete(signal);
    signal.removeEventListener('abort', watched.listener);
  }
}
