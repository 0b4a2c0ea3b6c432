import type { KeyedGroup } from './keyed-group.ts';
import { Merge, MergeInput } from './merge.ts';
import type { OperatorInstance, OperatorMeta } from './operator.ts';
import type { AnyReceiver, Receiver } from './receiver.ts';
import { Sided } from './sided.ts';
import type { Task } from './task.ts';

/** Joins two inputs: their records as they come, each with the side that it came by, in merged time. */
export class ConnectOperator implements OperatorInstance {
  readonly inputs: readonly [Receiver<unknown>, Receiver<unknown>];
  readonly #merge: Merge;
  readonly #group: KeyedGroup | undefined;

  /** @param group what the operators behind it share; its facts are stored under this operator */
  constructor(task: Task, out: AnyReceiver, group: KeyedGroup | undefined) {
    this.#merge = new Merge(task, out, 2);
    this.#group = group;
    this.inputs = [new ConnectInput(this.#merge, 0, out), new ConnectInput(this.#merge, 1, out)];
  }

  meta(): OperatorMeta {
    return { ...this.#merge.meta(), ...this.#group?.meta() };
  }

  restore(meta: OperatorMeta): void {
    this.#merge.restore(meta);
    this.#group?.restore(meta);
  }
}

class ConnectInput extends MergeInput implements Receiver<unknown> {
  readonly #side: 0 | 1;
  readonly #out: AnyReceiver;

  constructor(merge: Merge, side: 0 | 1, out: AnyReceiver) {
    super(merge, side);
    this.#side = side;
    this.#out = out;
  }

  record(value: unknown, timestamp: number, key: unknown): void {
    this.#out.record(new Sided(this.#side, value), timestamp, key);
  }
}
