import type { MaybePromise } from '@rs/core';
import { isPromise } from '../promise.ts';

/**
 * A procedure whose steps may be asynchronous, in any kind of run: what it yields is waited for, where it is a promise, and
 * comes back settled.
 */
export type Steps<R = void> = Generator<unknown, R, unknown>;

/** Runs a procedure at once as far as nothing is asynchronous; what is left comes with a promise. */
export function runSteps<R>(steps: Steps<R>): MaybePromise<R> {
  return advance(steps, () => steps.next());
}

function advance<R>(steps: Steps<R>, next: () => IteratorResult<unknown, R>): MaybePromise<R> {
  let step = next();
  while (step.done !== true) {
    if (isPromise(step.value)) return waitFor(steps, step.value);
    step = steps.next(step.value);
  }
  return step.value;
}

async function waitFor<R>(steps: Steps<R>, promise: PromiseLike<unknown>): Promise<R> {
  let value: unknown;
  try {
    value = await promise;
  } catch (error) {
    return advance(steps, () => steps.throw(error));
  }
  return advance(steps, () => steps.next(value));
}

/** Does the same for all of them, also when some fail; then throws the first error. */
export function* tryAll<T>(all: readonly T[], procedure: (one: T) => Steps): Steps {
  const errors: unknown[] = [];
  for (const one of all) {
    try {
      yield* procedure(one);
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}
