import {
  checkName,
  checkObject,
  type ConnectedStreams,
  type CoProcessFunction,
  type DataStream,
  type FlatMapFunction,
  type KeyedConnectedStreams,
  type KeySelector,
  type MapFunction,
  RsError,
  type StatefulOptions,
} from '@rs/core';
import type { NodeContext, NodeInput, OperatorNode } from '../graph/node.ts';
import { CoProcessOperator } from '../operator/co-process.ts';
import {
  coProcessFunctions,
  type ElementFunctions,
  flatMapFunctions,
  mapFunctions,
} from '../operator/element-functions.ts';
import { checkFunction, checkMethods } from './checks.ts';
import type { BuilderHost } from './host.ts';
import { makeOperator } from './make-node.ts';

/** A stream as this file uses it. */
export interface ConnectableStream<T> extends DataStream<T> {
  readonly host: BuilderHost;
  readonly output: NodeInput;
}

export class ConnectedStreamsBuilder<A, B> implements ConnectedStreams<A, B> {
  readonly #left: ConnectableStream<A>;
  readonly #right: ConnectableStream<B>;

  constructor(left: ConnectableStream<A>, right: ConnectableStream<B>) {
    this.#left = left;
    this.#right = right;
  }

  process<OUT>(fn: CoProcessFunction<A, B, OUT>, options: StatefulOptions = {}): DataStream<OUT> {
    checkMethods(fn, ['processElement1', 'processElement2'], 'process', 'a CoProcessFunction');
    const functions = coProcessFunctions(fn);
    return this.#next('process', options, { sideOutputs: 'any', functions: () => functions });
  }

  map<R1, R2 = R1>(
    fn1: MapFunction<A, R1>,
    fn2: MapFunction<B, R2>,
    options: StatefulOptions = {},
  ): DataStream<R1 | R2> {
    checkTwo(fn1, fn2, 'map');
    const functions = mapFunctions(fn1, fn2);
    return this.#next('map', options, { functions: () => functions });
  }

  flatMap<R1, R2 = R1>(
    fn1: FlatMapFunction<A, R1>,
    fn2: FlatMapFunction<B, R2>,
    options: StatefulOptions = {},
  ): DataStream<R1 | R2> {
    checkTwo(fn1, fn2, 'flatMap');
    return this.#next('flatMap', options, {
      functions: ({ task }) => flatMapFunctions(fn1, fn2, task),
    });
  }

  keyBy<K>(
    selector1: KeySelector<A, K>,
    selector2: KeySelector<B, K>,
    options: StatefulOptions = {},
  ): KeyedConnectedStreams<K, A, B> {
    checkTwo(selector1, selector2, 'keyBy', 'a key selector');
    checkObject(options, 'keyBy: options');
    const { uid } = options;
    if (uid !== undefined) checkUidOfBoth(uid);
    const side = (name: string): StatefulOptions => (uid === undefined ? {} : { uid: `${uid}.${name}` });
    return this.#left
      .keyBy(selector1, side('left'))
      .connect(this.#right.keyBy(selector2, side('right')), options);
  }

  #next<OUT>(
    operation: string,
    options: StatefulOptions,
    {
      sideOutputs,
      functions,
    }: Pick<OperatorNode, 'sideOutputs'> & {
      readonly functions: (context: NodeContext) => ElementFunctions<A, B>;
    },
  ): DataStream<OUT> {
    const { host } = this.#left;
    const node = makeOperator(host, options, {
      kind: 'coProcess',
      operation,
      inputs: [this.#left.output, this.#right.output],
      sideOutputs,
      create: (context) => {
        const { gate, outputs, store, operatorId } = context;
        const spec = { store, operatorId, descriptors: [] };
        return new CoProcessOperator(gate, outputs, functions(context), spec);
      },
    });
    return host.dataStream<OUT>({ node, tag: undefined });
  }
}

/** The longest uid that `.right` can be added to. */
const MAX_UID_OF_BOTH = 128 - '.right'.length;

function checkUidOfBoth(uid: string): void {
  checkName(uid, 'uid of keyBy');
  if (uid.length <= MAX_UID_OF_BOTH) return;
  throw new RsError(
    'RS_INVALID_NAME',
    `keyBy: the two streams get this uid with '.left' and with '.right', so it may have at most ${MAX_UID_OF_BOTH} characters, but it has ${uid.length}`,
    { details: { operation: 'keyBy', received: uid } },
  );
}

function checkTwo(first: unknown, second: unknown, operation: string, what = 'a function'): void {
  checkFunction(first, operation, `${what} for the first stream`);
  checkFunction(second, operation, `${what} for the second stream`);
}
