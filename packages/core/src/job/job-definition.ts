import { RsError } from '../errors/rs-error.ts';
import type { StreamEnvironment } from './environment.ts';

/** A job without an engine: the same definition runs in memory, on Redis and in tests. */
export interface JobDefinition {
  /** Declares the job's streams on an environment. Called once per run; must not depend on anything that changes. */
  define(env: StreamEnvironment): void;
}

/** @throws RsError `RS_INVALID_ARGUMENT` when `define` is not a function */
export function defineJob(define: (env: StreamEnvironment) => void): JobDefinition {
  if (typeof define !== 'function') {
    throw new RsError(
      'RS_INVALID_ARGUMENT',
      `defineJob needs a function that declares the job, got ${typeof define}`,
    );
  }
  return Object.freeze({ define: (env: StreamEnvironment) => void define(env) });
}
