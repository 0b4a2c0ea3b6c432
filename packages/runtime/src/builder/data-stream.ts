import {
  type AsyncMapFunction,
  type BroadcastConnectedStreams,
  type BroadcastStream,
  checkObject,
  type ConnectedStreams,
  type DataStream,
  type FilterFunction,
  type FlatMapFunction,
  type KeyByOptions,
  type KeyedStream,
  type KeySelector,
  type MapAsyncOptions,
  type MapFunction,
  type MapStateDescriptor,
  type MaybePromise,
  type OperatorOptions,
  type OutputTag,
  RsError,
  type StatefulOptions,
  type StreamSink,
  type TimestampAssigner,
  type TimestampsAndWatermarks,
  type TwoPhaseCommitSink,
} from '@rs/core';
import { type GraphNode, labelOf, type NodeInput, type OperatorNode } from '../graph/node.ts';
import { MapAsyncOperator } from '../operator/async-map/map-async.ts';
import { ColocatedKeyByOperator, MessageKeyOperator } from '../operator/colocated.ts';
import { KeyByOperator } from '../operator/key-by.ts';
import { KeyedBinding } from '../operator/keyed-binding.ts';
import { FilterOperator, FlatMapOperator, MapOperator } from '../operator/stateless.ts';
import { TimestampsOperator } from '../operator/timestamps.ts';
import { UnionOperator } from '../operator/union.ts';
import { BroadcastConnectedStreamsBuilder, BroadcastStreamBuilder } from './broadcast-streams.ts';
import { checkChoice, checkFunction, checkTag } from './checks.ts';
import { checkSameEnvironment, keyedAndNot, noStream } from './connect.ts';
import { ConnectedStreamsBuilder } from './connected-streams.ts';
import type { BuilderHost } from './host.ts';
import { KeyedStreamBuilder } from './keyed-stream.ts';
import { makeOperator, makeSink } from './make-node.ts';
import { mapAsyncSpec } from './map-async-spec.ts';
import { checkHasMessageKey } from './message-key.ts';
import { printSink, toSink } from './sinks.ts';
import { type GeneratorSpec, isStatefulOptions, timestampsSpec } from './timestamps-spec.ts';
import { withDefaults } from './watermark-defaults.ts';

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

  mapAsync<R>(fn: AsyncMapFunction<T, R>, options: MapAsyncOptions = {}): DataStream<R> {
    const spec = mapAsyncSpec(fn, options);
    return this.#next(
      makeOperator(this.host, options, {
        kind: 'mapAsync',
        inputs: [this.output],
        detail: `concurrency ${spec.concurrency}${spec.ordered ? '' : ', unordered'}`,
        create: ({ gate, outputs }) => new MapAsyncOperator(gate, outputs.main, spec),
      }),
    );
  }

  keyBy<K>(selector: KeySelector<T, K>, options: KeyByOptions = {}): KeyedStream<K, T> {
    checkFunction(selector, 'keyBy', 'a key selector');
    checkObject(options, 'keyBy: options');
    const { colocated = false } = options;
    checkChoice(colocated, [true, false], 'keyBy: colocated');
    return this.#keyed<K>(options, {
      routing: colocated ? 'colocated' : 'exchange',
      detail: colocated ? 'colocated' : undefined,
      create: ({ gate, outputs, behind, partition, partitions }) =>
        colocated
          ? new ColocatedKeyByOperator(gate, outputs.main, selector, behind, { partition, partitions })
          : new KeyByOperator(gate, outputs.main, selector, behind),
    });
  }

  keyByMessageKey(options: StatefulOptions = {}): KeyedStream<string, T> {
    checkHasMessageKey(this.output);
    return this.#keyed<string>(
      options,
      {
        routing: 'messageKey',
        create: ({ gate, outputs, behind, partition, partitions }) =>
          new MessageKeyOperator(gate, outputs.main, behind, { partition, partitions }),
      },
      'keyByMessageKey',
    );
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
        create: ({ task, outputs }) => new UnionOperator(task, outputs.main, streams.length),
      }),
    );
  }

  connect<B>(other: DataStream<B>): ConnectedStreams<T, B>;
  connect<B>(other: BroadcastStream<B>): BroadcastConnectedStreams<T, B>;
  connect<B>(
    other: DataStream<B> | BroadcastStream<B>,
  ): ConnectedStreams<T, B> | BroadcastConnectedStreams<T, B> {
    if (other instanceof BroadcastStreamBuilder) {
      checkSameEnvironment(this.host, other.host, 'connect');
      return new BroadcastConnectedStreamsBuilder<T, B>(this.output, other as BroadcastStreamBuilder<B>);
    }
    if (other instanceof KeyedStreamBuilder) throw keyedAndNot('connect');
    if (!(other instanceof DataStreamBuilder)) throw noStream('connect', 'another stream', other);
    checkSameEnvironment(this.host, other.host, 'connect');
    return new ConnectedStreamsBuilder<T, B>(this, other);
  }

  broadcast(...descriptors: Descriptors): BroadcastStream<T>;
  broadcast(descriptors: Descriptors, options?: StatefulOptions): BroadcastStream<T>;
  broadcast(...all: readonly unknown[]): BroadcastStream<T> {
    const [descriptors, options = {}] = Array.isArray(all[0])
      ? (all as DescriptorArray)
      : [all as Descriptors];
    return new BroadcastStreamBuilder<T>(this.host, this.output, descriptors, options);
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
    const [generator, options = {}] = isStatefulOptions(second, first)
      ? [undefined, second]
      : [second, third];
    const spec = timestampsSpec(first, generator);
    return this.#next(
      makeOperator(
        this.host,
        options,
        {
          kind: 'timestamps',
          inputs: [this.output],
          create: ({ gate, outputs }) =>
            new TimestampsOperator(
              gate,
              outputs.main,
              withDefaults(spec, this.host.watermarks, gate.task.options.clock),
            ),
        },
        { method: 'assignTimestampsAndWatermarks' },
      ),
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

  addSink<Txn>(
    sink: TwoPhaseCommitSink<T, Txn> | StreamSink<T> | ((value: T) => MaybePromise<void>),
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

  #keyed<K>(
    options: StatefulOptions,
    draft: Pick<OperatorNode, 'routing' | 'detail' | 'create'>,
    name = 'keyBy',
  ): KeyedStream<K, T> {
    const binding = new KeyedBinding();
    const keyBy = makeOperator(
      this.host,
      options,
      { ...draft, kind: 'keyBy', inputs: [this.output], binding },
      { name },
    );
    return new KeyedStreamBuilder<K, T>(this.host, { node: keyBy, tag: undefined }, { keyBy, binding });
  }

  #next<R>(node: NodeInput['node']): DataStream<R> {
    return new DataStreamBuilder<R>(this.host, { node, tag: undefined });
  }

  #own(stream: unknown): DataStreamBuilder<T> {
    if (!(stream instanceof DataStreamBuilder)) throw noStream('union', 'streams without keys', stream);
    checkSameEnvironment(this.host, stream.host, 'union');
    return stream as DataStreamBuilder<T>;
  }
}

type Descriptors = readonly MapStateDescriptor<unknown, unknown>[];
type DescriptorArray = [descriptors: Descriptors, options?: StatefulOptions];
type UnionArray = [others: readonly unknown[], options?: StatefulOptions];

function noSideOutput(tag: string, node: GraphNode, advice: string): RsError {
  return new RsError(
    'RS_INVALID_ARGUMENT',
    `getSideOutput: a ${labelOf(node)} has no side output '${tag}'; ${advice}`,
    { details: { tag, operator: labelOf(node) } },
  );
}
