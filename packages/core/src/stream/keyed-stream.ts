import type {
  KeyedProcessFunction,
  MapFunction,
  NumberOf,
  ProcessElementFunction,
  ReduceFunction,
  SumOf,
} from '../function/functions.ts';
import type {
  ListStateDescriptor,
  MapStateDescriptor,
  SetStateDescriptor,
  ValueStateDescriptor,
} from '../state/descriptor.ts';
import type { ListState, MapState, SetState, ValueState } from '../state/state.ts';
import type { WindowAssigner } from '../window/assigner.ts';
import type { DataStream } from './data-stream.ts';
import type { AccumulatorOptions, OperatorOptions, StatefulOptions } from './options.ts';
import type { WindowedStream } from './windowed-stream.ts';

/**
 * A stream grouped by key. Records of one key are processed one after the other, in their order.
 *
 * What {@link DataStream} says of arguments, names, failing functions and promises holds here as well.
 */
export interface KeyedStream<K, T> {
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
  /**
   * Declares a state with one value per key and returns its handle, valid in the synchronous part of callbacks on this
   * keyed stream and the ones mapped from it; async callbacks use `ctx.state`. The state belongs to the `keyBy`: all
   * operations behind it share it.
   *
   * @throws RsError at declaration: `RS_INVALID_ARGUMENT` for a descriptor of another kind, or when another descriptor of
   *   that name has been declared behind this `keyBy`. When the handle is used: `RS_STATE_UNBOUND` where no key is
   *   current, `RS_INVALID_VALUE` for a value that the codec cannot store
   */
  getState<V>(descriptor: ValueStateDescriptor<V>): ValueState<V>;
  /**
   * As {@link getState}, with a map per key, whose entries are loaded and stored one by one.
   *
   * @throws RsError as `getState`
   */
  getMapState<MK, MV>(descriptor: MapStateDescriptor<MK, MV>): MapState<MK, MV>;
  /**
   * As {@link getState}, with a list per key, which is cheap to append to.
   *
   * @throws RsError as `getState`
   */
  getListState<E>(descriptor: ListStateDescriptor<E>): ListState<E>;
  /**
   * As {@link getState}, with a set per key, whose members are compared by value.
   *
   * @throws RsError as `getState`
   */
  getSetState<E>(descriptor: SetStateDescriptor<E>): SetState<E>;
}
