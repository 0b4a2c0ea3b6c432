import {
  type AccumulatorOptions,
  type AggregateFunction,
  type Codec,
  type Evictor,
  type EvictorContext,
  jsonCodec,
  type MaybePromise,
  type TimestampedElement,
  type Window,
  type WindowResultFunction,
} from '@rs/core';
import { ItemFormat, listFormat } from '../../state/format.ts';
import type { StateStore } from '../../state/store.ts';
import type { Gate } from '../gate.ts';
import { isPromise } from '../../promise.ts';
import { RecordScope } from '../record-scope.ts';
import { type Bucket, resultTime } from './bucket.ts';
import { type EmitResult, FoldContents, type WindowContents } from './contents.ts';
import { EvictingContents, ListContents } from './element-contents.ts';
import type { WindowOperator } from './window-operator.ts';

/** Where what windows hold is kept. */
export interface ContentsPlace {
  readonly store: StateStore;
  readonly operatorId: string;
}

/** How a window operation keeps and emits elements, before there is an operator to do it. */
export interface MakeContents<T, A> {
  readonly accumulator: ItemFormat<A>;
  /** True when all elements are kept until the window is given up. */
  readonly keepsElements: boolean;
  make(operator: WindowOperator<T, A>, gate: Gate, place: ContentsPlace): WindowContents<T, A>;
}

export function foldContents<K, T, A, R, OUT>(
  fn: AggregateFunction<T, A, R>,
  result: WindowResultFunction<K, R, OUT> | undefined,
  options: AccumulatorOptions<A>,
): MakeContents<T, A> {
  const accumulator = itemOf('window', options.codec);
  return {
    accumulator,
    keepsElements: false,
    make: (operator, gate) =>
      new FoldContents<T, A, R>(fn, accumulator, gate.operator, (aggregated, cell) => {
        if (result === undefined) return void operator.emitResult(aggregated, cell);
        const { window } = cell.value as Bucket<A>;
        const value = result(aggregated, { key: cell.key as K, window });
        if (!isPromise(value)) return void operator.emitResult(value, cell);
        return gate.continue(value, (settled) => operator.emitResult(settled, cell));
      }),
  };
}

/** With an evictor, results can only be computed from the elements that are left when the window fires. */
export function foldOfElements<K, T, A, R, OUT>(
  fn: AggregateFunction<T, A, R>,
  result: WindowResultFunction<K, R, OUT> | undefined,
): ElementsFunction<K, T> {
  return (key, window, elements, scope) => {
    const aggregated = fn.getResult(
      elements.reduce((acc, value) => fn.add(value, acc), fn.createAccumulator()),
    );
    if (result === undefined) return scope.collect(aggregated);
    const value = result(aggregated, { key, window });
    if (!isPromise(value)) return scope.collect(value);
    return Promise.resolve(value).then((settled) => scope.collect(settled));
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
  evictor: Evictor<T> | undefined,
): MakeContents<T, never> {
  const { codec } = options;
  return {
    accumulator: itemOf<never>('window', undefined),
    keepsElements: true,
    make: (operator, gate, { operatorId, store }) => {
      const place = { operator: operatorId, state: 'elements' };
      const emit = callWith(fn, operator, gate);
      if (evictor === undefined) {
        const item = itemOf('elements', codec);
        return new ListContents(store.slot({ ...place, format: listFormat(item) }), item, emit);
      }
      const item = itemOf('elements', codec === undefined ? undefined : timestampedCodec(codec));
      const slot = store.slot({ ...place, format: listFormat(item) });
      const context: EvictorContext = {
        currentWatermark: () => operator.watermarkNow(),
        currentProcessingTime: () => operator.currentProcessingTime(),
      };
      return new EvictingContents<T>(slot, item, evictor, context, gate, emit);
    },
  };
}

/** Calls the user's function with a scope that is open until it is done. */
function callWith<K, T>(
  fn: ElementsFunction<K, T>,
  operator: WindowOperator<T, never>,
  gate: Gate,
): EmitResult<readonly T[], never> {
  return (elements, cell) => {
    const bucket = cell.value as Bucket<never>;
    const scope = new RecordScope<K>(operator, cell.key as K, resultTime(bucket));
    let waiting;
    try {
      waiting = fn(cell.key as K, bucket.window, elements, scope);
    } catch (error) {
      scope.close();
      throw error;
    }
    if (isPromise(waiting)) return scope.closeAfter(waiting, gate.task);
    scope.close();
    return undefined;
  };
}

/** An element's time beside its value, for a codec that only knows values. */
function timestampedCodec<T>(codec: Codec<T>): Codec<TimestampedElement<T>> {
  const pair = jsonCodec<readonly [number, string | Uint8Array]>();
  return {
    name: `timestamped(${codec.name})`,
    encode: ({ value, timestamp }) => pair.encode([timestamp, codec.encode(value)]),
    decode: (data) => {
      const [timestamp, value] = pair.decode(data);
      return { value: codec.decode(value), timestamp };
    },
  };
}

function itemOf<A>(name: string, codec: Codec<A> | undefined): ItemFormat<A> {
  return new ItemFormat<A>({ name, schemaVersion: 1, codec, migrate: undefined });
}
