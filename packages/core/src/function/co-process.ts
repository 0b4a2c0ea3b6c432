import type { MaybePromise } from '../maybe-promise.ts';
import type { OutputTag } from '../output-tag.ts';
import type { Collector, OpenContext, ProcessContext, TimeContext } from './context.ts';

/**
 * What a function of two streams without keys can see and do; about one record. Valid until the call it was given to is
 * settled, then every use throws `RS_CONTEXT_CLOSED`.
 */
export interface CoProcessContext extends TimeContext {
  /** Sends a value to a side output, which `stream.getSideOutput(tag)` reads. */
  output<X>(tag: OutputTag<X>, value: NoInfer<X>): void;
}

/**
 * A function of two streams. While a promise of one of its callbacks is pending, records of both inputs wait. One object
 * may serve several partitions, and there is no state without a key: what must survive a restart needs `keyBy`.
 */
export interface CoProcessFunction<A, B, OUT> {
  /** Called once per partition before the first record. */
  open?(): void;
  /** A record of the stream that `connect` was called on. */
  processElement1: CoElementFunction<A, OUT>;
  /** A record of the stream that was given to `connect`. */
  processElement2: CoElementFunction<B, OUT>;
  close?(): void;
}

/** The part of a {@link CoProcessFunction} for the records of one input. */
export type CoElementFunction<T, OUT> = (
  value: T,
  ctx: CoProcessContext,
  out: Collector<OUT>,
) => MaybePromise<void>;

/**
 * A stateful function of two streams with one kind of key, with timers: the states of a key are the same in all callbacks.
 * While a promise of one of them is pending, records of both inputs and timers wait. One object may serve several
 * partitions: keep what you remember in state.
 */
export interface KeyedCoProcessFunction<K, A, B, OUT> {
  /** Called once per partition before the first element: the place to declare states. */
  open?(ctx: OpenContext): void;
  /** A record of the stream that `connect` was called on. */
  processElement1: KeyedCoElementFunction<K, A, OUT>;
  /** A record of the stream that was given to `connect`. */
  processElement2: KeyedCoElementFunction<K, B, OUT>;
  /** An event-time timer of `key` is due: both inputs have come that far. Emitted records carry `timestamp`. */
  onEventTime?(timestamp: number, key: K, ctx: ProcessContext<K>, out: Collector<OUT>): MaybePromise<void>;
  /** A processing-time timer of `key` is due. Emitted records carry `timestamp`. */
  onProcessingTime?(
    timestamp: number,
    key: K,
    ctx: ProcessContext<K>,
    out: Collector<OUT>,
  ): MaybePromise<void>;
  /** As in `KeyedProcessFunction`: the engine has given up a timer of `key`. Synchronous; it must not throw. */
  onTimerGivenUp?(kind: 'event' | 'processing', timestamp: number, key: K, ctx: ProcessContext<K>): void;
  close?(): void;
}

/** The part of a {@link KeyedCoProcessFunction} for the records of one input. */
export type KeyedCoElementFunction<K, T, OUT> = (
  key: K,
  value: T,
  ctx: ProcessContext<K>,
  out: Collector<OUT>,
) => MaybePromise<void>;
