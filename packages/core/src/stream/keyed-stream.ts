import type {
  KeyedProcessFunction,
  MapFunction,
  NumberField,
  ProcessElementFunction,
  ReduceFunction,
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

/** A stream grouped by key. Records of one key are processed one after the other, in their order. */
export interface KeyedStream<K, T> {
  /** The key is carried over; the key selector is not asked again. Keyed state can be used in `fn`. */
  map<R>(fn: MapFunction<T, R>, options?: OperatorOptions): KeyedStream<K, R>;
  process<R>(
    fn: KeyedProcessFunction<K, T, R> | ProcessElementFunction<K, T, R>,
    options?: StatefulOptions,
  ): DataStream<R>;
  window(assigner: WindowAssigner<T>): WindowedStream<K, T>;
  /** Rolling reduce: emits the accumulated value for every record; a key's first record is emitted as it is. */
  reduce(fn: ReduceFunction<T>, options?: AccumulatorOptions<T>): DataStream<T>;
  /** Rolling sum of `field` (default: the record itself, which must then be a number or bigint). */
  sum(field?: NumberField<T>, options?: StatefulOptions): DataStream<number | bigint>;
  /** Rolling minimum of `field`. */
  min(field?: NumberField<T>, options?: StatefulOptions): DataStream<number | bigint>;
  /** Rolling maximum of `field`. */
  max(field?: NumberField<T>, options?: StatefulOptions): DataStream<number | bigint>;
  /**
   * Declares a state and returns its handle, valid in the synchronous part of callbacks on this keyed stream and the
   * ones mapped from it (`RS_STATE_UNBOUND` elsewhere; async callbacks use `ctx.state`).
   */
  getState<V>(descriptor: ValueStateDescriptor<V>): ValueState<V>;
  getMapState<MK, MV>(descriptor: MapStateDescriptor<MK, MV>): MapState<MK, MV>;
  getListState<E>(descriptor: ListStateDescriptor<E>): ListState<E>;
  getSetState<E>(descriptor: SetStateDescriptor<E>): SetState<E>;
}
