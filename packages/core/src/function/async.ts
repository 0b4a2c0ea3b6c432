import type { MaybePromise } from '../maybe-promise.ts';
import type { OperatorOptions } from '../stream/options.ts';
import type { Duration } from '../time/duration.ts';

/** What a function of `mapAsync` is told about the call. */
export interface AsyncCallContext {
  /**
   * Aborted when nobody waits for the call any more, with an `RsError` as its reason: `RS_ASYNC_TIMEOUT` when it took too
   * long, `RS_CLOSED` when the run is being stopped or the record will be processed anew. Pass it on, such as to `fetch`.
   */
  readonly signal: AbortSignal;
  /** Number of the call for this record, from 1. */
  readonly attempt: number;
}

/** Asks something outside, such as a service or a database, about a record. May be called again for the same record. */
export type AsyncMapFunction<T, R> = (value: T, ctx: AsyncCallContext) => MaybePromise<R>;

/** When and how often a call that failed is made again. */
export interface AsyncRetryOptions {
  /**
   * How many calls there are for a record in all, an integer of at least 1. It has no default. The error of the last one
   * fails the run.
   */
  readonly attempts: number;
  /**
   * The longest wait before the second call; it doubles for each further one. The actual wait is a random part of it, so
   * that calls which failed together do not come back together. At most `maxDelay`. Default 100 ms, or `maxDelay` where
   * that is shorter.
   */
  readonly delay?: Duration;
  /** The wait never gets longer than this. Default 10 s. */
  readonly maxDelay?: Duration;
  /**
   * Whether a call that failed with this error, which may be `RS_ASYNC_TIMEOUT`, is worth another one. Synchronous.
   * Default: always.
   */
  readonly retryIf?: (error: unknown) => boolean;
}

export interface MapAsyncOptions extends OperatorOptions {
  /**
   * How many records may be under way at once in each partition, an integer of at least 1. While there are so many, the
   * sources wait. A record counts until its result has been sent on: with `ordered: true` also while that waits for the
   * results of earlier records. Default 16.
   */
  readonly concurrency?: number;
  /**
   * `true`: results come in the order of their records. `false`: as soon as they are there, but never across a
   * watermark; engines that store state may keep the order nevertheless. Behind a topic without a strategy of its own each
   * newer message raises the watermark, so a slow record holds back nearly all behind it and `false` has little effect.
   * Default `true`.
   */
  readonly ordered?: boolean;
  /**
   * How long each call may take, more than 0. One that takes longer has failed with `RS_ASYNC_TIMEOUT`, and its result is
   * ignored. Default: any time.
   */
  readonly timeout?: Duration;
  /** Default: a call that fails is not made again, and fails the run. */
  readonly retry?: AsyncRetryOptions;
}
