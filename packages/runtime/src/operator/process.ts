import type { KeyedProcessFunction, OpenContext } from '@rs/core';
import type { AnySlot } from '../state/access.ts';
import type { Timer } from '../time/timer-queue.ts';
import type { Gate } from './gate.ts';
import { isPromise } from '../promise.ts';
import type { KeyedGroup } from './keyed-group.ts';
import type { OperatorParts } from './operator.ts';
import type { Outputs } from './outputs.ts';
import { type KeyedScopeHost, ProcessScope } from './record-scope.ts';
import { assertSync } from './sync-only.ts';
import { TimedOperator, type TimerKind } from './timed-operator.ts';

/** `keyed.process(…)`: a user function per key, with state, timers and side outputs. */
export class ProcessOperator<K, T, R> extends TimedOperator<T> implements OperatorParts, KeyedScopeHost {
  readonly inputs = [this];
  readonly owner: object;
  readonly #fn: KeyedProcessFunction<K, T, R>;
  readonly #group: KeyedGroup;
  readonly #outputs: Outputs;

  constructor(
    gate: Gate,
    outputs: Outputs,
    group: KeyedGroup,
    fn: KeyedProcessFunction<K, T, R>,
    owner: object,
  ) {
    super(gate, outputs.main, outputs.control);
    this.#fn = fn;
    this.#group = group;
    this.#outputs = outputs;
    this.owner = owner;
    group.addTimers(this.timers);
  }

  open(): void {
    const ctx: OpenContext = { state: (descriptor) => this.binding.declare(descriptor, this.owner) };
    try {
      const opened: unknown = this.#fn.open?.(ctx);
      assertSync(`open of ${this.operator}`, opened);
    } catch (error) {
      throw this.gate.failed(error);
    }
  }

  close(): unknown {
    return this.#fn.close?.();
  }

  record(value: T, timestamp: number, key: unknown): void {
    if (this.gate.busy) return this.gate.holdRecord(this, value, timestamp, key);
    this.followRecord(timestamp);
    this.#group.follow(timestamp);
    if (this.hasDue()) this.#fireThenProcess(value, timestamp, key as K);
    else this.#element(value, timestamp, key as K);
  }

  #fireThenProcess(value: T, timestamp: number, key: K): void {
    this.fireDue(() => this.#element(value, timestamp, key));
  }

  protected onTimer(kind: TimerKind, timer: Timer): PromiseLike<unknown> | undefined {
    const { time } = timer;
    const key = timer.key as K;
    const scope = new ProcessScope<K>(this, key, time);
    return this.#call(scope, () =>
      kind === 'event'
        ? this.#fn.onEventTime?.(time, key, scope, scope)
        : this.#fn.onProcessingTime?.(time, key, scope, scope),
    );
  }

  #element(value: T, timestamp: number, key: K): void {
    const scope = new ProcessScope<K>(this, key, timestamp);
    const waiting = this.#call(scope, () => this.#fn.processElement(key, value, scope, scope));
    if (waiting !== undefined) this.gate.suspend(waiting, () => this.fireDue(() => undefined));
    else if (this.hasDue()) this.fireDue(() => undefined);
  }

  /** Runs a callback; its scope is open until it returns, or until its promise is settled. */
  #call(scope: ProcessScope<K>, callback: () => unknown): PromiseLike<unknown> | undefined {
    let result;
    try {
      const bound = { key: scope.key, slots: this.#group.slots() };
      result = this.binding.run(bound, callback);
    } catch (error) {
      scope.close();
      throw this.gate.failed(error);
    }
    if (isPromise(result)) return scope.closeAfter(result, this.gate.task);
    scope.close();
    return undefined;
  }

  // What scopes may do.

  get binding() {
    return this.#group.binding;
  }

  slots(): readonly AnySlot[] {
    return this.#group.slots();
  }

  emit(value: unknown, timestamp: number): void {
    this.binding.pause(() => this.out.record(value, timestamp, undefined));
  }

  emitSide(tag: string, value: unknown, timestamp: number): void {
    this.binding.pause(() => this.#outputs.side(tag).record(value, timestamp, undefined));
  }

  registerTimer(kind: TimerKind, time: number, key: unknown): void {
    this.register(kind, time, key, '');
  }

  deleteTimer(kind: TimerKind, time: number, key: unknown): void {
    this.timers[kind].delete(time, key, '');
  }
}
