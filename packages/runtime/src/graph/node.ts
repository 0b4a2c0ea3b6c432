import type { StateDescriptor, StreamSink } from '@rs/core';
import type { Gate } from '../operator/gate.ts';
import type { KeyedBinding } from '../operator/keyed-binding.ts';
import type { KeyedGroup } from '../operator/keyed-group.ts';
import type { OperatorInstance } from '../operator/operator.ts';
import type { Outputs } from '../operator/outputs.ts';
import type { Task } from '../operator/task.ts';

export type NodeKind =
  | 'source'
  | 'map'
  | 'filter'
  | 'flatMap'
  | 'timestamps'
  | 'union'
  | 'keyBy'
  | 'keyedMap'
  | 'reduce'
  | 'sum'
  | 'min'
  | 'max'
  | 'process'
  | 'window'
  | 'sink';

/** An edge: the output of another node, or one of its side outputs. */
export interface NodeInput {
  readonly node: GraphNode;
  /** Name of the side output; `undefined` for the main one. */
  readonly tag: string | undefined;
}

/** What a node's operator is made from, on one partition. */
export interface NodeContext {
  readonly task: Task;
  readonly operatorId: string;
  /** For the operator's user function; its name is how messages call the operator. */
  readonly gate: Gate;
  readonly outputs: Outputs;
  /** For a keyBy: what the operators behind it share, if anything. */
  readonly behind: KeyedGroup | undefined;
  /** What the operators behind one keyBy share. */
  readonly group: (keyBy: GraphNode, binding: KeyedBinding) => KeyedGroup;
}

interface NodeBase {
  readonly name: string;
  readonly uid: string | undefined;
  readonly inputs: readonly NodeInput[];
  /** Order of declaration in the environment, which is the order in which fan-out serves its receivers. */
  readonly declared: number;
  /** Short text about the operation, such as `tumbling(60000)`. */
  readonly detail?: string | undefined;
}

/** Where records come from. What is read is the engine's matter. */
export interface SourceNode extends NodeBase {
  readonly kind: 'source';
  readonly source: unknown;
}

export interface SinkNode extends NodeBase {
  readonly kind: 'sink';
  readonly sink: StreamSink<never>;
}

/** What `describe` tells of a state. */
export type DescribedState = Pick<StateDescriptor, 'name' | 'kind' | 'schemaVersion'>;

export interface OperatorNode extends NodeBase {
  readonly kind: Exclude<NodeKind, 'source' | 'sink'>;
  /** For `keyBy`: what its stream has declared. */
  readonly binding?: KeyedBinding | undefined;
  /** States that the operator itself keeps, for `describe`. */
  readonly states?: readonly DescribedState[] | undefined;
  /** The side outputs that `ctx.output` or late data may fill: tags by name, or `any`. Default: none. */
  readonly sideOutputs?: readonly string[] | 'any' | undefined;
  /** Makes the operator: a new one for each partition and run. */
  readonly create: (context: NodeContext) => OperatorInstance;
}

/**
 * One operation of a job. Immutable and independent of engines. It names its inputs, never its readers, so a stream can
 * be used any number of times.
 */
export type GraphNode = SourceNode | SinkNode | OperatorNode;

/** How messages call a node: its operation, and the name or uid that the user gave it. */
export function labelOf(node: GraphNode): string {
  const given = node.uid ?? (node.name === node.kind ? undefined : node.name);
  return given === undefined ? node.kind : `${node.kind} '${given}'`;
}
