import {
  type AccumulatorOptions,
  type BroadcastStream,
  type CogroupedStreams,
  type DataStream,
  type KeyedBroadcastConnectedStreams,
  type KeyedConnectedStreams,
  type KeyedProcessFunction,
  type KeyedStream,
  type MapFunction,
  type NumberField,
  type NumberOf,
  type OperatorOptions,
  type ProcessElementFunction,
  type ReduceFunction,
  RsError,
  type StatefulOptions,
  type SumOf,
  type WindowAssigner,
  type WindowedStream,
} from '@rs/core';
import type { NodeInput, OperatorNode } from '../graph/node.ts';
import type { KeyedBinding } from '../operator/keyed-binding.ts';
import { NUMERIC, type Numeric, readNumber } from '../operator/numbers.ts';
import { ProcessOperator } from '../operator/process.ts';
import { type RollingFold, RollingOperator } from '../operator/rolling.ts';
import { KeyedMapOperator } from '../operator/stateless.ts';
import { BroadcastStreamBuilder, KeyedBroadcastConnectedStreamsBuilder } from './broadcast-streams.ts';
import { checkAccumulatorOptions, checkFunction, checkMethods } from './checks.ts';
import {
  checkSameEnvironment,
  connectKeyed,
  keyedAndNot,
  type KeyedConnection,
  noStream,
} from './connect.ts';
import type { BuilderHost } from './host.ts';
import { KeyedConnectedStreamsBuilder } from './keyed-connected-streams.ts';
import { KeyedStatesBuilder } from './keyed-states.ts';
import { makeOperator } from './make-node.ts';
import { checkAssigner } from './window-checks.ts';
import { WindowedStreamBuilder, windowSettings } from './windowed-stream.ts';

/** The keyBy that a keyed stream comes from, and what has been declared on it. */
export interface KeyedOrigin {
  readonly keyBy: OperatorNode;
  readonly binding: KeyedBinding;
}

export class KeyedStreamBuilder<K, T> extends KeyedStatesBuilder implements KeyedStream<K, T> {
  readonly #host: BuilderHost;
  readonly #output: NodeInput;
  readonly #origin: KeyedOrigin;

  constructor(host: BuilderHost, output: NodeInput, origin: KeyedOrigin) {
    super(origin.binding);
    this.#host = host;
    this.#output = output;
    this.#origin = origin;
  }

  map<R>(fn: MapFunction<T, R>, options: OperatorOptions = {}): KeyedStream<K, R> {
    checkFunction(fn, 'map');
    const { keyBy, binding } = this.#origin;
    const node = makeOperator(this.#host, options, {
      kind: 'keyedMap',
      operation: 'map',
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
    return new WindowedStreamBuilder<K, T>(this.#host, this.#output, windowSettings(this.#host, assigner));
  }

  connect<B>(other: KeyedStream<K, B>, options?: StatefulOptions): KeyedConnectedStreams<K, T, B>;
  connect<B>(other: BroadcastStream<B>, options?: StatefulOptions): KeyedBroadcastConnectedStreams<K, T, B>;
  connect<B>(
    other: KeyedStream<K, B> | BroadcastStream<B>,
    options: StatefulOptions = {},
  ): KeyedConnectedStreams<K, T, B> | KeyedBroadcastConnectedStreams<K, T, B> {
    if (other instanceof BroadcastStreamBuilder) {
      checkSameEnvironment(this.#host, other.host, 'connect');
      const connection = connectKeyed(this.#host, [this.#output, other.output], false, options, 'connect');
      return new KeyedBroadcastConnectedStreamsBuilder<K, T, B>(connection, other.descriptors);
    }
    return new KeyedConnectedStreamsBuilder<K, T, B>(this.#join(other, 'connect', options));
  }

  cogroup<B>(other: KeyedStream<K, B>, options: StatefulOptions = {}): CogroupedStreams<K, T, B> {
    const connection = this.#join(other, 'cogroup', options);
    return new KeyedConnectedStreamsBuilder<K, T, B>(connection);
  }

  #join(other: unknown, operation: string, options: StatefulOptions): KeyedConnection {
    if (!(other instanceof KeyedStreamBuilder)) {
      if (isUnkeyed(other)) throw keyedAndNot(operation);
      throw noStream(operation, 'another keyed stream', other);
    }
    checkSameEnvironment(this.#host, other.#host, operation);
    return connectKeyed(this.#host, [this.#output, other.#output], true, options, operation);
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
    checkAccumulatorOptions(options, kind);
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

/** Streams without keys are made elsewhere; what tells them apart is that they can be given keys and a sink. */
function isUnkeyed(stream: unknown): boolean {
  const { keyBy, addSink } = (stream ?? {}) as Partial<DataStream<unknown>>;
  return typeof keyBy === 'function' && typeof addSink === 'function';
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
