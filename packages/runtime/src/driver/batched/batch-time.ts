import type { GraphNode } from '../../graph/node.ts';
import type { Plan } from '../../graph/plan.ts';
import { TimestampsOperator } from '../../operator/timestamps.ts';
import { type TaskInput, taskInputs } from './task-inputs.ts';

interface Generator {
  readonly operator: TimestampsOperator<unknown>;
  /** Numbers of the task's inputs that it gets records from. */
  readonly inputs: readonly number[];
}

/** The operators of a task that make watermarks, for a driver that moves time in steps. */
export class BatchTime {
  readonly #generators: readonly Generator[];

  constructor(plan: Plan) {
    const { topology, stage, partition } = plan.place;
    const inputs = taskInputs(topology, stage, partition);
    this.#generators = plan.operators.flatMap(({ node, instance }) =>
      instance instanceof TimestampsOperator
        ? [{ operator: instance as TimestampsOperator<unknown>, inputs: inputsBefore(node, inputs) }]
        : [],
    );
  }

  /** Between batches the task waits for its input; only that is quiet time. */
  setWaiting(waiting: boolean, now: number): void {
    for (const { operator } of this.#generators) operator.setWaiting(waiting, now);
  }

  checkIdle(now: number): void {
    for (const { operator } of this.#generators) operator.checkIdle(now);
  }

  /**
   * Event time has come this far at some inputs: moves on the generators that read these, and nothing else that may still
   * bring records.
   */
  advance(timestamp: number, inputs: readonly number[], ended: readonly number[]): void {
    const come = new Set(inputs);
    const over = new Set(ended);
    for (const generator of this.#generators) {
      const left = generator.inputs.filter((input) => !over.has(input));
      if (left.length > 0 && left.every((input) => come.has(input))) generator.operator.advance(timestamp);
    }
  }
}

/** What a node's records come from, within its task. */
function inputsBefore(start: GraphNode, inputs: readonly TaskInput[]): readonly number[] {
  const found = new Set<number>();
  const seen = new Set<GraphNode>();
  const open: GraphNode[] = [start];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (seen.has(node)) continue;
    seen.add(node);
    for (const [number, input] of inputs.entries()) {
      if (input.type === 'source' && input.source === node) found.add(number);
    }
    for (const { node: before, tag } of node.inputs) {
      const received = [...inputs.entries()].filter(
        ([, input]) => input.type === 'exchange' && input.edge.node === before && input.edge.tag === tag,
      );
      if (received.length === 0) open.push(before);
      for (const [number] of received) found.add(number);
    }
  }
  return [...found];
}
