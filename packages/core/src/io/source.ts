import type { MaybePromise } from '../maybe-promise.ts';

/** Where a source puts its records. */
export interface SourceContext<T> {
  /**
   * Emits a record with the next number of an own counter (0, 1, 2, …) as its timestamp.
   *
   * Returns a promise when the pipeline is behind: await it before emitting more. A source that keeps emitting
   * without awaiting is stopped with `RS_BACKPRESSURE_IGNORED`, since memory is bounded.
   */
  collect(value: T): MaybePromise<void>;
  /**
   * Emits a record with its event time in epoch milliseconds; otherwise as `collect`. A bad time is refused with
   * `RS_INVALID_TIMESTAMP`: thrown in the synchronous part of `run`, else by what is returned; ignored, it fails the run.
   */
  collectWithTimestamp(value: T, timestamp: number): MaybePromise<void>;
  /** True once the run is being stopped: return from `run` soon. */
  isStopped(): boolean;
  /** Aborted when the run is being stopped. */
  readonly signal: AbortSignal;
}

/** A custom source: `open` → `run` once → `close`, which is called also after a failure. */
export interface StreamSource<T> {
  open?(): MaybePromise<void>;
  /** Emits all records and returns; a promise makes the source asynchronous. */
  run(ctx: SourceContext<T>): MaybePromise<void>;
  /** Called when the run is being stopped, while `run` is still active. */
  cancel?(): void;
  close?(): MaybePromise<void>;
}
