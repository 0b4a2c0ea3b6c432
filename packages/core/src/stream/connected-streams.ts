import type { CoProcessFunction, KeyedCoProcessFunction } from '../function/co-process.ts';
import type { FlatMapFunction, KeySelector, MapFunction } from '../function/functions.ts';
import type { CogroupedStreams } from './cogrouped-streams.ts';
import type { DataStream } from './data-stream.ts';
import type { KeyedStates } from './keyed-states.ts';
import type { StatefulOptions } from './options.ts';

/**
 * Two streams of different types, processed by one operation in the order in which their records come, which nothing
 * fixes between the two. Its watermark is the minimum of theirs; an idle input is left out, as in `union`.
 *
 * Each partition processes its own records of both streams. Where records that belong together must meet, give them a
 * key.
 *
 * What {@link DataStream} says of arguments, names, failing functions and promises holds here as well.
 */
export interface ConnectedStreams<A, B> {
  /**
   * Any number of results per record, and side outputs; results carry the timestamp of the record.
   *
   * @throws RsError at declaration: `RS_INVALID_ARGUMENT`, `RS_INVALID_NAME`. At run: `RS_USER_FUNCTION_FAILED`,
   *   `RS_ASYNC_IN_EAGER_RUN`, `RS_CONTEXT_CLOSED` for a context or collector used after its call
   */
  process<OUT>(fn: CoProcessFunction<A, B, OUT>, options?: StatefulOptions): DataStream<OUT>;
  /**
   * One result per record: `fn1` makes those of the first stream, `fn2` those of the second.
   *
   * @throws RsError at declaration: `RS_INVALID_ARGUMENT`, `RS_INVALID_NAME`. At run: `RS_USER_FUNCTION_FAILED`,
   *   `RS_ASYNC_IN_EAGER_RUN`
   */
  map<R1, R2 = R1>(
    fn1: MapFunction<A, R1>,
    fn2: MapFunction<B, R2>,
    options?: StatefulOptions,
  ): DataStream<R1 | R2>;
  /**
   * Any number of results per record, made as in {@link map}. `null` and `undefined` count as none.
   *
   * @throws RsError as `map`
   */
  flatMap<R1, R2 = R1>(
    fn1: FlatMapFunction<A, R1>,
    fn2: FlatMapFunction<B, R2>,
    options?: StatefulOptions,
  ): DataStream<R1 | R2>;
  /**
   * Groups both streams by one kind of key; records with equal keys meet. The same as `a.keyBy(…).connect(b.keyBy(…))`; a
   * `uid` is that of the connection, and the two `keyBy` get `<uid>.left` and `<uid>.right`.
   *
   * @throws RsError at declaration: `RS_INVALID_ARGUMENT`, `RS_INVALID_NAME`. At run as `DataStream.keyBy`
   */
  keyBy<K>(
    selector1: KeySelector<A, K>,
    selector2: KeySelector<B, K>,
    options?: StatefulOptions,
  ): KeyedConnectedStreams<K, A, B>;
}

/**
 * Two streams with one kind of key: the records of one key meet, on any number of partitions, and share its state. State
 * that was declared on one of the two streams stays there; declare what both need here.
 */
export interface KeyedConnectedStreams<K, A, B> extends KeyedStates, CogroupedStreams<K, A, B> {
  /**
   * Any number of results per record, with keyed state, timers and side outputs; results carry the timestamp of the record
   * or timer.
   *
   * @throws RsError as `KeyedStream.process`
   */
  process<OUT>(fn: KeyedCoProcessFunction<K, A, B, OUT>, options?: StatefulOptions): DataStream<OUT>;
}
