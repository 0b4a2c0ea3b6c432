import type { MaybePromise } from '../maybe-promise.ts';
import type { MapStateDescriptor } from '../state/descriptor.ts';
import type { MapState, ReadonlyMapState } from '../state/state.ts';
import type { CoProcessContext } from './co-process.ts';
import type { Collector, OpenContext, ProcessContext } from './context.ts';

/** The broadcast states, as a function sees them that must not change them. */
interface BroadcastReader {
  /**
   * This partition's copy of a broadcast state. Do not change the objects in it.
   *
   * @throws RsError `RS_STATE_UNDECLARED` when the descriptor was not given to `broadcast`. At run, for a method that
   *   changes it: `RS_BROADCAST_READ_ONLY`
   */
  broadcastState<K, V>(descriptor: MapStateDescriptor<K, V>): ReadonlyMapState<K, V>;
}

/** What `processElement` of a {@link BroadcastProcessFunction} can see and do. */
export interface BroadcastReadContext extends CoProcessContext, BroadcastReader {}

/** What `processElement` and the timers of a {@link KeyedBroadcastProcessFunction} can see and do. */
export interface KeyedBroadcastReadContext<K> extends ProcessContext<K>, BroadcastReader {}

/** What `processBroadcastElement` can see and do: there is no key, so there are neither keyed state nor timers. */
export interface BroadcastContext extends CoProcessContext {
  /**
   * This partition's copy of a broadcast state, to read and to change.
   *
   * @throws RsError `RS_STATE_UNDECLARED` when the descriptor was not given to `broadcast`
   */
  broadcastState<K, V>(descriptor: MapStateDescriptor<K, V>): MapState<K, V>;
}

/** The part of a broadcast function for the records that all partitions get. */
export type BroadcastElementFunction<B, OUT> = (
  value: B,
  ctx: BroadcastContext,
  out: Collector<OUT>,
) => MaybePromise<void>;

/**
 * A function of a stream without keys and a broadcast one. While a promise of one of its callbacks is pending, records of
 * both inputs wait.
 */
export interface BroadcastProcessFunction<A, B, OUT> {
  /** Called once per partition before the first record. */
  open?(): void;
  processElement: (value: A, ctx: BroadcastReadContext, out: Collector<OUT>) => MaybePromise<void>;
  /**
   * Called for every broadcast record, once **on each partition**. It must do the same to the state everywhere: use
   * nothing but the record and the state, no clock, no random number, no answer of another system. What it emits is
   * emitted once per partition.
   */
  processBroadcastElement: BroadcastElementFunction<B, OUT>;
  close?(): void;
}

/** As {@link BroadcastProcessFunction}, of a keyed stream: with state and timers of the key. */
export interface KeyedBroadcastProcessFunction<K, A, B, OUT> {
  /** Called once per partition before the first element: the place to declare keyed states. */
  open?(ctx: OpenContext): void;
  processElement: (
    key: K,
    value: A,
    ctx: KeyedBroadcastReadContext<K>,
    out: Collector<OUT>,
  ) => MaybePromise<void>;
  /** As in {@link BroadcastProcessFunction}: once on each partition, and deterministic. */
  processBroadcastElement: BroadcastElementFunction<B, OUT>;
  /** An event-time timer of `key` is due: both inputs have come that far. Emitted records carry `timestamp`. */
  onEventTime?(
    timestamp: number,
    key: K,
    ctx: KeyedBroadcastReadContext<K>,
    out: Collector<OUT>,
  ): MaybePromise<void>;
  /** A processing-time timer of `key` is due. Emitted records carry `timestamp`. */
  onProcessingTime?(
    timestamp: number,
    key: K,
    ctx: KeyedBroadcastReadContext<K>,
    out: Collector<OUT>,
  ): MaybePromise<void>;
  /** As in `KeyedProcessFunction`: the engine has given up a timer of `key`. Synchronous; it must not throw. */
  onTimerGivenUp?(
    kind: 'event' | 'processing',
    timestamp: number,
    key: K,
    ctx: KeyedBroadcastReadContext<K>,
  ): void;
  close?(): void;
}
