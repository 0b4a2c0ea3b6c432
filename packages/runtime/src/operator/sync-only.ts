import { RsError } from '@rs/core';
import { isPromise, silence } from '../promise.ts';

/** Refuses a promise from a function that must answer at once; nobody would wait for it. */
export function assertSync(what: string, result: unknown): void {
  if (isPromise(result)) throw notAsync(what, result);
}

function notAsync(operator: string, promise: PromiseLike<unknown>): RsError {
  silence(promise);
  return new RsError(
    'RS_ASYNC_NOT_ALLOWED',
    `${operator}: this function must be synchronous, it returned a promise; do asynchronous work in a map or process step`,
    { details: { operator } },
  );
}
