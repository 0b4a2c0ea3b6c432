import type { MaybePromise } from '../maybe-promise.ts';
import type { Window } from '../window/window.ts';
import type { Collector, ProcessContext, OpenContext, WindowContext } from './context.ts';

export type MapFunction<T, R> = (value: T) => MaybePromise<R>;
export type FilterFunction<T> = (value: T) => MaybePromise<boolean>;
/** `null` and `undefined` count as no result. */
export type FlatMapFunction<T, R> = (value: T) => MaybePromise<Iterable<R> | null | undefined>;

/**
 * Reads a record's key: a string, number, bigint, boolean, bytes, or an array or plain object of these.
 * Keys are compared by value: `{ a: 1, b: 2 }` and `{ b: 2, a: 1 }` are one key, `1` and `'1'` are two. Synchronous.
 */
export type KeySelector<T, K> = (value: T) => K;

/** Combines two values of one key. Synchronous. */
export type ReduceFunction<T> = (accumulated: T, value: T) => T;

/** A number to add up or compare; `null` and `undefined` count as nothing. */
export type NumberField<T> = (value: T) => number | bigint | null | undefined;

/** The kinds of number in `N`, without literals and what counts as nothing: `5 | null` gives `number`. */
export type NumberOf<N> = N extends number ? number : N extends bigint ? bigint : never;

/** As {@link NumberOf}, for a sum, which is the number 0 where all values so far counted as nothing. */
export type SumOf<N> = N extends bigint ? bigint : number;

/** Folds values into an accumulator. Synchronous; the accumulator is state, so its codec must be able to store it. */
export interface AggregateFunction<IN, ACC, OUT> {
  createAccumulator(): ACC;
  /** Returns the accumulator with `value` added; may change and return the one it was given. */
  add(value: IN, accumulator: ACC): ACC;
  getResult(accumulator: ACC): OUT;
  /** Joins two accumulators into one. Required for merging windows (sessions). */
  merge?(a: ACC, b: ACC): ACC;
}

/** Turns a window's aggregated result into the record that is emitted. */
export type WindowResultFunction<K, R, OUT> = (
  result: R,
  info: { readonly key: K; readonly window: Window },
) => MaybePromise<OUT>;

/** Emits any number of results for a window; `elements` are in the order of their arrival. */
export type WindowFunction<K, T, OUT> = (
  key: K,
  window: Window,
  elements: readonly T[],
  out: Collector<OUT>,
) => MaybePromise<void>;

/** A {@link WindowFunction} with a context: watermark, processing time, side outputs. */
export type ProcessWindowFunction<K, T, OUT> = (
  key: K,
  window: Window,
  elements: readonly T[],
  ctx: WindowContext<K>,
  out: Collector<OUT>,
) => MaybePromise<void>;

/** Only the element part of a {@link KeyedProcessFunction}. */
export type ProcessElementFunction<K, T, OUT> = (
  key: K,
  value: T,
  ctx: ProcessContext<K>,
  out: Collector<OUT>,
) => MaybePromise<void>;

/** A stateful function per key, with timers. One object may serve several partitions: keep what you remember in state. */
export interface KeyedProcessFunction<K, T, OUT> {
  /** Called once per partition before the first element: the place to declare states. */
  open?(ctx: OpenContext): void;
  processElement: ProcessElementFunction<K, T, OUT>;
  /** An event-time timer of `key` is due. Emitted records carry `timestamp`. */
  onEventTime?(timestamp: number, key: K, ctx: ProcessContext<K>, out: Collector<OUT>): MaybePromise<void>;
  /** A processing-time timer of `key` is due. Emitted records carry `timestamp`. */
  onProcessingTime?(
    timestamp: number,
    key: K,
    ctx: ProcessContext<K>,
    out: Collector<OUT>,
  ): MaybePromise<void>;
  /**
   * The engine has given up a timer of `key` whose callback went on failing: the place to let go of what waits for it, which
   * nothing else would. What is changed and sent to side outputs here is committed together with the timer's end. Synchronous. It must not throw:
   * the timer cannot be given up then, and what comes behind it waits.
   */
  onTimerGivenUp?(kind: 'event' | 'processing', timestamp: number, key: K, ctx: ProcessContext<K>): void;
  close?(): void;
}
