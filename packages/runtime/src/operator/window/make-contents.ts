import {
  type AccumulatorOptions,
  type AggregateFunction,
  type MaybePromise,
  type Window,
  type WindowResultFunction,
} from '@rs/core';
import { ItemFormat, listFormat } from '../../state/format.ts';
import { type Gate, isPromise } from '../gate.ts';
import { RecordScope } from '../record-scope.ts';
import { FoldContents, ListContents, type WindowContents } from './contents.ts';
import type { WindowOperator } from './window-operator.ts';

/** How a window operation keeps and emits elements, before there is an operator to do it. */
export interface MakeContents<T, A> {
  readonly accumulator: ItemFormat<A>;
  make(operator: WindowOperator<T, A>, gate: Gate, operatorId: string): WindowContents<T, A>;
}

export function foldContents<K, T, A, R, OUT>(
  fn: AggregateFunction<T, A, R>,
  result: WindowResultFunction<K, R, OUT> | undefined,
  options: AccumulatorOptions<A>,
): MakeContents<T, A> {
  const accumulator = itemOf('window', options);
  return {
    accumulator,
    make: (operator, gate) =>
      new FoldContents<T, A, R>(fn, accumulator, gate.operator, (aggregated, key, window) => {
        if (result === undefined) return void operator.emitResult(aggregated, window);
        const value = result(aggregated, { key: key as K, window });
        if (!isPromise(value)) return void operator.emitResult(value, window);
        return gate.continue(value, (settled) => operator.emitResult(settled, window));
      }),
  };
}

export type ElementsFunction<K, T> = (
  key: K,
  window: Window,
  elements: readonly T[],
  scope: RecordScope<K>,
) => MaybePromise<void>;

export function elementsContents<K, T>(
  fn: ElementsFunction<K, T>,
  options: AccumulatorOptions<T>,
): MakeContents<T, never> {
  return {
    accumulator: itemOf<never>('window', {}),
    make: (operator, gate, operatorId) => {
      const item = itemOf('elements', options);
      const slot = gate.task.store.slot({
        operator: operatorId,
        state: 'elements',
        format: listFormat(item),
      });
      return new ListContents<T>(slot, item, (elements, key, window) => {
        const scope = new RecordScope<K>(operator, key as K, window.end - 1);
        let waiting;
        try {
          waiting = fn(key as K, window, elements, scope);
        } catch (error) {
          scope.close();
          throw error;
        }
        if (isPromise(waiting)) return scope.closeAfter(waiting, gate.task);
        scope.close();
        return undefined;
      });
    },
  };
}

function itemOf<A>(name: string, options: AccumulatorOptions<A>): ItemFormat<A> {
  return new ItemFormat<A>({ name, schemaVersion: 1, codec: options.codec, migrate: undefined });
}
