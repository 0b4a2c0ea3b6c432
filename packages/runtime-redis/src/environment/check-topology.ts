import { type Logger, RsError } from '@rs/core';
import {
  type GraphNode,
  labelOf,
  type LogicalGraph,
  type OperatorNode,
  type SourceNode,
  type Topology,
} from '@rs/runtime';
import { keepsState } from '../manifest/manifest.ts';

/**
 * Refuses what this version cannot run: records that move between partitions, and operators that read several sources.
 *
 * @throws RsError `RS_UNSUPPORTED`, with the operator
 */
export function checkTopology(topology: Topology): void {
  for (const { sent, sources, nodes } of topology.stages) {
    const [edge] = sent;
    if (edge !== undefined) throw movesRecords(edge.node, topology);
    if (sources.length === 1) continue;
    const merging = nodes.find(({ inputs }) => inputs.length > 1);
    throw new RsError(
      'RS_UNSUPPORTED',
      `${merging === undefined ? 'the job' : labelOf(merging)} reads ${sources.length} sources (${sources.map(({ name }) => name).join(', ')}), ` +
        'and this version runs operators over one; send both to one topic first',
      { details: { operator: merging === undefined ? undefined : labelOf(merging) } },
    );
  }
}

function movesRecords(node: OperatorNode | SourceNode, topology: Topology): RsError {
  const advice =
    node.kind === 'keyBy'
      ? 'use keyByMessageKey(), or keyBy(selector, { colocated: true }) where equal keys are in one partition already, or a topic with one partition'
      : 'use a topic with one partition';
  return new RsError(
    'RS_UNSUPPORTED',
    `${labelOf(node)} sends records of ${topology.partitions.of(node)} partitions to others, which this version does not do; ${advice}`,
    { details: { operator: labelOf(node), partitions: topology.partitions.of(node) } },
  );
}

/**
 * Operators that keep something and are known by their place in the graph alone: a change of the job loses sight of it. The first source has
 * one place, whatever comes behind it.
 *
 * @throws RsError `RS_INVALID_ARGUMENT` when there are some and `requireUids` is set
 */
export function checkUids(graph: LogicalGraph, requireUids: boolean, logger: Logger): void {
  const nameless = graph.nodes.filter(
    (node, position) => node.uid === undefined && keepsSomething(node) && !(isSource(node) && position === 0),
  );
  if (nameless.length === 0) return;
  const operators = nameless.map(labelOf);
  if (requireUids) {
    throw new RsError(
      'RS_INVALID_ARGUMENT',
      `requireUids is set, and these have no uid: ${operators.join(', ')}; give each operator { uid }, and sources one with fromMqTopicWithId`,
      { details: { operators } },
    );
  }
  logger.warn(
    { operators },
    `state is kept by ${operators.length === 1 ? 'an operator' : 'operators'} without a uid (${operators.join(', ')}): once the job is changed, ` +
      'it may not be found again; give each operator { uid }, and sources one with fromMqTopicWithId',
  );
}

function isSource(node: GraphNode): boolean {
  return node.kind === 'source';
}

/** Besides state: a position, or results that wait for a sink. */
function keepsSomething(node: GraphNode): boolean {
  return isSource(node) || node.kind === 'sink' || keepsState(node);
}
