import { Merge, MergeInput } from './merge.ts';
import type { OperatorMeta, OperatorParts } from './operator.ts';
import type { AnyReceiver, Receiver } from './receiver.ts';
import type { Task } from './task.ts';

/** Joins inputs: their records as they come, in merged time. */
export class UnionOperator implements OperatorParts {
  readonly inputs: readonly Receiver<unknown>[];
  readonly #merge: Merge;

  constructor(task: Task, out: AnyReceiver, inputs: number) {
    this.#merge = new Merge(task, out, inputs);
    this.inputs = Array.from({ length: inputs }, (_, index) => new UnionInput(this.#merge, index, out));
  }

  meta(): OperatorMeta {
    return this.#merge.meta();
  }

  restore(meta: OperatorMeta): void {
    this.#merge.restore(meta);
  }
}

class UnionInput extends MergeInput implements Receiver<unknown> {
  readonly #out: AnyReceiver;

  constructor(merge: Merge, index: number, out: AnyReceiver) {
    super(merge, index);
    this.#out = out;
  }

  record(value: unknown, timestamp: number, key: unknown): void {
    this.#out.record(value, timestamp, key);
  }
}
