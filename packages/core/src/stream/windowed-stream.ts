import type {
  AggregateFunction,
  NumberField,
  ProcessWindowFunction,
  ReduceFunction,
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
 */
export interface WindowedStream<K, T> {
  /** Replaces the assigner's default trigger. */
  trigger(trigger: Trigger<T>): WindowedStream<K, T>;
  /**
   * Removes elements when the window fires. The window then keeps all of its elements, also where an aggregate would need
   * none of them.
   */
  evictor(evictor: Evictor<T>): WindowedStream<K, T>;
  /** Keeps windows for `duration` after they closed. Default: the environment's, which is 0. */
  allowedLateness(duration: Duration, options?: LatenessOptions): WindowedStream<K, T>;
  /** Late records go to `tag` of the result stream. Without it they are only counted. */
  sideOutputLateData(tag: OutputTag<T>): WindowedStream<K, T>;

  reduce(fn: ReduceFunction<T>, options?: AccumulatorOptions<T>): DataStream<T>;
  reduce<OUT>(
    fn: ReduceFunction<T>,
    result: WindowResultFunction<K, T, OUT>,
    options?: AccumulatorOptions<T>,
  ): DataStream<OUT>;

  /** Keeps one accumulator per window instead of the records. */
  aggregate<ACC, R>(fn: AggregateFunction<T, ACC, R>, options?: AccumulatorOptions<ACC>): DataStream<R>;
  aggregate<ACC, R, OUT>(
    fn: AggregateFunction<T, ACC, R>,
    result: WindowResultFunction<K, R, OUT>,
    options?: AccumulatorOptions<ACC>,
  ): DataStream<OUT>;

  /** Sum of `field` (default: the record itself). */
  sum(field?: NumberField<T>, options?: StatefulOptions): DataStream<number | bigint>;
  /** Number of records. */
  count(options?: StatefulOptions): DataStream<number>;
  /** Keeps all records of a window and hands them over when it fires. */
  apply<OUT>(fn: WindowFunction<K, T, OUT>, options?: AccumulatorOptions<T>): DataStream<OUT>;
  /** As `apply`, with a context. */
  process<OUT>(fn: ProcessWindowFunction<K, T, OUT>, options?: AccumulatorOptions<T>): DataStream<OUT>;
}
