import { RsError } from '@rs/core';
import type { LogicalGraph } from './graph.ts';
import { type GraphNode, labelOf, type OperatorNode, type SourceNode } from './node.ts';

/** How many partitions a source has. */
export type PartitionsOf = (source: SourceNode) => number;

export interface Partitions {
  /** In how many partitions a node runs. */
  of(node: GraphNode): number;
  /** To how many partitions a node's output goes. */
  after(node: GraphNode): number;
  /** True when the node's records change their partition. */
  moves(node: GraphNode): boolean;
}

/**
 * Decides on the partitions of every node, so that all records of a key meet in one.
 *
 * An exchange has as many destinations as its sources have partitions; where keyed streams are connected, all of them
 * must agree, and those whose records cannot be moved decide.
 *
 * @throws RsError `RS_NOT_COPARTITIONED`
 */
export function assignPartitions(graph: LogicalGraph, partitionsOf: PartitionsOf): Partitions {
  const keyGroups = groupKeys(graph);
  const destinations = new Map<GraphNode, number>();
  let counts = countAll(graph, partitionsOf, destinations);
  // A group's number may depend on another's. It only rises and is never above that of the largest source, so this ends.
  while (raise(keyGroups, counts, destinations)) counts = countAll(graph, partitionsOf, destinations);
  for (const group of keyGroups) checkPinned(group, counts, partitionsOf);

  const of = (node: GraphNode): number => counts.get(node)?.of ?? 1;
  const largestReader = (node: GraphNode): number =>
    Math.max(1, ...graph.readersOf(node, undefined).map(({ reader }) => of(reader)));
  const after = (node: GraphNode): number => {
    if (isOperator(node) && node.routing === 'broadcast') return largestReader(node);
    return counts.get(node)?.after ?? 1;
  };
  const moves = (node: GraphNode): boolean =>
    isOperator(node) &&
    (node.routing === 'exchange' || node.routing === 'broadcast') &&
    (of(node) > 1 || after(node) > 1);
  return { of, after, moves };
}

interface Count {
  readonly of: number;
  readonly after: number;
}

function countAll(
  graph: LogicalGraph,
  partitionsOf: PartitionsOf,
  destinations: ReadonlyMap<GraphNode, number>,
): ReadonlyMap<GraphNode, Count> {
  const counts = new Map<GraphNode, Count>();
  for (const node of graph.nodes) {
    const of =
      node.kind === 'source'
        ? partitionsOf(node)
        : Math.max(...node.inputs.map((input) => counts.get(input.node)?.after ?? 1));
    counts.set(node, { of, after: destinations.get(node) ?? (sendsOn(node) ? 1 : of) });
  }
  return counts;
}

/** The keyBys whose keys meet in one operator. */
type KeyGroup = readonly OperatorNode[];

function groupKeys(graph: LogicalGraph): readonly KeyGroup[] {
  const groups = new Map<GraphNode, OperatorNode[]>();
  for (const node of graph.nodes) if (isKeyBy(node)) groups.set(node, [node]);
  for (const node of graph.nodes) {
    if (!isOperator(node) || node.joinsKeys !== true) continue;
    const joined = new Set(
      node.inputs.flatMap((input) => keyBysOf(input.node)).flatMap((keyBy) => groups.get(keyBy) ?? []),
    );
    for (const keyBy of joined) groups.set(keyBy, [...joined]);
  }
  return [...new Set(groups.values())];
}

/** The keyBys that gave a keyed stream its keys. */
function keyBysOf(node: GraphNode): readonly GraphNode[] {
  return isKeyBy(node) ? [node] : node.inputs.flatMap((input) => keyBysOf(input.node));
}

/** Returns whether any number has risen. */
function raise(
  groups: readonly KeyGroup[],
  counts: ReadonlyMap<GraphNode, Count>,
  destinations: Map<GraphNode, number>,
): boolean {
  let raised = false;
  for (const group of groups) {
    const pinned = group.filter((keyBy) => keyBy.routing !== 'exchange');
    const deciding = pinned.length > 0 ? pinned : group;
    const number = Math.max(...deciding.map((keyBy) => counts.get(keyBy)?.of ?? 1));
    for (const keyBy of group) {
      const next = keyBy.routing === 'exchange' ? number : (counts.get(keyBy)?.of ?? 1);
      if ((destinations.get(keyBy) ?? 1) >= next) continue;
      destinations.set(keyBy, next);
      raised = true;
    }
  }
  return raised;
}

/** Keys that stay where they are must be in the same place everywhere. */
function checkPinned(
  group: KeyGroup,
  counts: ReadonlyMap<GraphNode, Count>,
  partitionsOf: PartitionsOf,
): void {
  const origins = group
    .filter((keyBy) => keyBy.routing !== 'exchange')
    .flatMap((keyBy) => originsOf(keyBy, counts, partitionsOf).map((origin) => ({ ...origin, keyBy })));
  const [first] = origins;
  const other = origins.find(({ partitions }) => partitions !== first?.partitions);
  if (first === undefined || other === undefined) return;
  throw new RsError(
    'RS_NOT_COPARTITIONED',
    `${labelOf(first.keyBy)} needs equal keys in equal partitions, but ${first.name} has ${shown(first.partitions)} and ` +
      `${other.name} has ${shown(other.partitions)}; give both the same number of partitions, or use keyBy(selector), ` +
      'which sends records to the partition of their key',
    {
      details: {
        operator: labelOf(first.keyBy),
        inputs: [first, other].map(({ name, partitions }) => ({ name, partitions })),
      },
    },
  );
}

interface Origin {
  readonly name: string;
  readonly partitions: number;
}

/** Where the records in front of a node got their partition. */
function originsOf(
  node: OperatorNode,
  counts: ReadonlyMap<GraphNode, Count>,
  partitionsOf: PartitionsOf,
): readonly Origin[] {
  return node.inputs.flatMap(({ node: input }): readonly Origin[] => {
    if (input.kind === 'source') return [{ name: `source '${input.name}'`, partitions: partitionsOf(input) }];
    // Copies of a broadcast are everywhere, so they say nothing about where keys are.
    if (input.kind === 'sink' || input.routing === 'broadcast') return [];
    if (input.routing === 'exchange')
      return [{ name: labelOf(input), partitions: counts.get(input)?.after ?? 1 }];
    return originsOf(input, counts, partitionsOf);
  });
}

function shown(partitions: number): string {
  return partitions === 1 ? '1 partition' : `${partitions} partitions`;
}

function isOperator(node: GraphNode): node is OperatorNode {
  return node.kind !== 'source' && node.kind !== 'sink';
}

function isKeyBy(node: GraphNode): node is OperatorNode {
  return node.kind === 'keyBy';
}

/** Numbers of destinations are looked for from 1 upwards. */
function sendsOn(node: GraphNode): boolean {
  return isOperator(node) && (node.routing === 'broadcast' || node.routing === 'exchange');
}
