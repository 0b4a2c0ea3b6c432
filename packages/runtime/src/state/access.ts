import type { StateDescriptor } from '@rs/core';
import type { Namespace } from './cell.ts';
import { heldFormat, ItemFormat, listFormat, mapFormat, valueFormat } from './format.ts';
import type { StateSlot } from './slot.ts';
import type { StateStore } from './store.ts';

// One list holds slots of states with all kinds of values; a handle knows the type of its own from its descriptor.
export type AnySlot = StateSlot<any>; // eslint-disable-line @typescript-eslint/no-explicit-any -- see above

/**
 * The way from a state handle to its cells: which slot, which key. Both may throw: `RS_STATE_UNBOUND` or
 * `RS_CONTEXT_CLOSED` when the callback that the handle belongs to is over.
 */
export interface StateAccess {
  slot(): AnySlot;
  key(): unknown;
  readonly namespace: Namespace;
  /**
   * The way to the same cells for as long as the record is not settled, also after the synchronous part of its callback;
   * from then on it throws `RS_CONTEXT_CLOSED`.
   */
  pin(): StateAccess;
}

export interface SlotPlace {
  /** Under which operator's id it is stored. */
  readonly operator: string;
  /** Under which name. */
  readonly state: string;
  /** The clock that a TTL counts on. */
  readonly now: () => number;
  /** Milliseconds that its cells live where the descriptor does not say. */
  readonly ttl?: number | undefined;
}

/** Makes the slot that a descriptor describes. */
export function openSlot(store: StateStore, descriptor: StateDescriptor, place: SlotPlace): AnySlot {
  const item = new ItemFormat<unknown>(descriptor);
  const { operator, state, now } = place;
  const ttl = descriptor.ttl ?? place.ttl;
  const expiry = ttl === undefined ? undefined : { ttl, now };
  const options = { operator, state, expiry };
  switch (descriptor.kind) {
    case 'value':
    case 'reducing':
    case 'aggregating':
      return store.slot({ ...options, format: valueFormat(item) });
    case 'list':
      return store.slot({ ...options, format: listFormat(item) });
    case 'map':
    case 'set':
      return store.slot({ ...options, format: mapFormat(item) });
    case 'largeMap':
      return store.slot({ ...options, format: heldFormat(item), onDemand: true });
  }
}
