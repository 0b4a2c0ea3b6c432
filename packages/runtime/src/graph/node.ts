import type { StateDescriptor, StreamSink, TwoPhaseCommitSink } from '@rs/core';
import type { Gate } from '../operator/gate.ts';
import type { KeyedBinding } from '../operator/keyed-binding.ts';
import type { KeyedGroup } from '../operator/keyed-group.ts';
import type { OperatorInstance } from '../operator/operator.ts';
import type { Outputs } from '../operator/outputs.ts';
import type { Task } from '../operator/task.ts';
import type { StateStore } from '../state/store.ts';

export type NodeKind =
  | 'source'
  | 'map'
  | 'filter'
  | 'flatMap'
  | 'timestamps'
  | 'union'
  | 'connect'
  | 'broadcast'
  | 'mapAsync'
  | 'keyBy'
  | 'keyedMap'
  | 'reduce'
  | 'sum'
  | 'min'
  | 'max'
  | 'process'
  | 'coProcess'
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
  /** Keeps the state of the plan that the operator belongs to. */
  readonly store: StateStore;
  readonly operatorId: string;
  /** Number of the partition, from 0. */
  readonly partition: number;
  /** How many partitions the operator has. */
  readonly partitions: number;
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
  /** How messages call the operation where its kind is no word that users know: the method that they called. */
  readonly operation?: string | undefined;
  /** Short text about the operation, such as `tumbling(60000)`. */
  readonly detail?: string | undefined;
}

/** Where records come from. What is read is the engine's matter. */
export interface SourceNode extends NodeBase {
  readonly kind: 'source';
  readonly source: unknown;
}

/** A sink for whatever its stream has, with transactions or without. */
export type AnySink = StreamSink<never> | TwoPhaseCommitSink<never, unknown>;

export function isTransactional(sink: AnySink): sink is TwoPhaseCommitSink<never, unknown> {
  return 'beginTxn' in sink && typeof sink.beginTxn === 'function';
}

export interface SinkNode extends NodeBase {
  readonly kind: 'sink';
  readonly sink: AnySink;
}

/** What `describe` tells of a state. */
export type DescribedState = Pick<StateDescriptor, 'name' | 'kind' | 'schemaVersion'>;

/**
 * How the records of one key, or all records, come to the partition that needs them. `exchange`: each record is sent to
 * the partition of its key. `messageKey` and `colocated`: they are there already, since messages with equal keys share a
 * partition of their topic. `broadcast`: each partition gets a copy.
 */
export type Routing = 'exchange' | 'messageKey' | 'colocated' | 'broadcast';

export interface OperatorNode extends NodeBase {
  readonly kind: Exclude<NodeKind, 'source' | 'sink'>;
  /** Of a `keyBy` or `broadcast`; `undefined` for all that keep records in their partition. */
  readonly routing?: Routing | undefined;
  /** True where records with one key come from several inputs, which must then agree on the partition of a key. */
  readonly joinsKeys?: boolean | undefined;
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
  const operation = operationOf(node);
  const given = node.uid ?? (node.name === operation ? undefined : node.name);
  return given === undefined ? operation : `${operation} '${given}'`;
}

/** What a node does, in the words of users. */
export function operationOf(node: GraphNode): string {
  return node.operation ?? node.kind;
}
