import { receivedId, type Topology } from '../graph/topology.ts';

/** In how many partitions something of a job is. */
export interface PartitionCounts {
  /** By the id of an operator of a plan; 0 when the job has none of that id. */
  ofOperator(id: string): number;
  /** By the id that a state is stored under. */
  ofState(operator: string): number;
}

export function partitionCounts({ graph, partitions }: Topology): PartitionCounts {
  const operators = new Map<string, number>();
  const states = new Map<string, number>();
  for (const node of graph.nodes) {
    if (node.kind === 'source' || node.kind === 'sink') continue;
    const id = graph.operatorId(node);
    operators.set(id, partitions.of(node));
    operators.set(receivedId(id), partitions.after(node));
    // What is stored under a keyBy is kept by the operators behind it.
    states.set(id, partitions.after(node));
  }
  return { ofOperator: (id) => operators.get(id) ?? 0, ofState: (operator) => states.get(operator) ?? 0 };
}
