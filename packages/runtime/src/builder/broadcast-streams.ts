import {
  type BroadcastConnectedStreams,
  type BroadcastProcessFunction,
  type BroadcastStream,
  type DataStream,
  type KeyedBroadcastConnectedStreams,
  type KeyedBroadcastProcessFunction,
  type MapStateDescriptor,
  RsError,
  type StatefulOptions,
} from '@rs/core';
import type { DescribedState, NodeInput } from '../graph/node.ts';
import { BroadcastOperator } from '../operator/broadcast.ts';
import { broadcastStateName } from '../operator/broadcast-state.ts';
import { CoProcessOperator } from '../operator/co-process.ts';
import { broadcastFunctions } from '../operator/element-functions.ts';
import { KeyedBroadcastOperator } from '../operator/keyed-broadcast.ts';
import { checkMethods } from './checks.ts';
import type { KeyedConnection } from './connect.ts';
import type { BuilderHost } from './host.ts';
import { KeyedStatesBuilder } from './keyed-states.ts';
import { makeOperator } from './make-node.ts';

type Descriptors = readonly MapStateDescriptor<unknown, unknown>[];

export class BroadcastStreamBuilder<T> implements BroadcastStream<T> {
  readonly host: BuilderHost;
  readonly output: NodeInput;
  readonly descriptors: Descriptors;

  constructor(host: BuilderHost, input: NodeInput, descriptors: Descriptors, options: StatefulOptions) {
    checkDescriptors(descriptors);
    const node = makeOperator(host, options, {
      kind: 'broadcast',
      inputs: [input],
      routing: 'broadcast',
      detail: descriptors.length === 0 ? undefined : descriptors.map(({ name }) => name).join(', '),
      create: ({ outputs }) => new BroadcastOperator(outputs.main),
    });
    this.host = host;
    this.output = { node, tag: undefined };
    this.descriptors = Object.freeze([...descriptors]);
  }
}

export class BroadcastConnectedStreamsBuilder<A, B> implements BroadcastConnectedStreams<A, B> {
  readonly #input: NodeInput;
  readonly #broadcast: BroadcastStreamBuilder<B>;

  constructor(input: NodeInput, broadcast: BroadcastStreamBuilder<B>) {
    this.#input = input;
    this.#broadcast = broadcast;
  }

  process<OUT>(fn: BroadcastProcessFunction<A, B, OUT>, options: StatefulOptions = {}): DataStream<OUT> {
    checkMethods(fn, METHODS, 'process', 'a BroadcastProcessFunction');
    const { host, output, descriptors } = this.#broadcast;
    const functions = broadcastFunctions(fn);
    const node = makeOperator(host, options, {
      kind: 'coProcess',
      operation: 'process',
      inputs: [this.#input, output],
      sideOutputs: 'any',
      states: descriptors.map(described),
      create: ({ gate, outputs, store, operatorId }) =>
        new CoProcessOperator(gate, outputs, functions, { store, operatorId, descriptors }),
    });
    return host.dataStream<OUT>({ node, tag: undefined });
  }
}

export class KeyedBroadcastConnectedStreamsBuilder<K, A, B>
  extends KeyedStatesBuilder
  implements KeyedBroadcastConnectedStreams<K, A, B>
{
  readonly #connection: KeyedConnection;
  readonly #descriptors: Descriptors;

  constructor(connection: KeyedConnection, descriptors: Descriptors) {
    super(connection.binding);
    this.#connection = connection;
    this.#descriptors = descriptors;
  }

  process<OUT>(
    fn: KeyedBroadcastProcessFunction<K, A, B, OUT>,
    options: StatefulOptions = {},
  ): DataStream<OUT> {
    checkMethods(fn, METHODS, 'process', 'a KeyedBroadcastProcessFunction');
    const { host, node: connect, binding } = this.#connection;
    const descriptors = this.#descriptors;
    const owner = {};
    const node = makeOperator(host, options, {
      kind: 'coProcess',
      operation: 'process',
      inputs: [{ node: connect, tag: undefined }],
      sideOutputs: 'any',
      states: descriptors.map(described),
      create: ({ gate, outputs, store, operatorId, group }) => {
        const keyed = group(connect, binding);
        keyed.register(owner, operatorId);
        return new KeyedBroadcastOperator(gate, outputs, keyed, fn, owner, {
          store,
          operatorId,
          descriptors,
        });
      },
    });
    return host.dataStream<OUT>({ node, tag: undefined });
  }
}

const METHODS = ['processElement', 'processBroadcastElement'];

function described(descriptor: Descriptors[number]): DescribedState {
  return { ...descriptor, name: broadcastStateName(descriptor) };
}

function checkDescriptors(descriptors: Descriptors): void {
  const names = new Set<string>();
  for (const descriptor of descriptors) {
    if (descriptor?.kind !== 'map') {
      throw new RsError(
        'RS_INVALID_ARGUMENT',
        'broadcast needs descriptors made by mapState(name, options)',
        {
          details: { operation: 'broadcast', received: descriptor },
        },
      );
    }
    if (names.has(descriptor.name)) {
      throw new RsError(
        'RS_INVALID_ARGUMENT',
        `broadcast: two states have the name '${descriptor.name}'; give each its own`,
        { details: { operation: 'broadcast', state: descriptor.name } },
      );
    }
    names.add(descriptor.name);
  }
}
