import { type MapState, type MapStateDescriptor, RsError } from '@rs/core';
import { type AnySlot, openSlot, type StateAccess } from '../state/access.ts';
import { stateHandle } from '../state/handles.ts';
import type { StateStore } from '../state/store.ts';
import type { Want } from './keyed-group.ts';

// A keyed state of the same operator has another namespace, whatever its name and its keys are.
const KEY = '';
const NAMESPACE = 'broadcast';

/** Under which name a broadcast state is stored. */
export function broadcastStateName(descriptor: MapStateDescriptor<unknown, unknown>): string {
  return `broadcast.${descriptor.name}`;
}

/** Which broadcast states an operator has, and where they are kept. */
export interface BroadcastSpec {
  readonly store: StateStore;
  readonly operatorId: string;
  readonly descriptors: readonly MapStateDescriptor<unknown, unknown>[];
}

/** What broadcast states need of the operator that has them. */
interface BroadcastHost {
  /** How messages call it. */
  readonly operator: string;
  /** The clock that a TTL counts on. */
  currentProcessingTime(): number;
}

/** The broadcast states of one operator on one partition: one map for all of its keys, in one cell. */
export class BroadcastStates {
  readonly #slots = new Map<unknown, AnySlot>();
  readonly #names = new Set<unknown>();
  readonly #operator: string;

  constructor(host: BroadcastHost, { store, operatorId, descriptors }: BroadcastSpec) {
    this.#operator = host.operator;
    const now = () => host.currentProcessingTime();
    for (const descriptor of descriptors) {
      const state = broadcastStateName(descriptor);
      this.#names.add(descriptor.name);
      this.#slots.set(descriptor, openSlot(store, descriptor, { operator: operatorId, state, now }));
    }
  }

  want(want: Want): void {
    for (const slot of this.#slots.values()) want(slot, KEY, NAMESPACE);
  }

  /** @param assertOpen throws once the call that the state is for is over */
  writable<K, V>(descriptor: MapStateDescriptor<K, V>, assertOpen: () => void): MapState<K, V> {
    assertOpen();
    const slot = this.#slots.get(descriptor);
    if (slot === undefined) throw this.#undeclared(descriptor);
    return stateHandle(descriptor, new BroadcastAccess(slot, assertOpen));
  }

  /** As {@link writable}, but changing it throws `RS_BROADCAST_READ_ONLY`. */
  readOnly<K, V>(descriptor: MapStateDescriptor<K, V>, assertOpen: () => void): MapState<K, V> {
    return new ReadonlyMap(this.writable(descriptor, assertOpen), this.#operator, descriptor.name);
  }

  #undeclared(descriptor: { readonly name: string } | null | undefined): RsError {
    const state = descriptor?.name;
    const advice = this.#names.has(state)
      ? 'another descriptor of that name is; make the descriptor once, and use that very object everywhere'
      : 'give the descriptor to stream.broadcast(…)';
    return new RsError(
      'RS_STATE_UNDECLARED',
      `${this.#operator}: '${String(state)}' is none of its broadcast states; ${advice}`,
      { details: { operator: this.#operator, state } },
    );
  }
}

class BroadcastAccess implements StateAccess {
  readonly namespace = NAMESPACE;
  readonly #slot: AnySlot;
  readonly #assertOpen: () => void;

  constructor(slot: AnySlot, assertOpen: () => void) {
    this.#slot = slot;
    this.#assertOpen = assertOpen;
  }

  slot(): AnySlot {
    this.#assertOpen();
    return this.#slot;
  }

  key(): unknown {
    return KEY;
  }

  pin(): StateAccess {
    return this;
  }
}

/** What its type leaves out is there nevertheless, so that a program without types is told what is wrong. */
class ReadonlyMap<K, V> implements MapState<K, V> {
  readonly #map: MapState<K, V>;
  readonly #operator: string;
  readonly #name: string;

  constructor(map: MapState<K, V>, operator: string, name: string) {
    this.#map = map;
    this.#operator = operator;
    this.#name = name;
  }

  get(key: K): V | undefined {
    return this.#map.get(key);
  }

  contains(key: K): boolean {
    return this.#map.contains(key);
  }

  entries(): Iterable<[K, V]> {
    return this.#map.entries();
  }

  keys(): Iterable<K> {
    return this.#map.keys();
  }

  values(): Iterable<V> {
    return this.#map.values();
  }

  isEmpty(): boolean {
    return this.#map.isEmpty();
  }

  put(): void {
    throw this.#readOnly();
  }

  remove(): void {
    throw this.#readOnly();
  }

  clear(): void {
    throw this.#readOnly();
  }

  #readOnly(): RsError {
    return new RsError(
      'RS_BROADCAST_READ_ONLY',
      `${this.#operator}: broadcast state '${this.#name}' can be changed only in processBroadcastElement, which does the ` +
        'same on all partitions',
      { details: { operator: this.#operator, state: this.#name } },
    );
  }
}
