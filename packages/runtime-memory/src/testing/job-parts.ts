import { type OutputTag, RsError, type StateDescriptor } from '@rs/core';
import { type GraphNode, labelOf, type LogicalGraph } from '@rs/runtime';
import type { SimulatedState } from '@rs/runtime/testing';
import { shown } from '../shown.ts';

/**
 * The id of the sink that a name or uid means; without a name, that of the only one.
 *
 * @throws RsError `RS_INVALID_ARGUMENT`
 */
export function sinkId(graph: LogicalGraph, name: string | undefined, method: string): string {
  if (name !== undefined && typeof name !== 'string') {
    throw refused(
      method,
      `needs the uid or name of a sink, or nothing for the only one, got ${shown(name)}`,
      {
        received: name,
      },
    );
  }
  const named = graph.sinks.filter((sink) => [graph.operatorId(sink), sink.name].includes(name ?? sink.name));
  const [sink, another] = named;
  if (sink !== undefined && another === undefined) return graph.operatorId(sink);
  const sinks = graph.sinks.map((one) => shownSink(graph, one));
  const problem =
    name === undefined
      ? `the job has ${sinks.length} sinks, so say which one`
      : sink === undefined
        ? `the job has no sink '${name}'`
        : `${named.length} sinks are called '${name}', so use the uid of one`;
  throw refused(method, `${problem}; it has ${sinks.join(', ')}`, { sink: name, known: sinks });
}

/** Returns the id of an operator. @throws RsError `RS_INVALID_ARGUMENT` when there is no such one */
export function operatorId(graph: LogicalGraph, id: string, method: string): string {
  findOperator(graph, id, method);
  return id;
}

/** Refuses a side output that an operator cannot fill. @throws RsError `RS_INVALID_ARGUMENT` */
export function checkSideOutput(graph: LogicalGraph, id: string, tag: OutputTag<unknown>): void {
  const node = findOperator(graph, id, 'sideOutput');
  if (typeof (tag as Partial<typeof tag> | null)?.name !== 'string')
    throw refused('sideOutput', 'needs a tag made by outputTag(name)', { received: tag });
  const outputs = node.kind === 'source' || node.kind === 'sink' ? undefined : node.sideOutputs;
  if (outputs === 'any' || outputs?.includes(tag.name) === true) return;
  const known = outputs === undefined ? 'it has none' : `it has ${quoted(outputs)}`;
  throw refused('sideOutput', `${labelOf(node)} has no side output '${tag.name}'; ${known}`, {
    operator: id,
    tag: tag.name,
  });
}

/**
 * A declared state, on every partition that keeps it.
 *
 * @throws RsError `RS_INVALID_ARGUMENT` for what is no descriptor or no operator, `RS_STATE_UNDECLARED`
 */
export function statesOf(
  graph: LogicalGraph,
  declared: readonly SimulatedState[],
  id: string,
  descriptor: StateDescriptor,
): readonly SimulatedState[] {
  const node = findOperator(graph, id, 'state');
  const { name, kind } = checkedDescriptor(descriptor);
  const found = declared.filter((one) => one.operator === id && one.descriptor.name === name);
  const others = found.find(({ descriptor }) => descriptor.kind !== kind);
  if (others !== undefined) {
    throw refused(
      'state',
      `state '${name}' of ${labelOf(node)} is a ${others.descriptor.kind} state, not a ${kind} state`,
      {
        operator: id,
        state: name,
      },
    );
  }
  if (found.length > 0) return found;
  const known = [...new Set(declared.map((one) => `'${one.descriptor.name}' of '${one.operator}'`))];
  throw new RsError(
    'RS_STATE_UNDECLARED',
    `state: ${labelOf(node)} has declared no state '${name}'; ` +
      (known.length === 0 ? 'the job declares none' : `the job declares ${known.join(', ')}`),
    { details: { operation: 'state', operator: id, state: name, known } },
  );
}

function checkedDescriptor(descriptor: StateDescriptor): StateDescriptor {
  const { name, kind } = (descriptor ?? {}) as Partial<StateDescriptor>;
  if (typeof name === 'string' && typeof kind === 'string') return descriptor;
  const problem = `needs the descriptor of the state, such as valueState(name) makes, got ${shown(descriptor)}`;
  throw refused('state', problem, { received: descriptor });
}

function findOperator(graph: LogicalGraph, id: string, method: string): GraphNode {
  const node = graph.nodes.find((one) => graph.operatorId(one) === id);
  if (node !== undefined) return node;
  const known = graph.nodes.map((one) => graph.operatorId(one));
  throw refused(method, `the job has no operator ${shown(id)}; it has ${quoted(known)}`, {
    operator: id,
    known,
  });
}

function shownSink(graph: LogicalGraph, sink: GraphNode): string {
  const id = graph.operatorId(sink);
  return sink.name === sink.kind || sink.name === id ? `'${id}'` : `'${id}' (${sink.name})`;
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(', ');
}

function refused(method: string, problem: string, details: Readonly<Record<string, unknown>>): RsError {
  return new RsError('RS_INVALID_ARGUMENT', `${method}: ${problem}`, {
    details: { operation: method, ...details },
  });
}
