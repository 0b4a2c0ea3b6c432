import { RsError, type StateDescriptor } from '@rs/core';
import { type GraphNode, labelOf, type LogicalGraph } from '@rs/runtime';

/** Kinds whose functions declare states in `open`: which ones, only those know that have run them. */
const DECLARING: ReadonlySet<string> = new Set(['process', 'coProcess']);

/**
 * Refuses what cannot be asked for, where that is known before it is read.
 *
 * @throws RsError `RS_INVALID_ARGUMENT` for an operator that the job has not, what is no descriptor, and a state of another kind;
 *   `RS_STATE_UNDECLARED`
 */
export function checkQuery(graph: LogicalGraph, uid: string, descriptor: StateDescriptor): void {
  const node = nodeOf(graph, uid);
  const { name, kind } = checkedDescriptor(descriptor);
  if (DECLARING.has(node.kind)) return;
  const declared = declaredBy(node);
  const found = declared.find((one) => one.name === name);
  if (found !== undefined && found.kind !== kind) {
    throw new RsError(
      'RS_INVALID_ARGUMENT',
      `queryState: state '${name}' of ${labelOf(node)} is a ${found.kind} state, not a ${kind} state`,
      { details: { uid, state: name } },
    );
  }
  if (found !== undefined) return;
  const known = declared.map((one) => one.name);
  throw new RsError(
    'RS_STATE_UNDECLARED',
    `queryState: ${labelOf(node)} has declared no state '${name}'; ` +
      (known.length === 0
        ? 'states belong to the keyBy on whose stream they are declared, or to the process that declares them in open'
        : `it has ${known.join(', ')}`),
    { details: { uid, state: name, known } },
  );
}

function nodeOf(graph: LogicalGraph, uid: string): GraphNode {
  const found = graph.nodes.find((node) => graph.operatorId(node) === uid);
  if (found !== undefined) return found;
  const operators = graph.nodes.map((node) => graph.operatorId(node));
  throw new RsError(
    'RS_INVALID_ARGUMENT',
    `queryState: the job has no operator '${String(uid)}'; it has ${operators.join(', ')}`,
    { details: { uid, operators } },
  );
}

function declaredBy(node: GraphNode): readonly StateDescriptor[] {
  if (node.kind === 'source' || node.kind === 'sink') return [];
  const declared = node.binding?.declared().filter(({ owner }) => owner === undefined) ?? [];
  return declared.map(({ descriptor }) => descriptor);
}

function checkedDescriptor(descriptor: StateDescriptor): StateDescriptor {
  const { name, kind } = (descriptor ?? {}) as Partial<StateDescriptor>;
  if (typeof name === 'string' && typeof kind === 'string') return descriptor;
  throw new RsError(
    'RS_INVALID_ARGUMENT',
    'queryState needs the descriptor of the state, such as valueState(name) makes',
    { details: { received: descriptor } },
  );
}
