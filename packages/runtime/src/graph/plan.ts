import { closeQuietly } from '../operator/closing.ts';
import { Gate } from '../operator/gate.ts';
import type { KeyedBinding } from '../operator/keyed-binding.ts';
import { KeyedGroup, type Prefetcher } from '../operator/keyed-group.ts';
import type { OperatorInstance } from '../operator/operator.ts';
import { Outputs } from '../operator/outputs.ts';
import { type AnyReceiver, multicast, NOWHERE } from '../operator/receiver.ts';
import type { Task } from '../operator/task.ts';
import type { LogicalGraph } from './graph.ts';
import { type GraphNode, labelOf, type OperatorNode, type SinkNode } from './node.ts';

/** How a driver takes part in making the operators of a graph. */
export interface PlanHost {
  /** What stands for a sink. */
  sink(node: SinkNode, gate: Gate): AnyReceiver;
  /** Lets a driver stand a batch barrier before operators that need state to be read first. */
  beforeKeyed?(node: OperatorNode, prefetcher: Prefetcher, receiver: AnyReceiver): AnyReceiver;
  /** Lets a driver put the items of a union's inputs in order. */
  beforeUnion?(node: OperatorNode, inputs: readonly AnyReceiver[]): readonly AnyReceiver[];
}

/** The operators of a graph on one partition. */
export interface Plan {
  /** Where the records of each source go in. */
  readonly heads: ReadonlyMap<GraphNode, AnyReceiver>;
  /** In topological order, with the ids under which their facts are stored. */
  readonly operators: readonly PlannedOperator[];
}

export interface PlannedOperator {
  readonly id: string;
  readonly node: OperatorNode;
  readonly instance: OperatorInstance;
}

/** Makes the operators from the sinks upwards, so that each is given what it sends to. */
export function instantiate(graph: LogicalGraph, task: Task, host: PlanHost): Plan {
  const inputs = new Map<GraphNode, readonly AnyReceiver[]>();
  const heads = new Map<GraphNode, AnyReceiver>();
  const groups = new Map<GraphNode, KeyedGroup>();
  const operators: PlannedOperator[] = [];

  const readers = (node: GraphNode, tag: string | undefined): AnyReceiver =>
    multicast(graph.readersOf(node, tag).map(({ reader, input }) => inputs.get(reader)?.[input] ?? NOWHERE));
  const group = (keyBy: GraphNode, binding: KeyedBinding): KeyedGroup => {
    const made = groups.get(keyBy) ?? new KeyedGroup(task, binding, graph.operatorId(keyBy));
    groups.set(keyBy, made);
    return made;
  };

  for (const node of graph.nodes.toReversed()) {
    const main = readers(node, undefined);
    switch (node.kind) {
      case 'source':
        heads.set(node, main);
        break;
      case 'sink':
        inputs.set(node, [host.sink(node, new Gate(task, labelOf(node), 'RS_SINK_FAILED'))]);
        break;
      default: {
        const sides = new Map(graph.tagsOf(node).map((tag) => [tag, readers(node, tag)]));
        // Everything behind a keyBy has been made, so its group is known when there is one.
        const behind = node.kind === 'keyBy' ? groups.get(node) : undefined;
        const outputs = new Outputs(withBarrier(node, behind, main, host), sides);
        const operatorId = graph.operatorId(node);
        const instance = node.create({
          task,
          operatorId,
          gate: new Gate(task, labelOf(node)),
          outputs,
          behind,
          group,
        });
        operators.unshift({ id: operatorId, node, instance });
        inputs.set(
          node,
          node.kind === 'union'
            ? (host.beforeUnion?.(node, instance.inputs) ?? instance.inputs)
            : instance.inputs.map((input) => withBarrier(node, instance.prefetcher, input, host)),
        );
      }
    }
  }
  openAll(operators, task);
  return { heads, operators };
}

/** Opens the user functions; when one fails, those that were opened are closed. */
function openAll(operators: readonly PlannedOperator[], task: Task): void {
  const opened: PlannedOperator[] = [];
  try {
    for (const operator of operators) {
      opened.push(operator);
      operator.instance.open?.();
    }
  } catch (error) {
    for (const { instance, node } of opened)
      closeQuietly(() => instance.close?.(), labelOf(node), task.options.logger);
    throw error;
  }
}

function withBarrier(
  node: OperatorNode,
  prefetcher: Prefetcher | undefined,
  receiver: AnyReceiver,
  host: PlanHost,
): AnyReceiver {
  if (prefetcher === undefined || host.beforeKeyed === undefined) return receiver;
  return host.beforeKeyed(node, prefetcher, receiver);
}
