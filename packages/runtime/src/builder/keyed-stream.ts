import {
  type AccumulatorOptions,
  type DataStream,
  type KeyedProcessFunction,
  type KeyedStream,
  type ListState,
  type ListStateDescriptor,
  type MapFunction,
  type MapState,
  type MapStateDescriptor,
  type NumberField,
  type NumberOf,
  type OperatorOptions,
  type ProcessElementFunction,
  type ReduceFunction,
  RsError,
  type SetState,
  type SetStateDescriptor,
  type StateDescriptor,
  type StatefulOptions,
  type StateKind,
  type StateOf,
  type SumOf,
  type ValueState,
  type ValueStateDescriptor,
  type WindowAssigner,
  type WindowedStream,
} from '@rs/core';
import type { NodeInput, OperatorNode } from '../graph/node.ts';
import type { KeyedBinding } from '../operator/keyed-binding.ts';
import { NUMERIC, type Numeric, readNumber } from '../operator/numbers.ts';
import { ProcessOperator } from '../operator/process.ts';
import { type RollingFold, RollingOperator } from '../operator/rolling.ts';
import { KeyedMapOperator } from '../operator/stateless.ts';
import { checkChoice, checkFunction, checkMethods } from './checks.ts';
import type { BuilderHost } from './host.ts';
import { makeOperator } from './make-node.ts';
import { WindowedStreamBuilder } from './windowed-stream.ts';

/** The keyBy that a keyed stream comes from, and what has been declared on it. */
export interface KeyedOrigin {
  readonly keyBy: OperatorNode;
  readonly binding: KeyedBinding;
}

export class KeyedStreamBuilder<K, T> implements KeyedStream<K, T> {
  readonly #host: BuilderHost;
  readonly #output: NodeInput;
  readonly #origin: KeyedOrigin;

  constructor(host: BuilderHost, output: NodeInput, origin: KeyedOrigin) {
    this.#host = host;
    this.#output = output;
    this.#origin = origin;
  }

  map<R>(fn: MapFunction<T, R>, options: OperatorOptions = {}): KeyedStream<K, R> {
    checkFunction(fn, 'map');
    const { keyBy, binding } = this.#origin;
    const node = makeOperator(this.#host, options, {
      kind: 'keyedMap',
      inputs: [this.#output],
      create: ({ gate, outputs, group }) =>
        new KeyedMapOperator(gate, outputs.main, group(keyBy, binding), fn),
    });
    return new KeyedStreamBuilder<K, R>(this.#host, { node, tag: undefined }, this.#origin);
  }

  process<R>(
    fn: KeyedProcessFunction<K, T, R> | ProcessElementFunction<K, T, R>,
    options: StatefulOptions = {},
  ): DataStream<R> {
    const processFunction: KeyedProcessFunction<K, T, R> =
      typeof fn === 'function' ? { processElement: fn } : fn;
    checkMethods(processFunction, ['processElement'], 'process', 'a function or a KeyedProcessFunction');
    const { keyBy, binding } = this.#origin;
    // Identity of this operation in the binding, the same on all partitions.
    const owner = {};
    return this.#next(
      makeOperator(this.#host, options, {
        kind: 'process',
        inputs: [this.#output],
        sideOutputs: 'any',
        create: ({ gate, outputs, operatorId, group }) => {
          const keyed = group(keyBy, binding);
          keyed.register(owner, operatorId);
          return new ProcessOperator(gate, outputs, keyed, processFunction, owner);
        },
      }),
    );
  }

  window(assigner: WindowAssigner<T>): WindowedStream<K, T> {
    checkAssigner(assigner);
    return new WindowedStreamBuilder<K, T>(this.#host, this.#output, {
      assigner,
      trigger: assigner.getDefaultTrigger(),
      lateness: this.#host.windowAllowedLateness,
      latenessMode: this.#host.windowLatenessMode,
      lateTag: undefined,
      evictor: assigner.getDefaultEvictor?.(),
    });
  }

  reduce(fn: ReduceFunction<T>, options: AccumulatorOptions<T> = {}): DataStream<T> {
    checkFunction(fn, 'reduce');
    return this.#rolling<T, T>('reduce', options, {
      fold: (value, accumulated) =>
        accumulated === undefined ? reducible(value) : reduced(fn(accumulated, value)),
      result: (accumulated) => accumulated,
    });
  }

  sum<N extends Numeric | null | undefined>(
    field: (value: T) => N,
    options?: StatefulOptions,
  ): DataStream<SumOf<N>>;
  sum<N extends Numeric>(
    this: KeyedStream<K, N>,
    field?: undefined,
    options?: StatefulOptions,
  ): DataStream<SumOf<N>>;
  sum(field?: NumberField<T>, options: StatefulOptions = {}): DataStream<Numeric> {
    checkField(field, 'sum');
    // null: only records without a number so far; their sum is 0.
    return this.#rolling<Numeric | null, Numeric>('sum', options, {
      fold: (value, accumulated) => {
        const number = readNumber(value, field);
        if (number === undefined) return accumulated ?? null;
        return accumulated === undefined || accumulated === null ? number : NUMERIC.sum(accumulated, number);
      },
      result: (accumulated) => accumulated ?? 0,
    });
  }

  min<N extends Numeric | null | undefined>(
    field: (value: T) => N,
    options?: StatefulOptions,
  ): DataStream<NumberOf<N>>;
  min<N extends Numeric>(
    this: KeyedStream<K, N>,
    field?: undefined,
    options?: StatefulOptions,
  ): DataStream<NumberOf<N>>;
  min(field?: NumberField<T>, options: StatefulOptions = {}): DataStream<Numeric> {
    return this.#extreme('min', field, options);
  }

  max<N extends Numeric | null | undefined>(
    field: (value: T) => N,
    options?: StatefulOptions,
  ): DataStream<NumberOf<N>>;
  max<N extends Numeric>(
    this: KeyedStream<K, N>,
    field?: undefined,
    options?: StatefulOptions,
  ): DataStream<NumberOf<N>>;
  max(field?: NumberField<T>, options: StatefulOptions = {}): DataStream<Numeric> {
    return this.#extreme('max', field, options);
  }

  getState<V>(descriptor: ValueStateDescriptor<V>): ValueState<V> {
    return this.#declare(descriptor, 'value', 'getState');
  }

  getMapState<MK, MV>(descriptor: MapStateDescriptor<MK, MV>): MapState<MK, MV> {
    return this.#declare(descriptor, 'map', 'getMapState');
  }

  getListState<E>(descriptor: ListStateDescriptor<E>): ListState<E> {
    return this.#declare(descriptor, 'list', 'getListState');
  }

  getSetState<E>(descriptor: SetStateDescriptor<E>): SetState<E> {
    return this.#declare(descriptor, 'set', 'getSetState');
  }

  #declare<D extends StateDescriptor>(descriptor: D, kind: StateKind, method: string): StateOf<D> {
    if (descriptor?.kind !== kind) {
      throw new RsError(
        'RS_INVALID_ARGUMENT',
        `${method} needs a descriptor made by ${kind}State(name, options)`,
        {
          details: { method, received: descriptor },
        },
      );
    }
    return this.#origin.binding.declare(descriptor);
  }

  #extreme(
    kind: 'min' | 'max',
    field: NumberField<T> | undefined,
    options: StatefulOptions,
  ): DataStream<Numeric> {
    checkField(field, kind);
    return this.#rolling<Numeric, Numeric>(kind, options, {
      fold: (value, accumulated) => {
        const number = readNumber(value, field);
        if (number === undefined) return accumulated;
        return accumulated === undefined ? number : NUMERIC[kind](accumulated, number);
      },
      result: (accumulated) => accumulated,
    });
  }

  #rolling<A, R>(
    kind: 'reduce' | 'sum' | 'min' | 'max',
    options: AccumulatorOptions<A>,
    fold: RollingFold<T, A, R>,
  ): DataStream<R> {
    const { keyBy, binding } = this.#origin;
    return this.#next(
      makeOperator(this.#host, options, {
        kind,
        inputs: [this.#output],
        states: [{ name: 'accumulator', kind: 'value', schemaVersion: 1 }],
        create: ({ gate, outputs, operatorId, group }) =>
          new RollingOperator(gate, outputs.main, group(keyBy, binding), fold, {
            operatorId,
            codec: options.codec,
          }),
      }),
    );
  }

  #next<R>(node: OperatorNode): DataStream<R> {
    return this.#host.dataStream<R>({ node, tag: undefined });
  }
}

function reducible<T>(value: T): T {
  if (value !== undefined) return value;
  throw new RsError(
    'RS_INVALID_VALUE',
    'a record is undefined, which cannot be kept; map it to a value before the reduce',
  );
}

function reduced<T>(value: T): T {
  if (value !== undefined) return value;
  throw new RsError('RS_INVALID_VALUE', 'a reduce function returned undefined; return the combined value');
}

function checkField(field: unknown, operation: string): void {
  if (field !== undefined) checkFunction(field, operation, 'a function that reads the number');
}

function checkAssigner(assigner: WindowAssigner<never>): void {
  const methods = ['assignWindows', 'getDefaultTrigger', 'supportsWindowMerging', 'describe'];
  checkMethods(assigner, methods, 'window', 'a window assigner');
  checkChoice(assigner.timeDomain, ['event', 'processing'], "window: the assigner's timeDomain");
}
