import {
  type AggregatingState,
  type AggregatingStateDescriptor,
  type KeyedStates,
  type LargeMapState,
  type LargeMapStateDescriptor,
  type ListState,
  type ListStateDescriptor,
  type MapState,
  type MapStateDescriptor,
  type ReducingState,
  type ReducingStateDescriptor,
  RsError,
  type SetState,
  type SetStateDescriptor,
  type StateDescriptor,
  type StateKind,
  type StateOf,
  type ValueState,
  type ValueStateDescriptor,
} from '@rs/core';
import type { KeyedBinding } from '../operator/keyed-binding.ts';

/** Declares states in the binding of a stream that has keys. */
export abstract class KeyedStatesBuilder implements KeyedStates {
  protected readonly binding: KeyedBinding;

  constructor(binding: KeyedBinding) {
    this.binding = binding;
  }

  getState<V>(descriptor: ValueStateDescriptor<V>): ValueState<V> {
    return this.#declare(descriptor, 'value', 'getState');
  }

  getMapState<MK, MV>(descriptor: MapStateDescriptor<MK, MV>): MapState<MK, MV> {
    return this.#declare(descriptor, 'map', 'getMapState');
  }

  getListState<E>(descriptor: ListStateDescriptor<E>): ListState<E> {
    return this.#declare(descriptor, 'list', 'getListState');
  }

  getSetState<E>(descriptor: SetStateDescriptor<E>): SetState<E> {
    return this.#declare(descriptor, 'set', 'getSetState');
  }

  getReducingState<E>(descriptor: ReducingStateDescriptor<E>): ReducingState<E> {
    return this.#declare(descriptor, 'reducing', 'getReducingState');
  }

  getAggregatingState<IN, ACC, OUT>(
    descriptor: AggregatingStateDescriptor<IN, ACC, OUT>,
  ): AggregatingState<IN, OUT> {
    return this.#declare(descriptor, 'aggregating', 'getAggregatingState');
  }

  getLargeMapState<MK, MV>(descriptor: LargeMapStateDescriptor<MK, MV>): LargeMapState<MK, MV> {
    return this.#declare(descriptor, 'largeMap', 'getLargeMapState');
  }

  #declare<D extends StateDescriptor>(descriptor: D, kind: StateKind, method: string): StateOf<D> {
    if (descriptor?.kind !== kind) {
      throw new RsError(
        'RS_INVALID_ARGUMENT',
        `${method} needs a descriptor made by ${kind}State(name, options)`,
        {
          details: { method, received: descriptor },
        },
      );
    }
    return this.binding.declare(descriptor);
  }
}
