import { type Collector, type OpenContext, RsError } from '@rs/core';
import { isPromise } from '../promise.ts';
import type { AnySlot } from '../state/access.ts';
import type { Timer } from '../time/timer-entry.ts';
import type { BoundKey, CallScope } from './call-scope.ts';
import type { Gate } from './gate.ts';
import type { KeyedGroup, Want } from './keyed-group.ts';
import type { OperatorInstance } from './operator.ts';
import type { Outputs } from './outputs.ts';
import type { KeyedScopeHost, ProcessScope } from './record-scope.ts';
import { assertSync } from './sync-only.ts';
import { TimedOperator, type TimerKind } from './timed-operator.ts';

/** The callbacks of timers, for which all shapes of functions are alike but for what they get. */
interface TimerFunctions<K, S> {
  onEventTime?(time: number, key: K, scope: S, out: Collector<unknown>): unknown;
  onProcessingTime?(time: number, key: K, scope: S, out: Collector<unknown>): unknown;
  onTimerGivenUp?(kind: TimerKind, time: number, key: K, scope: S): unknown;
}

/** A user function per key, with state, timers and side outputs, whatever the shape of the function is. */
export abstract class KeyedFunctionOperator<K, T, S extends ProcessScope<K> = ProcessScope<K>>
  extends TimedOperator<T>
  implements OperatorInstance, KeyedScopeHost
{
  readonly inputs = [this];
  readonly owner: object;
  protected readonly group: KeyedGroup;
  readonly #outputs: Outputs;

  /** @param owner identity of the operation in the binding */
  constructor(gate: Gate, outputs: Outputs, group: KeyedGroup, owner: object) {
    super(gate, outputs.main, outputs.control);
    this.group = group;
    this.#outputs = outputs;
    this.owner = owner;
    group.addTimers(this.timers);
  }

  protected abstract openFunction(ctx: OpenContext): unknown;
  /** Calls the function for a record. */
  protected abstract callElement(value: T, timestamp: number, key: K): PromiseLike<unknown> | undefined;
  /** What the user's function does with timers. */
  protected abstract get timerFunctions(): TimerFunctions<K, S>;
  /** What a callback of a timer gets. */
  protected abstract timerScope(time: number, key: K): S;

  open(): void {
    const ctx: OpenContext = { state: (descriptor) => this.binding.declare(descriptor, this.owner) };
    try {
      assertSync(`open of ${this.operator}`, this.openFunction(ctx));
    } catch (error) {
      throw this.gate.failed(error);
    }
  }

  record(value: T, timestamp: number, key: unknown): void {
    if (this.gate.busy) return this.gate.holdRecord(this, value, timestamp, key);
    this.followRecord(timestamp);
    this.group.follow(timestamp);
    if (this.hasDue()) this.#fireThenProcess(value, timestamp, key as K);
    else this.#element(value, timestamp, key as K);
  }

  #fireThenProcess(value: T, timestamp: number, key: K): void {
    this.fireDue(() => this.#element(value, timestamp, key));
  }

  wantTimer({ key }: Timer, want: Want): void {
    this.group.wantTimer(key, want);
  }

  discardTimer(kind: TimerKind, { time, key, namespace }: Timer): void {
    this.timers[kind].delete(time, key, namespace);
    const { timerFunctions } = this;
    if (timerFunctions.onTimerGivenUp === undefined) return;
    const scope = this.timerScope(time, key as K);
    void this.call(scope, scope, () => {
      const result: unknown = timerFunctions.onTimerGivenUp?.(kind, time, key as K, scope);
      assertSync(`onTimerGivenUp of ${this.operator}`, result);
    });
  }

  protected onTimer(kind: TimerKind, { time, key }: Timer): PromiseLike<unknown> | undefined {
    const scope = this.timerScope(time, key as K);
    const { timerFunctions } = this;
    return this.call(scope, scope, () =>
      kind === 'event'
        ? timerFunctions.onEventTime?.(time, key as K, scope, scope)
        : timerFunctions.onProcessingTime?.(time, key as K, scope, scope),
    );
  }

  #element(value: T, timestamp: number, key: K): void {
    const waiting = this.callElement(value, timestamp, key);
    if (waiting !== undefined) this.gate.suspend(waiting, () => this.fireDue(() => undefined));
    else if (this.hasDue()) this.fireDue(() => undefined);
  }

  /**
   * Runs a callback; its scope is open until it returns, or until its promise is settled.
   *
   * @param bound the key that it is about, if any
   */
  protected call(
    scope: CallScope,
    bound: BoundKey | undefined,
    callback: () => unknown,
  ): PromiseLike<unknown> | undefined {
    let result;
    try {
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
    return this.group.binding;
  }

  slots(): readonly AnySlot[] {
    return this.group.slots();
  }

  emit(value: unknown, timestamp: number): void {
    this.binding.pause(() => this.out.record(value, timestamp, undefined));
  }

  emitSide(tag: string, value: unknown, timestamp: number): void {
    this.binding.pause(() => this.#outputs.side(tag).record(value, timestamp, undefined));
  }

  registerTimer(kind: TimerKind, time: number, key: unknown): void {
    if (!hears(this.timerFunctions, kind)) throw timerUnheard(this.operator, kind);
    this.register(kind, time, key, '');
  }

  deleteTimer(kind: TimerKind, time: number, key: unknown): void {
    this.timers[kind].delete(time, key, '');
  }

  reportLate(value: unknown, timestamp: number, key: unknown): void {
    const operator = this.group.idOf(this.owner);
    this.gate.task.onLate({ operator, key, value, timestamp, watermark: this.currentWatermark });
  }
}

const CALLBACKS = { event: 'onEventTime', processing: 'onProcessingTime' } as const;
const METHODS = { event: 'registerEventTimeTimer', processing: 'registerProcessingTimeTimer' } as const;

function hears(fn: object, kind: TimerKind): boolean {
  return typeof (fn as Readonly<Record<string, unknown>>)[CALLBACKS[kind]] === 'function';
}

function timerUnheard(operator: string, kind: TimerKind): RsError {
  const callback = CALLBACKS[kind];
  return new RsError(
    'RS_TIMER_UNHEARD',
    `${operator}: ${METHODS[kind]} was called, but the function has no ${callback}, so nothing would be called when the timer is due; ` +
      `give process an object that has it`,
    { details: { operator, callback } },
  );
}
