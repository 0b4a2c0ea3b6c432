/** A promise that is resolved from outside. */
export interface Signal {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
}

export function newSignal(): Signal {
  let resolvePromise: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolvePromise = done;
  });
  return { promise, resolve: resolvePromise };
}

/** Resolves a signal, where there is one, and forgets it. */
export function resolveSignal(signal: Signal | undefined): undefined {
  signal?.resolve();
  return undefined;
}
