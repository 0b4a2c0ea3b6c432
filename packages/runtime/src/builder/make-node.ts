import { checkName, type StatefulOptions } from '@rs/core';
import type { AnySink, NodeInput, OperatorNode, SinkNode, SourceNode } from '../graph/node.ts';
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
  sink: AnySink,
): SinkNode {
  return Object.freeze({ kind: 'sink', inputs: [input], sink, ...named(host, options, 'sink') });
}

/** @param source what the engine will read; the kernel does not look into it */
export function makeSource(
  host: BuilderHost,
  name: string,
  source: unknown,
  { uid, detail }: Partial<Pick<SourceNode, 'uid' | 'detail'>> = {},
): SourceNode {
  const options = uid === undefined ? { name } : { name, uid };
  return Object.freeze({ kind: 'source', inputs: [], source, detail, ...named(host, options, 'source') });
}

function named(host: BuilderHost, { uid, name }: StatefulOptions, kind: string) {
  return {
    uid: uid === undefined ? undefined : checkName(uid, `uid of ${kind}`),
    name: name ?? kind,
    declared: host.nextNumber(),
  };
}
