import { type MapState, type MapStateDescriptor, RsError } from '@rs/core';
import type { BroadcastStates } from './broadcast-state.ts';
import { RecordScope, type ScopeHost } from './record-scope.ts';

/**
 * Scope of a callback that has no key. What needs one is not in the type that users see, but says what is wrong where it is
 * called nevertheless.
 */
export class KeylessScope extends RecordScope<undefined> {
  readonly #states: BroadcastStates;
  readonly #writable: boolean;

  /**
   * @param states those of the operator; there may be none
   * @param writable whether the callback may change them
   */
  constructor(host: ScopeHost, timestamp: number, states: BroadcastStates, writable: boolean) {
    super(host, undefined, timestamp);
    this.#states = states;
    this.#writable = writable;
  }

  broadcastState<K, V>(descriptor: MapStateDescriptor<K, V>): MapState<K, V> {
    const assertOpen = () => this.assertOpen();
    return this.#writable
      ? this.#states.writable(descriptor, assertOpen)
      : this.#states.readOnly(descriptor, assertOpen);
  }

  override get key(): undefined {
    throw this.#noKey('RS_UNSUPPORTED', 'is no ctx.key');
  }

  state(): never {
    throw this.#noKey('RS_STATE_UNBOUND', 'is no keyed state');
  }

  registerEventTimeTimer(): never {
    throw this.#noKey('RS_UNSUPPORTED', 'are no timers');
  }

  registerProcessingTimeTimer(): never {
    throw this.#noKey('RS_UNSUPPORTED', 'are no timers');
  }

  deleteEventTimeTimer(): never {
    throw this.#noKey('RS_UNSUPPORTED', 'are no timers');
  }

  deleteProcessingTimeTimer(): never {
    throw this.#noKey('RS_UNSUPPORTED', 'are no timers');
  }

  #noKey(code: 'RS_UNSUPPORTED' | 'RS_STATE_UNBOUND', what: string): RsError {
    this.assertOpen();
    const { operator } = this.host;
    return new RsError(
      code,
      `${operator}: this callback is about no key, so there ${what} in it; use it where a record of a keyed stream is processed`,
      { details: { operator } },
    );
  }
}
