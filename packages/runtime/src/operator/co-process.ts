import { isPromise } from '../promise.ts';
import { type BroadcastSpec, BroadcastStates } from './broadcast-state.ts';
import { ConnectOperator } from './connect.ts';
import type { ElementFunctions } from './element-functions.ts';
import type { Gate } from './gate.ts';
import type { ComingRecord, Prefetcher, Want } from './keyed-group.ts';
import { KeylessScope } from './keyless-scope.ts';
import type { OperatorInstance, OperatorMeta } from './operator.ts';
import type { Outputs } from './outputs.ts';
import type { Receiver } from './receiver.ts';
import type { ScopeHost } from './record-scope.ts';
import type { Sided } from './sided.ts';
import { assertSync } from './sync-only.ts';
import { TimedOperator } from './timed-operator.ts';

/**
 * A user function of two inputs without keys: `connect(…).process(…)`, also with broadcast states. It has a clock and the
 * inputs' common watermark, but no timers.
 */
export class CoProcessOperator<A, B>
  extends TimedOperator<Sided<A, B>>
  implements OperatorInstance, Prefetcher, ScopeHost
{
  readonly inputs: readonly Receiver<unknown>[];
  readonly prefetcher: Prefetcher = this;
  readonly queues = []; // There are no timers.
  readonly #connect: ConnectOperator;
  readonly #fn: ElementFunctions<A, B>;
  readonly #outputs: Outputs;
  readonly #states: BroadcastStates;

  constructor(gate: Gate, outputs: Outputs, fn: ElementFunctions<A, B>, spec: BroadcastSpec) {
    super(gate, outputs.main, outputs.control);
    this.#fn = fn;
    this.#outputs = outputs;
    this.#connect = new ConnectOperator(gate.task, this, undefined);
    this.inputs = this.#connect.inputs;
    this.#states = new BroadcastStates(this, spec);
  }

  open(): void {
    try {
      const opened: unknown = this.#fn.open?.();
      assertSync(`open of ${this.operator}`, opened);
    } catch (error) {
      throw this.gate.failed(error);
    }
  }

  close(): unknown {
    return this.#fn.close?.();
  }

  record(record: Sided<A, B>, timestamp: number): void {
    if (this.gate.busy) return this.gate.holdRecord(this, record, timestamp, undefined);
    this.followRecord(timestamp);
    const waiting = this.#call(record, timestamp);
    if (waiting !== undefined) this.gate.suspend(waiting, () => undefined);
  }

  /** Its scope is open until the function returns, or until its promise is settled. */
  #call({ input, value }: Sided<A, B>, timestamp: number): PromiseLike<unknown> | undefined {
    const scope = new KeylessScope(this, timestamp, this.#states, input === 1);
    let result;
    try {
      result = input === 0 ? this.#fn.element1(value as A, scope) : this.#fn.element2(value as B, scope);
    } catch (error) {
      scope.close();
      throw this.gate.failed(error);
    }
    if (isPromise(result)) return scope.closeAfter(result, this.gate.task);
    scope.close();
    return undefined;
  }

  protected onTimer(): undefined {
    return undefined;
  }

  wantRecord(_record: ComingRecord, want: Want): void {
    this.#states.want(want);
  }

  wantTimers(): void {
    // There are none.
  }

  override meta(): OperatorMeta {
    return { ...super.meta(), ...this.#connect.meta() };
  }

  override restore(meta: OperatorMeta): void {
    super.restore(meta);
    this.#connect.restore(meta);
  }

  // What scopes may do.

  emit(value: unknown, timestamp: number): void {
    this.out.record(value, timestamp, undefined);
  }

  emitSide(tag: string, value: unknown, timestamp: number): void {
    this.#outputs.side(tag).record(value, timestamp, undefined);
  }
}
