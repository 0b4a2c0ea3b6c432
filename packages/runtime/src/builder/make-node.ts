import { checkName, type StatefulOptions, type StreamSink } from '@rs/core';
import type { NodeInput, OperatorNode, SinkNode, SourceNode } from '../graph/node.ts';
import type { BuilderHost } from './host.ts';

type OperatorDraft = Omit<OperatorNode, 'declared' | 'uid' | 'name'>;

export function makeOperator(
  host: BuilderHost,
  options: StatefulOptions,
  draft: OperatorDraft,
): OperatorNode {
  return Object.freeze({ ...draft, ...named(host, options, draft.kind) });
}

export function makeSink(
  host: BuilderHost,
  options: StatefulOptions,
  input: NodeInput,
  sink: StreamSink<never>,
): SinkNode {
  return Object.freeze({ kind: 'sink', inputs: [input], sink, ...named(host, options, 'sink') });
}

/** @param source what the engine will read; the kernel does not look into it */
export function makeSource(host: BuilderHost, name: string, source: unknown): SourceNode {
  return Object.freeze({ kind: 'source', inputs: [], source, ...named(host, { name }, 'source') });
}

function named(host: BuilderHost, { uid, name }: StatefulOptions, kind: string) {
  return {
    uid: uid === undefined ? undefined : checkName(uid, `uid of ${kind}`),
    name: name ?? kind,
    declared: host.nextNumber(),
  };
}
