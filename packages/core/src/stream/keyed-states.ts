import type { AggregatingStateDescriptor, ReducingStateDescriptor } from '../state/accumulating.ts';
import type {
  LargeMapStateDescriptor,
  ListStateDescriptor,
  MapStateDescriptor,
  SetStateDescriptor,
  ValueStateDescriptor,
} from '../state/descriptor.ts';
import type {
  AggregatingState,
  LargeMapState,
  ListState,
  MapState,
  ReducingState,
  SetState,
  ValueState,
} from '../state/state.ts';

/** Where keyed state is declared: on what has keys. The states of a key are those of all records with that key. */
export interface KeyedStates {
  /**
   * Declares a state with one value per key and returns its handle, valid in the synchronous part of callbacks on this
   * keyed stream and the ones mapped from it; async callbacks use `ctx.state`. The state belongs to the `keyBy` or
   * `connect` that made the stream: all operations behind it share it.
   *
   * @throws RsError at declaration: `RS_INVALID_ARGUMENT` for a descriptor of another kind, or when another descriptor of
   *   that name has been declared on the stream. When the handle is used: `RS_STATE_UNBOUND` where no key is current,
   *   `RS_INVALID_VALUE` for a value that the codec cannot store
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
  /**
   * As {@link getState}, with a value per key to which others are added by its reduce function.
   *
   * @throws RsError as `getState`. When the handle is used also `RS_ASYNC_NOT_ALLOWED`, where a function of the descriptor
   *   returns a promise
   */
  getReducingState<E>(descriptor: ReducingStateDescriptor<E>): ReducingState<E>;
  /**
   * As {@link getState}, with an accumulator per key to which values are added by its aggregate function.
   *
   * @throws RsError as `getReducingState`
   */
  getAggregatingState<IN, ACC, OUT>(
    descriptor: AggregatingStateDescriptor<IN, ACC, OUT>,
  ): AggregatingState<IN, OUT>;
  /**
   * As {@link getState}, with a map per key that is too big to be read whole: a read returns a promise, which belongs to
   * the record whose callback has called and is settled while that one waits.
   *
   * @throws RsError as `getState`. A read that is still pending when its record is settled fails with `RS_CONTEXT_CLOSED`
   */
  getLargeMapState<MK, MV>(descriptor: LargeMapStateDescriptor<MK, MV>): LargeMapState<MK, MV>;
}
