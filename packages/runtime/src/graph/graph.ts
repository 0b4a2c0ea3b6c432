import { RsError } from '@rs/core';
import { type GraphNode, labelOf, operationOf, type SinkNode, type SourceNode } from './node.ts';

/** A job: everything that its sinks depend on, checked, in topological order. */
export interface LogicalGraph {
  /** Inputs before what reads them; otherwise in order of declaration. */
  readonly nodes: readonly GraphNode[];
  readonly sources: readonly SourceNode[];
  readonly sinks: readonly SinkNode[];
  /** Stable identity of a node's state: its uid, else its kind and place in the graph. */
  operatorId(node: GraphNode): string;
  /** Readers of a node's output (or side output), in order of declaration, with the number of the input they read by. */
  readersOf(node: GraphNode, tag: string | undefined): readonly GraphEdge[];
  /** Names of the node's side outputs that somebody reads. */
  tagsOf(node: GraphNode): readonly string[];
}

export interface GraphEdge {
  readonly reader: GraphNode;
  readonly input: number;
}

/**
 * @throws RsError `RS_NO_SINK`, `RS_DUPLICATE_UID`, `RS_INVALID_ARGUMENT` for a cycle and for too many operators in a row
 */
export function buildGraph(sinks: readonly SinkNode[]): LogicalGraph {
  if (sinks.length === 0) {
    throw new RsError(
      'RS_NO_SINK',
      'the job has no sink, so nothing would be computed; end a stream with addSink or print',
    );
  }
  const nodes = reachableFrom(sinks);
  checkAcyclic(nodes);
  checkLength(nodes);
  const ids = operatorIds(nodes);
  const edges = edgesOf(nodes);
  return {
    nodes,
    sources: nodes.filter((node) => node.kind === 'source'),
    sinks: nodes.filter((node) => node.kind === 'sink'),
    operatorId: (node) => ids.get(node) as string,
    readersOf: (node, tag) => edges.get(node)?.get(tag) ?? [],
    tagsOf: (node) => [...(edges.get(node)?.keys() ?? [])].filter((tag) => tag !== undefined),
  };
}

/**
 * Streams cannot be wired into a cycle: each is made from those before it. A graph made by hand can, and would call itself
 * until the stack is full.
 */
function checkAcyclic(nodes: readonly GraphNode[]): void {
  for (const node of nodes) {
    const later = node.inputs.find((input) => input.node.declared >= node.declared);
    if (later === undefined) continue;
    throw new RsError(
      'RS_INVALID_ARGUMENT',
      `${labelOf(node)} reads ${labelOf(later.node)}, which is declared after it: a job must have no cycles, and all of its ` +
        'streams must come from one environment',
      { details: { operator: labelOf(node), input: labelOf(later.node) } },
    );
  }
}

/** Operators call each other, so a longer chain could overflow the stack at some record. */
const MAX_OPERATORS_IN_A_ROW = 1000;

function checkLength(nodes: readonly GraphNode[]): void {
  const depths = new Map<GraphNode, number>();
  for (const node of nodes) {
    const depth = 1 + Math.max(0, ...node.inputs.map((input) => depths.get(input.node) ?? 0));
    depths.set(node, depth);
    if (depth <= MAX_OPERATORS_IN_A_ROW) continue;
    throw new RsError(
      'RS_INVALID_ARGUMENT',
      `the job has more than ${MAX_OPERATORS_IN_A_ROW} operators in a row, up to ${labelOf(node)}; do several steps in one function`,
      { details: { operator: labelOf(node) } },
    );
  }
}

/** A node is always declared after its inputs, so the order of declaration is a topological one. */
function reachableFrom(sinks: readonly GraphNode[]): GraphNode[] {
  const seen = new Set<GraphNode>();
  const open: GraphNode[] = [...sinks];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (seen.has(node)) continue;
    seen.add(node);
    open.push(...node.inputs.map((input) => input.node));
  }
  return [...seen].sort((a, b) => a.declared - b.declared);
}

function operatorIds(nodes: readonly GraphNode[]): Map<GraphNode, string> {
  const ids = new Map<GraphNode, string>();
  const owners = new Map<string, GraphNode>();
  const uids = new Set(nodes.map((node) => node.uid));
  nodes.forEach((node, position) => {
    let id = node.uid ?? `${node.kind}-${position}`;
    while (node.uid === undefined && uids.has(id)) id = `_${id}`;
    const owner = owners.get(id);
    if (owner !== undefined) {
      throw new RsError(
        'RS_DUPLICATE_UID',
        `uid '${id}' is used by two operators, a ${operationOf(owner)} and a ${operationOf(node)}; each needs its own, since it names their state`,
        { details: { uid: id, operators: [labelOf(owner), labelOf(node)] } },
      );
    }
    owners.set(id, node);
    ids.set(node, id);
  });
  return ids;
}

function edgesOf(nodes: readonly GraphNode[]): Map<GraphNode, Map<string | undefined, GraphEdge[]>> {
  const edges = new Map<GraphNode, Map<string | undefined, GraphEdge[]>>();
  for (const reader of nodes) {
    reader.inputs.forEach(({ node, tag }, input) => {
      const outputs = edges.get(node) ?? new Map<string | undefined, GraphEdge[]>();
      edges.set(node, outputs);
      outputs.set(tag, [...(outputs.get(tag) ?? []), { reader, input }]);
    });
  }
  return edges;
}
