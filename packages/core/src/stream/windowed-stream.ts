import type {
  AggregateFunction,
  ProcessWindowFunction,
  ReduceFunction,
  SumOf,
  WindowFunction,
  WindowResultFunction,
} from '../function/functions.ts';
import type { OutputTag } from '../output-tag.ts';
import type { Duration } from '../time/duration.ts';
import type { Evictor } from '../window/evictor.ts';
import type { Trigger } from '../window/trigger.ts';
import type { DataStream } from './data-stream.ts';
import type { AccumulatorOptions, LatenessOptions, StatefulOptions } from './options.ts';

/**
 * A keyed stream cut into windows; one result per firing, with timestamp `end − 1`.
 *
 * A window fires when the watermark reaches `end − 1`. A record is late for a window once the watermark has reached
 * `end − 1 + lateness`; when it is late for all of its windows it goes to the late side output and is counted.
 *
 * Windows on processing time fire by the clock, windows without an end by their trigger; no record is late for either.
 *
 * What {@link DataStream} says of arguments, names, failing functions and promises holds here as well. Triggers and
 * evictors are synchronous; what they throw fails the run as user functions do.
 */
export interface WindowedStream<K, T> {
  /**
   * Replaces the assigner's default trigger.
   *
   * @throws RsError at declaration: `RS_INVALID_ARGUMENT` when a method is missing; when the operation is declared,
   *   also if the assigner merges windows and the trigger has no `onMerge`. At run: `RS_INVALID_VALUE` for a result that
   *   is no `TriggerResult`, `RS_ASYNC_NOT_ALLOWED` for a promise
   */
  trigger(trigger: Trigger<T>): WindowedStream<K, T>;
  /**
   * Removes elements when the window fires; a window that is then empty emits nothing. The window keeps all of its
   * elements, also where an aggregate would need none of them.
   *
   * @throws RsError at declaration: `RS_INVALID_ARGUMENT` when it has neither `evictBefore` nor `evictAfter`
   */
  evictor(evictor: Evictor<T>): WindowedStream<K, T>;
  /**
   * Keeps windows for `duration` after they closed, so that late records still count, and their state that much longer.
   * Default: the environment's, which is 0 unless it says otherwise, and is without meaning for processing time.
   *
   * @throws RsError at declaration: `RS_INVALID_DURATION`; `RS_INVALID_ARGUMENT` for a mode that does not exist, and for
   *   more than 0 on windows on processing time or without an end
   */
  allowedLateness(duration: Duration, options?: LatenessOptions): WindowedStream<K, T>;
  /**
   * Late records go to `tag` of the result stream. Without it they are only counted.
   *
   * @throws RsError at declaration: `RS_INVALID_ARGUMENT` for what is no tag, and on windows on processing time or without an end
   */
  sideOutputLateData(tag: OutputTag<T>): WindowedStream<K, T>;

  /**
   * Combines the records of a window two at a time and keeps only the combined value; a window's first record is taken
   * as it is. `result` makes the record that is emitted of it; without it the value itself is.
   *
   * @throws RsError at declaration: `RS_INVALID_ARGUMENT`, `RS_INVALID_NAME`. At run: `RS_INVALID_VALUE` when `fn`
   *   returns `undefined` or a value that the codec cannot store, `RS_ASYNC_NOT_ALLOWED` when it returns a promise,
   *   `RS_USER_FUNCTION_FAILED`; `result` may return a promise (`RS_ASYNC_IN_EAGER_RUN`)
   */
  reduce(fn: ReduceFunction<T>, options?: AccumulatorOptions<T>): DataStream<T>;
  reduce<OUT>(
    fn: ReduceFunction<T>,
    result: WindowResultFunction<K, T, OUT>,
    options?: AccumulatorOptions<T>,
  ): DataStream<OUT>;

  /**
   * Keeps one accumulator per window instead of the records. `result` makes the record that is emitted of the
   * aggregate; without it the aggregate itself is.
   *
   * @throws RsError at declaration: `RS_INVALID_ARGUMENT`, also when the assigner merges windows and `fn` has no
   *   `merge`; `RS_INVALID_NAME`. At run: as `reduce`
   */
  aggregate<ACC, R>(fn: AggregateFunction<T, ACC, R>, options?: AccumulatorOptions<ACC>): DataStream<R>;
  aggregate<ACC, R, OUT>(
    fn: AggregateFunction<T, ACC, R>,
    result: WindowResultFunction<K, R, OUT>,
    options?: AccumulatorOptions<ACC>,
  ): DataStream<OUT>;

  /**
   * Sum of `field` over the window; 0 when none of its records has a number. Without `field` the records themselves must
   * be numbers or bigints.
   *
   * @throws RsError at declaration: `RS_INVALID_ARGUMENT`, `RS_INVALID_NAME`. At run: `RS_INVALID_VALUE` for what is no
   *   number, and for numbers and bigints in one window, which are never added up; `RS_USER_FUNCTION_FAILED`
   */
  sum<N extends number | bigint | null | undefined>(
    field: (value: T) => N,
    options?: StatefulOptions,
  ): DataStream<SumOf<N>>;
  sum<N extends number | bigint>(
    this: WindowedStream<K, N>,
    field?: undefined,
    options?: StatefulOptions,
  ): DataStream<SumOf<N>>;
  /**
   * Number of records in the window.
   *
   * @throws RsError at declaration: `RS_INVALID_NAME`
   */
  count(options?: StatefulOptions): DataStream<number>;
  /**
   * Keeps all records of a window and hands them over when it fires, in the order of their arrival; any number of
   * results. State grows with the window: prefer `aggregate` where it can do the work.
   *
   * @throws RsError at declaration: `RS_INVALID_ARGUMENT`, `RS_INVALID_NAME`. At run: `RS_USER_FUNCTION_FAILED`,
   *   `RS_ASYNC_IN_EAGER_RUN`, `RS_INVALID_VALUE` for a record that the codec cannot store, `RS_CONTEXT_CLOSED` for a
   *   collector used after its call
   */
  apply<OUT>(fn: WindowFunction<K, T, OUT>, options?: AccumulatorOptions<T>): DataStream<OUT>;
  /**
   * As {@link apply}, with a context that tells the watermark and processing time and writes to side outputs, which
   * `getSideOutput` of the result reads.
   *
   * @throws RsError as `apply`
   */
  process<OUT>(fn: ProcessWindowFunction<K, T, OUT>, options?: AccumulatorOptions<T>): DataStream<OUT>;
}
