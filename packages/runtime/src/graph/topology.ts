import type { LogicalGraph } from './graph.ts';
import type { GraphNode, NodeKind, OperatorNode, Routing, SourceNode } from './node.ts';
import { assignPartitions, type Partitions, type PartitionsOf } from './partitions.ts';

/** What a stage reads from an earlier one: the output of a node, or one of its side outputs. */
export interface ExchangeEdge {
  readonly node: OperatorNode | SourceNode;
  readonly tag: string | undefined;
  /** `forward`: the records stay in their partition. */
  readonly routing: Routing | 'forward';
  /** How many partitions send to one that receives. */
  readonly senders: number;
  /** To how many partitions the records go. */
  readonly receivers: number;
  readonly from: Stage;
  readonly to: Stage;
}

/** A part of a job without exchanges inside: what one task runs, once for each partition. */
export interface Stage {
  /** A stage reads only from those with a lower index. */
  readonly index: number;
  readonly partitions: number;
  /** In topological order. */
  readonly nodes: readonly GraphNode[];
  readonly sources: readonly SourceNode[];
  readonly received: readonly ExchangeEdge[];
  readonly sent: readonly ExchangeEdge[];
}

/** True where somebody, here or in a later stage, waits for several inputs, and must know which of them are quiet. */
export function mergesTime({ nodes, received, sent }: Stage): boolean {
  return received.length > 0 || sent.length > 0 || nodes.some(({ inputs }) => inputs.length > 1);
}

/**
 * True where records come from an exchange by key: any partition may get some of any partition of the sources, long after the
 * time of those who sent them.
 */
export function isBehindExchange({ received }: Stage): boolean {
  return received.some(
    ({ routing, from }) => routing === 'exchange' || (routing === 'forward' && isBehindExchange(from)),
  );
}

/**
 * The id of the receiving end of an exchange, from that of the `keyBy` or `broadcast` that sends. No uid has a colon, so no
 * operator of the sending stage has it.
 */
export function receivedId(operatorId: string): string {
  return `${operatorId}:received`;
}

/** A graph, cut into stages where records move between partitions. */
export interface Topology {
  readonly graph: LogicalGraph;
  readonly partitions: Partitions;
  readonly partitionsOf: PartitionsOf;
  /** Each after those it reads from. */
  readonly stages: readonly Stage[];
}

/**
 * Cuts a graph at its exchanges. Where all sources have one partition nothing moves, and there is one stage for each part
 * that hangs together.
 *
 * Invariant: exchanges lead only to stages of a higher level, so that no task waits for itself. Where a stream goes both
 * through an exchange and around it, what goes around is forwarded to the later stage.
 *
 * @throws RsError `RS_NOT_COPARTITIONED`
 */
export function planTopology(graph: LogicalGraph, partitionsOf: PartitionsOf): Topology {
  const partitions = assignPartitions(graph, partitionsOf);
  const levels = levelsOf(graph, partitions);
  const drafts = groupNodes(graph, partitions, levels);
  const stageOf = new Map(drafts.flatMap((stage) => stage.nodes.map((node) => [node, stage] as const)));
  for (const to of drafts) {
    for (const edge of edgesInto(to, stageOf, partitions)) {
      to.received.push(edge);
      stageOf.get(edge.node)?.sent.push(edge);
    }
  }
  return { graph, partitions, partitionsOf, stages: drafts };
}

interface StageDraft extends Stage {
  readonly received: ExchangeEdge[];
  readonly sent: ExchangeEdge[];
}

/** How many exchanges lie before each node. */
function levelsOf(graph: LogicalGraph, partitions: Partitions): ReadonlyMap<GraphNode, number> {
  const levels = new Map<GraphNode, number>();
  for (const node of graph.nodes) {
    const before = node.inputs.map(
      (input) => (levels.get(input.node) ?? 0) + (partitions.moves(input.node) ? 1 : 0),
    );
    levels.set(node, Math.max(0, ...before));
  }
  for (const node of graph.nodes.toReversed()) {
    if (!KEYLESS.has(node.kind)) continue;
    const readers = [undefined, ...graph.tagsOf(node)].flatMap((tag) => graph.readersOf(node, tag));
    // What only later stages read is read there, and need not be forwarded.
    const first = Math.min(...readers.map(({ reader }) => levels.get(reader) ?? 0));
    levels.set(node, Math.max(levels.get(node) ?? 0, first));
  }
  return levels;
}

/** What keeps no state that others share, so that it can be in any stage between its inputs and its readers. */
const KEYLESS: ReadonlySet<NodeKind> = new Set<NodeKind>([
  'source',
  'map',
  'filter',
  'flatMap',
  'mapAsync',
  'timestamps',
  'union',
]);

/** What hangs together on one level is a stage. */
function groupNodes(
  graph: LogicalGraph,
  partitions: Partitions,
  levels: ReadonlyMap<GraphNode, number>,
): StageDraft[] {
  const groups = new Map<GraphNode, Set<GraphNode>>();
  const join = (a: GraphNode, b: GraphNode): void => {
    const into = groups.get(a) as Set<GraphNode>;
    for (const node of groups.get(b) ?? []) groups.set(node, into.add(node));
  };
  for (const node of graph.nodes) groups.set(node, new Set([node]));
  for (const node of graph.nodes) {
    for (const input of node.inputs) {
      if (!partitions.moves(input.node) && levels.get(input.node) === levels.get(node))
        join(input.node, node);
    }
    // Operators behind one keyBy share its state, so they must be in one task.
    if (node.kind !== 'keyBy') continue;
    const readers = graph.readersOf(node, undefined).map(({ reader }) => reader);
    for (const [i, reader] of readers.entries()) {
      const sibling = readers.slice(0, i).find((other) => levels.get(other) === levels.get(reader));
      if (partitions.moves(node) && sibling !== undefined) join(sibling, reader);
    }
  }
  const found = [...new Set(groups.values())].map((group) => graph.nodes.filter((node) => group.has(node)));
  const level = (nodes: readonly GraphNode[]): number => levels.get(nodes[0] as GraphNode) ?? 0;
  return found
    .sort((a, b) => level(a) - level(b) || (a[0] as GraphNode).declared - (b[0] as GraphNode).declared)
    .map((nodes, index) => ({
      index,
      partitions: Math.max(...nodes.map((node) => partitions.of(node))),
      nodes,
      sources: nodes.filter((node) => node.kind === 'source'),
      received: [],
      sent: [],
    }));
}

function edgesInto(
  to: StageDraft,
  stageOf: ReadonlyMap<GraphNode, StageDraft>,
  partitions: Partitions,
): ExchangeEdge[] {
  const edges: ExchangeEdge[] = [];
  for (const { node, tag } of to.nodes.flatMap((reader) => reader.inputs)) {
    const from = stageOf.get(node) as StageDraft;
    const known = edges.some((edge) => edge.node === node && edge.tag === tag);
    if (known || node.kind === 'sink' || (from === to && !partitions.moves(node))) continue;
    const routing =
      node.kind !== 'source' && partitions.moves(node) ? (node.routing ?? 'forward') : 'forward';
    const forward = routing === 'forward';
    edges.push({
      node,
      tag,
      routing,
      senders: forward ? 1 : from.partitions,
      receivers: Math.min(to.partitions, forward ? partitions.of(node) : partitions.after(node)),
      from,
      to,
    });
  }
  return edges;
}
