import { createHash } from 'node:crypto';
import type { StateDescriptor, StateKind } from '@rs/core';
import type { GraphNode, LogicalGraph, OperatorNode, SourceNode, Topology } from '@rs/runtime';
import type { StoredManifest } from '../ownership/job-meeting.ts';
import { topicOf } from '../environment/topic-of.ts';

/** What a job is made of, as far as stored state depends on it. */
export interface Manifest {
  /** Of this form. */
  readonly version: 1;
  readonly stateShards: number;
  /** By id. */
  readonly sources: Readonly<Record<string, ManifestSource>>;
  /** By id: those that keep state, and sinks that were given a uid. */
  readonly operators: Readonly<Record<string, ManifestOperator>>;
}

export interface ManifestSource {
  readonly topic: string;
  readonly group: string;
  readonly partitions: number;
  /** True when state is kept by the key of its records: a key must stay in its partition. */
  readonly keyed: boolean;
  /** True when reading ends somewhere. */
  readonly bounded: boolean;
}

export interface ManifestOperator {
  readonly kind: string;
  /** By name. Those that a function declares in `open` are not known before it runs. */
  readonly states: Readonly<Record<string, ManifestState>>;
}

export interface ManifestState {
  readonly kind: StateKind;
  readonly schemaVersion: number;
  /** Name of the codec, where the state has one of its own. */
  readonly codec?: string;
}

/** Kinds that keep something under their own id, whether it is known before they run or not. */
const STATEFUL: ReadonlySet<string> = new Set([
  'reduce',
  'sum',
  'min',
  'max',
  'process',
  'coProcess',
  'window',
]);

export function manifestOf(topology: Topology, stateShards: number): Manifest {
  const { graph } = topology;
  const sources = topology.stages.flatMap((stage) =>
    stage.sources.map((source): [string, ManifestSource] => [
      graph.operatorId(source),
      sourceOf(source, topology.partitionsOf(source), stage.nodes.some(keepsState)),
    ]),
  );
  const operators = graph.nodes
    .filter((node) => keepsState(node) || (node.kind === 'sink' && node.uid !== undefined))
    .map((node): [string, ManifestOperator] => [graph.operatorId(node), operatorOf(node)]);
  return { version: 1, stateShards, sources: sorted(sources), operators: sorted(operators) };
}

/** True for a node under whose id state is kept. */
export function keepsState(node: GraphNode): boolean {
  return isOperator(node) && (STATEFUL.has(node.kind) || declaredStates(node).length > 0);
}

/** States that can make a value of an older version one of theirs, by operator and name with a colon between. */
export function migrating(graph: LogicalGraph): ReadonlySet<string> {
  return new Set(
    graph.nodes.filter(isOperator).flatMap((node) =>
      declaredStates(node)
        .filter(({ migrate }) => migrate !== undefined)
        .map(({ name }) => `${graph.operatorId(node)}:${name}`),
    ),
  );
}

export function storedManifest(manifest: Manifest): StoredManifest {
  const text = JSON.stringify(manifest);
  return { text, hash: createHash('sha256').update(text).digest('base64url') };
}

function sourceOf(source: SourceNode, partitions: number, keyed: boolean): ManifestSource {
  const { topic, group, options } = topicOf(source);
  return { topic, group, partitions, keyed, bounded: options.until !== undefined };
}

function operatorOf(node: GraphNode): ManifestOperator {
  if (!isOperator(node)) return { kind: node.kind, states: {} };
  const declared = declaredStates(node).map(
    ({ name, kind, schemaVersion, codec }): [string, ManifestState] => [
      name,
      { kind, schemaVersion, ...(codec === undefined ? {} : { codec: codec.name }) },
    ],
  );
  const own = (node.states ?? []).map(({ name, kind, schemaVersion }): [string, ManifestState] => [
    name,
    { kind, schemaVersion },
  ]);
  return { kind: node.kind, states: sorted([...declared, ...own]) };
}

function declaredStates(node: OperatorNode): readonly StateDescriptor[] {
  const declared = node.binding?.declared().filter(({ owner }) => owner === undefined) ?? [];
  return declared.map(({ descriptor }) => descriptor);
}

function isOperator(node: GraphNode): node is OperatorNode {
  return node.kind !== 'source' && node.kind !== 'sink';
}

/** The same members in the same order, wherever they were declared: the text must depend on nothing else. */
function sorted<T>(entries: readonly (readonly [string, T])[]): Readonly<Record<string, T>> {
  return Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
}
