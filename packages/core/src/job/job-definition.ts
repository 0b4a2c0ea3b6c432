import { RsError } from '../errors/rs-error.ts';
import type { StreamEnvironment } from './environment.ts';

/** A job without an engine: the same definition runs in memory, on Redis and in tests. */
export interface JobDefinition {
  /** Declares the job's streams on an environment. Called once per run; must not depend on anything that changes. */
  define(env: StreamEnvironment): void;
}

/**
 * Wraps the function that declares a job.
 *
 * @param define declares all streams before it returns; what it returns is ignored, so that an arrow function may
 *   end in a chain
 * @throws RsError `RS_INVALID_ARGUMENT` when `define` is not a function; `RS_ASYNC_NOT_ALLOWED`, when the job is run,
 *   if `define` returned a promise
 */
export function defineJob(define: (env: StreamEnvironment) => void): JobDefinition {
  if (typeof define !== 'function') {
    throw new RsError(
      'RS_INVALID_ARGUMENT',
      `defineJob needs a function that declares the job, got ${typeof define}`,
    );
  }
  return Object.freeze({
    define: (env: StreamEnvironment) => {
      const result: unknown = define(env);
      if (isThenable(result)) throw asyncDefinition(result);
    },
  });
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}

function asyncDefinition(result: PromiseLike<unknown>): RsError {
  // The job fails with the error below; a rejection that comes later must not take down the process as well.
  result.then(undefined, () => undefined);
  return new RsError(
    'RS_ASYNC_NOT_ALLOWED',
    'the function given to defineJob returned a promise; await what the job needs first, then declare it synchronously',
  );
}
