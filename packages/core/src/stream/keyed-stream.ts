import type {
  KeyedProcessFunction,
  MapFunction,
  NumberOf,
  ProcessElementFunction,
  ReduceFunction,
  SumOf,
} from '../function/functions.ts';
import type { WindowAssigner } from '../window/assigner.ts';
import type { BroadcastStream, KeyedBroadcastConnectedStreams } from './broadcast-stream.ts';
import type { CogroupedStreams } from './cogrouped-streams.ts';
import type { KeyedConnectedStreams } from './connected-streams.ts';
import type { DataStream } from './data-stream.ts';
import type { KeyedStates } from './keyed-states.ts';
import type { AccumulatorOptions, OperatorOptions, StatefulOptions } from './options.ts';
import type { WindowedStream } from './windowed-stream.ts';

/**
 * A stream grouped by key. Records of one key are processed one after the other, in their order.
 *
 * What {@link DataStream} says of arguments, names, failing functions and promises holds here as well.
 */
export interface KeyedStream<K, T> extends KeyedStates {
  /**
   * One result per record. The key is carried over; the key selector is not asked again. Keyed state can be used in `fn`.
   *
   * @throws RsError at declaration: `RS_INVALID_ARGUMENT`. At run: `RS_USER_FUNCTION_FAILED`, `RS_ASYNC_IN_EAGER_RUN`
   */
  map<R>(fn: MapFunction<T, R>, options?: OperatorOptions): KeyedStream<K, R>;
  /**
   * Any number of results per record, with keyed state, timers and side outputs; results carry the timestamp of the
   * record or timer. A function stands for an object that has only `processElement`.
   *
   * @throws RsError at declaration: `RS_INVALID_ARGUMENT`, `RS_INVALID_NAME`. At run: `RS_USER_FUNCTION_FAILED`,
   *   `RS_ASYNC_IN_EAGER_RUN`, `RS_STATE_UNDECLARED` for a state that was not declared, `RS_CONTEXT_CLOSED` for a
   *   context or collector used after its call, `RS_INVALID_TIMESTAMP` for a timer at no time, `RS_TIMER_LOOP` when
   *   timers keep registering timers that are due
   */
  process<R>(
    fn: KeyedProcessFunction<K, T, R> | ProcessElementFunction<K, T, R>,
    options?: StatefulOptions,
  ): DataStream<R>;
  /**
   * Cuts the stream of each key into windows. Trigger and evictor are the assigner's until they are replaced.
   *
   * @throws RsError at declaration: `RS_INVALID_ARGUMENT` when an assigner's method is missing or its `timeDomain` is
   *   neither `event` nor `processing`. At run: `RS_INVALID_VALUE` for windows that are none
   */
  window(assigner: WindowAssigner<T>): WindowedStream<K, T>;
  /**
   * This stream and another one with the same kind of key, for an operation in which the records of a key meet and share
   * its state; or a broadcast one, which every key sees. The keyed state declared on the result belongs to the connection,
   * and so does its identity: give it a `uid`.
   *
   * @throws RsError at declaration: `RS_INVALID_ARGUMENT` for a stream without keys, one of another environment, and what is
   *   no stream; `RS_INVALID_NAME`. When the run starts: `RS_NOT_COPARTITIONED` when neither stream can be sent to the
   *   partitions of the other
   */
  connect<B>(other: KeyedStream<K, B>, options?: StatefulOptions): KeyedConnectedStreams<K, T, B>;
  connect<B>(other: BroadcastStream<B>, options?: StatefulOptions): KeyedBroadcastConnectedStreams<K, T, B>;
  /**
   * This stream and another one with the same kind of key, for windows that hold the elements of both. It is {@link connect}
   * under the name of what follows.
   *
   * @throws RsError as `connect`
   */
  cogroup<B>(other: KeyedStream<K, B>, options?: StatefulOptions): CogroupedStreams<K, T, B>;
  /**
   * Rolling reduce: emits the accumulated value for every record; a key's first record is emitted as it is. Keeps one
   * value per key for ever.
   *
   * @throws RsError at declaration: `RS_INVALID_ARGUMENT`, `RS_INVALID_NAME`. At run: `RS_INVALID_VALUE` when `fn`
   *   returns `undefined` or a value that the codec cannot store, `RS_ASYNC_NOT_ALLOWED` when it returns a promise,
   *   `RS_USER_FUNCTION_FAILED`
   */
  reduce(fn: ReduceFunction<T>, options?: AccumulatorOptions<T>): DataStream<T>;
  /**
   * Rolling sum of `field`, emitted for every record; 0 until a record of the key has a number. Without `field` the
   * records themselves must be numbers or bigints. Keeps one value per key for ever.
   *
   * @throws RsError at declaration: `RS_INVALID_ARGUMENT`, `RS_INVALID_NAME`. At run: `RS_INVALID_VALUE` for what is no
   *   number, and for numbers and bigints of one key, which are never added up; `RS_USER_FUNCTION_FAILED`
   */
  sum<N extends number | bigint | null | undefined>(
    field: (value: T) => N,
    options?: StatefulOptions,
  ): DataStream<SumOf<N>>;
  sum<N extends number | bigint>(
    this: KeyedStream<K, N>,
    field?: undefined,
    options?: StatefulOptions,
  ): DataStream<SumOf<N>>;
  /**
   * Rolling minimum of `field`, emitted for every record; nothing until a record of the key has a number. Otherwise as
   * {@link sum}.
   *
   * @throws RsError as `sum`
   */
  min<N extends number | bigint | null | undefined>(
    field: (value: T) => N,
    options?: StatefulOptions,
  ): DataStream<NumberOf<N>>;
  min<N extends number | bigint>(
    this: KeyedStream<K, N>,
    field?: undefined,
    options?: StatefulOptions,
  ): DataStream<NumberOf<N>>;
  /**
   * Rolling maximum of `field`, as {@link min}.
   *
   * @throws RsError as `sum`
   */
  max<N extends number | bigint | null | undefined>(
    field: (value: T) => N,
    options?: StatefulOptions,
  ): DataStream<NumberOf<N>>;
  max<N extends number | bigint>(
    this: KeyedStream<K, N>,
    field?: undefined,
    options?: StatefulOptions,
  ): DataStream<NumberOf<N>>;
}
