import { RsError, type StatefulOptions } from '@rs/core';
import type { NodeInput, OperatorNode } from '../graph/node.ts';
import { ConnectOperator } from '../operator/connect.ts';
import { KeyedBinding } from '../operator/keyed-binding.ts';
import type { BuilderHost } from './host.ts';
import { makeOperator } from './make-node.ts';

/** Two keyed inputs, or a keyed and a broadcast one, and what is declared on the stream that they make. */
export interface KeyedConnection {
  readonly host: BuilderHost;
  readonly node: OperatorNode;
  readonly binding: KeyedBinding;
}

/**
 * @param joinsKeys true where both inputs have keys
 * @param operation the method that connects them
 */
export function connectKeyed(
  host: BuilderHost,
  inputs: readonly [NodeInput, NodeInput],
  joinsKeys: boolean,
  options: StatefulOptions,
  operation: string,
): KeyedConnection {
  const binding = new KeyedBinding('connected streams');
  const node = makeOperator(
    host,
    options,
    {
      kind: 'connect',
      inputs,
      binding,
      joinsKeys,
      create: ({ task, outputs, behind }) => new ConnectOperator(task, outputs.main, behind),
    },
    { name: operation },
  );
  return { host, node, binding };
}

export function checkSameEnvironment(one: BuilderHost, other: BuilderHost, operation: string): void {
  if (one === other) return;
  throw new RsError('RS_INVALID_ARGUMENT', `${operation}: all streams must come from the same environment`, {
    details: { operation },
  });
}

/** The error for two streams of which one has keys and the other has none. */
export function keyedAndNot(operation: string): RsError {
  return new RsError(
    'RS_INVALID_ARGUMENT',
    `${operation}: one of the streams has keys and the other has none; keyBy both, or broadcast the one without keys`,
    { details: { operation } },
  );
}

/** The error for what is no stream. */
export function noStream(operation: string, needed: string, received: unknown): RsError {
  return new RsError(
    'RS_INVALID_ARGUMENT',
    `${operation} needs ${needed}, got ${received === null ? 'null' : typeof received}`,
    { details: { operation } },
  );
}
