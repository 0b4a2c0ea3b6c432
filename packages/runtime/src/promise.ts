export function isPromise(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
  );
}

/** For a promise that is refused: its rejection, if there is one, belongs to the error that says so. */
export function silence(promise: PromiseLike<unknown>): void {
  promise.then(undefined, () => undefined);
}
