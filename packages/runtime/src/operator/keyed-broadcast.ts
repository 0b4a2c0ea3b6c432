import type { KeyedBroadcastProcessFunction, MapState, MapStateDescriptor, OpenContext } from '@rs/core';
import { type BroadcastSpec, BroadcastStates } from './broadcast-state.ts';
import type { Gate } from './gate.ts';
import { KeyedFunctionOperator } from './keyed-function.ts';
import type { KeyedGroup } from './keyed-group.ts';
import { KeylessScope } from './keyless-scope.ts';
import type { Outputs } from './outputs.ts';
import { type KeyedScopeHost, ProcessScope } from './record-scope.ts';
import type { Sided } from './sided.ts';

/** `keyed.connect(broadcast).process(…)`. */
export class KeyedBroadcastOperator<K, A, B, R> extends KeyedFunctionOperator<
  K,
  Sided<A, B>,
  KeyedReadScope<K>
> {
  readonly #fn: KeyedBroadcastProcessFunction<K, A, B, R>;
  readonly #states: BroadcastStates;

  constructor(
    gate: Gate,
    outputs: Outputs,
    group: KeyedGroup,
    fn: KeyedBroadcastProcessFunction<K, A, B, R>,
    owner: object,
    spec: BroadcastSpec,
  ) {
    super(gate, outputs, group, owner);
    this.#fn = fn;
    this.#states = new BroadcastStates(this, spec);
    group.addShared(this.#states);
  }

  protected openFunction(ctx: OpenContext): unknown {
    return this.#fn.open?.(ctx);
  }

  close(): unknown {
    return this.#fn.close?.();
  }

  protected callElement(
    { input, value }: Sided<A, B>,
    timestamp: number,
    key: K,
  ): PromiseLike<unknown> | undefined {
    return input === 0
      ? this.#keyedElement(value as A, timestamp, key)
      : this.#broadcastElement(value as B, timestamp);
  }

  #keyedElement(value: A, timestamp: number, key: K): PromiseLike<unknown> | undefined {
    const scope = new KeyedReadScope<K>(this, key, timestamp, this.#states);
    return this.call(scope, scope, () => this.#fn.processElement(key, value, scope, scope));
  }

  #broadcastElement(value: B, timestamp: number): PromiseLike<unknown> | undefined {
    const scope = new KeylessScope(this, timestamp, this.#states, true);
    return this.call(scope, undefined, () => this.#fn.processBroadcastElement(value, scope, scope));
  }

  protected get timerFunctions() {
    return this.#fn;
  }

  protected timerScope(time: number, key: K): KeyedReadScope<K> {
    return new KeyedReadScope<K>(this, key, time, this.#states);
  }
}

/** Scope of a callback about a key, which may read the broadcast states. */
class KeyedReadScope<K> extends ProcessScope<K> {
  readonly #states: BroadcastStates;

  constructor(host: KeyedScopeHost, key: K, timestamp: number, states: BroadcastStates) {
    super(host, key, timestamp);
    this.#states = states;
  }

  broadcastState<MK, MV>(descriptor: MapStateDescriptor<MK, MV>): MapState<MK, MV> {
    return this.#states.readOnly(descriptor, () => this.assertOpen());
  }
}
