import {
  type DataStream,
  type FilterFunction,
  type FlatMapFunction,
  type KeyedStream,
  type KeySelector,
  type MapFunction,
  type MaybePromise,
  type OperatorOptions,
  type OutputTag,
  RsError,
  type StatefulOptions,
  type StreamSink,
  type TimestampAssigner,
  type TimestampsAndWatermarks,
} from '@rs/core';
import { type GraphNode, labelOf, type NodeInput } from '../graph/node.ts';
import { KeyByOperator } from '../operator/key-by.ts';
import { KeyedBinding } from '../operator/keyed-binding.ts';
import { FilterOperator, FlatMapOperator, MapOperator } from '../operator/stateless.ts';
import { TimestampsOperator } from '../operator/timestamps.ts';
import { UnionOperator } from '../operator/union.ts';
import { checkFunction, checkTag } from './checks.ts';
import type { BuilderHost } from './host.ts';
import { KeyedStreamBuilder } from './keyed-stream.ts';
import { makeOperator, makeSink } from './make-node.ts';
import { printSink, toSink } from './sinks.ts';
import { type GeneratorSpec, isStatefulOptions, timestampsSpec } from './timestamps-spec.ts';

/** {@link DataStream} as a place in a graph that is being declared. */
export class DataStreamBuilder<T> implements DataStream<T> {
  readonly host: BuilderHost;
  readonly output: NodeInput;

  constructor(host: BuilderHost, output: NodeInput) {
    this.host = host;
    this.output = output;
  }

  map<R>(fn: MapFunction<T, R>, options: OperatorOptions = {}): DataStream<R> {
    checkFunction(fn, 'map');
    return this.#next(
      makeOperator(this.host, options, {
        kind: 'map',
        inputs: [this.output],
        create: ({ gate, outputs }) => new MapOperator(gate, outputs.main, fn),
      }),
    );
  }

  filter<S extends T>(predicate: (value: T) => value is S, options?: OperatorOptions): DataStream<S>;
  filter(predicate: FilterFunction<T>, options?: OperatorOptions): DataStream<T>;
  filter(predicate: FilterFunction<T>, options: OperatorOptions = {}): DataStream<T> {
    checkFunction(predicate, 'filter');
    return this.#next(
      makeOperator(this.host, options, {
        kind: 'filter',
        inputs: [this.output],
        create: ({ gate, outputs }) => new FilterOperator(gate, outputs.main, predicate),
      }),
    );
  }

  flatMap<R>(fn: FlatMapFunction<T, R>, options: OperatorOptions = {}): DataStream<R> {
    checkFunction(fn, 'flatMap');
    return this.#next(
      makeOperator(this.host, options, {
        kind: 'flatMap',
        inputs: [this.output],
        create: ({ gate, outputs }) => new FlatMapOperator(gate, outputs.main, fn),
      }),
    );
  }

  keyBy<K>(selector: KeySelector<T, K>, options: StatefulOptions = {}): KeyedStream<K, T> {
    checkFunction(selector, 'keyBy', 'a key selector');
    const binding = new KeyedBinding();
    const keyBy = makeOperator(this.host, options, {
      kind: 'keyBy',
      inputs: [this.output],
      binding,
      create: ({ gate, outputs, behind }) => new KeyByOperator(gate, outputs.main, selector, behind),
    });
    return new KeyedStreamBuilder<K, T>(this.host, { node: keyBy, tag: undefined }, { keyBy, binding });
  }

  union(...others: readonly DataStream<T>[]): DataStream<T>;
  union(others: readonly DataStream<T>[], options?: StatefulOptions): DataStream<T>;
  union(...all: readonly unknown[]): DataStream<T> {
    const [others, options = {}] = Array.isArray(all[0]) ? (all as UnionArray) : [all];
    const streams = [this, ...others].map((stream) => this.#own(stream));
    return this.#next(
      makeOperator(this.host, options, {
        kind: 'union',
        inputs: streams.map((stream) => stream.output),
        create: ({ outputs }) => new UnionOperator(outputs.main, streams.length),
      }),
    );
  }

  assignTimestampsAndWatermarks(
    strategy: TimestampsAndWatermarks<T>,
    options?: StatefulOptions,
  ): DataStream<T>;
  assignTimestampsAndWatermarks(generator: GeneratorSpec<T>, options?: StatefulOptions): DataStream<T>;
  assignTimestampsAndWatermarks(
    assigner: TimestampAssigner<T>,
    generator: GeneratorSpec<T>,
    options?: StatefulOptions,
  ): DataStream<T>;
  assignTimestampsAndWatermarks(
    first: TimestampsAndWatermarks<T> | GeneratorSpec<T> | TimestampAssigner<T>,
    second?: GeneratorSpec<T> | StatefulOptions,
    third?: StatefulOptions,
  ): DataStream<T> {
    const [generator, options = {}] = isStatefulOptions(second) ? [undefined, second] : [second, third];
    const spec = timestampsSpec(first, generator);
    return this.#next(
      makeOperator(this.host, options, {
        kind: 'timestamps',
        inputs: [this.output],
        create: ({ gate, outputs }) => new TimestampsOperator(gate, outputs.main, spec),
      }),
    );
  }

  getSideOutput<X>(tag: OutputTag<X>): DataStream<X> {
    checkTag(tag, 'getSideOutput');
    const { node } = this.output;
    const sideOutputs = node.kind === 'source' || node.kind === 'sink' ? undefined : node.sideOutputs;
    if (sideOutputs === undefined || this.output.tag !== undefined) {
      throw noSideOutput(tag.name, node, 'ask the stream that process() or a window operation returned');
    }
    if (sideOutputs !== 'any' && !sideOutputs.includes(tag.name)) {
      throw noSideOutput(tag.name, node, 'give the tag to sideOutputLateData() before it, or use process()');
    }
    return new DataStreamBuilder<X>(this.host, { node, tag: tag.name });
  }

  addSink(
    sink: StreamSink<T> | ((value: T) => MaybePromise<void>),
    options: StatefulOptions = {},
  ): DataStream<T> {
    this.host.attachSink(makeSink(this.host, options, this.output, toSink(sink)));
    return this;
  }

  print(prefix?: string | null): DataStream<T> {
    this.host.attachSink(
      makeSink(this.host, { name: 'print' }, this.output, printSink(this.host.logger, prefix ?? '')),
    );
    return this;
  }

  [Symbol.iterator](): Iterator<T> {
    return this.host.iterate(this.output) as Iterator<T>;
  }

  #next<R>(node: NodeInput['node']): DataStream<R> {
    return new DataStreamBuilder<R>(this.host, { node, tag: undefined });
  }

  #own(stream: unknown): DataStreamBuilder<T> {
    if (stream instanceof DataStreamBuilder && stream.host === this.host)
      return stream as DataStreamBuilder<T>;
    throw new RsError('RS_INVALID_ARGUMENT', 'union: all streams must come from the same environment');
  }
}

type UnionArray = [others: readonly unknown[], options?: StatefulOptions];

function noSideOutput(tag: string, node: GraphNode, advice: string): RsError {
  return new RsError(
    'RS_INVALID_ARGUMENT',
    `getSideOutput: a ${labelOf(node)} has no side output '${tag}'; ${advice}`,
    { details: { tag, operator: labelOf(node) } },
  );
}
