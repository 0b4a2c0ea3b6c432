import type {
  CogroupedWindows,
  DataStream,
  KeyedCoProcessFunction,
  KeyedConnectedStreams,
  StatefulOptions,
  WindowAssigner,
} from '@rs/core';
import { ofBothSides } from '../operator/co-functions.ts';
import { ProcessOperator } from '../operator/process.ts';
import { checkMethods } from './checks.ts';
import { CogroupedWindowsBuilder } from './cogrouped-windows.ts';
import type { KeyedConnection } from './connect.ts';
import { KeyedStatesBuilder } from './keyed-states.ts';
import { makeOperator } from './make-node.ts';
import { checkAssigner } from './window-checks.ts';

export class KeyedConnectedStreamsBuilder<K, A, B>
  extends KeyedStatesBuilder
  implements KeyedConnectedStreams<K, A, B>
{
  readonly #connection: KeyedConnection;

  constructor(connection: KeyedConnection) {
    super(connection.binding);
    this.#connection = connection;
  }

  process<OUT>(fn: KeyedCoProcessFunction<K, A, B, OUT>, options: StatefulOptions = {}): DataStream<OUT> {
    checkMethods(fn, ['processElement1', 'processElement2'], 'process', 'a KeyedCoProcessFunction');
    const { host, node: connect, binding } = this.#connection;
    const owner = {};
    const functions = ofBothSides(fn);
    const node = makeOperator(host, options, {
      kind: 'coProcess',
      operation: 'process',
      inputs: [{ node: connect, tag: undefined }],
      sideOutputs: 'any',
      create: ({ gate, outputs, operatorId, group }) => {
        const keyed = group(connect, binding);
        keyed.register(owner, operatorId);
        return new ProcessOperator(gate, outputs, keyed, functions, owner);
      },
    });
    return host.dataStream<OUT>({ node, tag: undefined });
  }

  window(assigner: WindowAssigner<A | B>): CogroupedWindows<K, A, B> {
    checkAssigner(assigner);
    const { host, node } = this.#connection;
    return CogroupedWindowsBuilder.of<K, A, B>(host, { node, tag: undefined }, assigner);
  }
}
