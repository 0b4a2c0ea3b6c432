import type { MaybePromise } from '@rs/core';
import type { ChainedJob } from './chained.ts';

/** What an engine does at the turning points of a run. An error fails the run. */
export interface RunHooks {
  /** The operators were opened; sources and sinks were not, and nothing was read. */
  created?(job: ChainedJob): void;
  /** Sinks and sources were opened, and nothing was read. */
  opened?(): MaybePromise<void>;
  /** Everything was processed, and nothing was closed. */
  finished?(): MaybePromise<void>;
  /** The run is over, whatever its end is, and sinks and sources are about to be closed. Must not throw. */
  stopped?(): MaybePromise<void>;
}
