import { checkName, checkObject, RsError, type StatefulOptions } from '@rs/core';
import type { AnySink, NodeInput, OperatorNode, SinkNode, SourceNode } from '../graph/node.ts';
import type { BuilderHost } from './host.ts';

type OperatorDraft = Omit<OperatorNode, 'declared' | 'uid' | 'name'>;

/** How users call an operation. */
interface Calling {
  /** The method that they called. Default: the name. */
  readonly method?: string;
  /** The name of an operator that they gave none. Default: the operation. */
  readonly name?: string;
}

/** @throws RsError `RS_INVALID_ARGUMENT` when the options are no object or the name no string, `RS_INVALID_NAME` */
export function makeOperator(
  host: BuilderHost,
  options: StatefulOptions,
  draft: OperatorDraft,
  { name = draft.operation ?? draft.kind, method = name }: Calling = {},
): OperatorNode {
  return Object.freeze({ ...draft, ...named(host, options, { name, method }) });
}

export function makeSink(
  host: BuilderHost,
  options: StatefulOptions,
  input: NodeInput,
  sink: AnySink,
): SinkNode {
  const calling = { name: 'sink', method: 'addSink' };
  return Object.freeze({ kind: 'sink', inputs: [input], sink, ...named(host, options, calling) });
}

/** @param source what the engine will read; the kernel does not look into it */
export function makeSource(
  host: BuilderHost,
  name: string,
  source: unknown,
  { uid, detail }: Partial<Pick<SourceNode, 'uid' | 'detail'>> = {},
): SourceNode {
  const options = uid === undefined ? { name } : { name, uid };
  const calling = { name: 'source', method: 'source' };
  return Object.freeze({ kind: 'source', inputs: [], source, detail, ...named(host, options, calling) });
}

function named(host: BuilderHost, options: StatefulOptions, { name, method }: Required<Calling>) {
  checkObject(options, `${method}: options`);
  const { uid, name: given = name } = options;
  if (typeof given !== 'string') {
    throw new RsError(
      'RS_INVALID_ARGUMENT',
      `${method}: name must be a string, got ${given === null ? 'null' : typeof given}`,
      {
        details: { operation: method, received: given },
      },
    );
  }
  return {
    uid: uid === undefined ? undefined : checkName(uid, `uid of ${method}`),
    name: given,
    declared: host.nextNumber(),
  };
}
