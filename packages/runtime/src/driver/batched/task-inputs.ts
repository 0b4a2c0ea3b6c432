import type { SourceNode } from '../../graph/node.ts';
import type { Plan } from '../../graph/plan.ts';
import type { ExchangeEdge, Stage, Topology } from '../../graph/topology.ts';
import { type AnyReceiver, NOWHERE } from '../../operator/receiver.ts';

/** One of the inputs of a task: a partition of a source, or what one partition of an earlier stage sends to it. */
export type TaskInput =
  | { readonly type: 'source'; readonly source: SourceNode }
  | { readonly type: 'exchange'; readonly edge: ExchangeEdge; readonly sender: number };

/** The inputs of one partition of a stage, in an order that depends on the job alone: items name them by number. */
export function taskInputs(
  { partitionsOf }: Topology,
  stage: Stage,
  partition: number,
): readonly TaskInput[] {
  const sources = stage.sources.filter((source) => partition < partitionsOf(source));
  const edges = stage.received.filter((edge) => partition < edge.receivers);
  return [
    ...sources.map((source): TaskInput => ({ type: 'source', source })),
    ...edges.flatMap((edge) =>
      sendersOf(edge, partition).map((sender): TaskInput => ({ type: 'exchange', edge, sender })),
    ),
  ];
}

/** Where the items of each input go in. */
export function inputReceivers(plan: Plan): readonly AnyReceiver[] {
  const { topology, stage, partition } = plan.place;
  return taskInputs(topology, stage, partition).map((input) => {
    if (input.type === 'source') return plan.heads.get(input.source) ?? NOWHERE;
    const { edge, sender } = input;
    return plan.received.get(edge)?.[edge.routing === 'forward' ? 0 : sender] ?? NOWHERE;
  });
}

function sendersOf(edge: ExchangeEdge, partition: number): readonly number[] {
  return edge.routing === 'forward'
    ? [partition]
    : Array.from({ length: edge.senders }, (_, sender) => sender);
}
