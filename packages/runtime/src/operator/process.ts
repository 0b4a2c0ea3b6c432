import type { KeyedProcessFunction, OpenContext } from '@rs/core';
import type { Gate } from './gate.ts';
import { KeyedFunctionOperator } from './keyed-function.ts';
import type { KeyedGroup } from './keyed-group.ts';
import type { Outputs } from './outputs.ts';
import { ProcessScope } from './record-scope.ts';

/** `keyed.process(…)`. */
export class ProcessOperator<K, T, R> extends KeyedFunctionOperator<K, T> {
  readonly #fn: KeyedProcessFunction<K, T, R>;

  constructor(
    gate: Gate,
    outputs: Outputs,
    group: KeyedGroup,
    fn: KeyedProcessFunction<K, T, R>,
    owner: object,
  ) {
    super(gate, outputs, group, owner);
    this.#fn = fn;
  }

  protected openFunction(ctx: OpenContext): unknown {
    return this.#fn.open?.(ctx);
  }

  close(): unknown {
    return this.#fn.close?.();
  }

  protected callElement(value: T, timestamp: number, key: K): PromiseLike<unknown> | undefined {
    const scope = new ProcessScope<K>(this, key, timestamp);
    return this.call(scope, scope, () => this.#fn.processElement(key, value, scope, scope));
  }

  protected get timerFunctions() {
    return this.#fn;
  }

  protected timerScope(time: number, key: K): ProcessScope<K> {
    return new ProcessScope<K>(this, key, time);
  }
}
