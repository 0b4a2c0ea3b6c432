import type { Codec } from '@rs/core';
import type { Cell } from '../state/cell.ts';
import { ItemFormat, valueFormat } from '../state/format.ts';
import type { StateSlot } from '../state/slot.ts';
import type { Gate } from './gate.ts';
import type { KeyedGroup } from './keyed-group.ts';
import type { OperatorInstance } from './operator.ts';
import { type AnyReceiver, type Receiver, watermarkTarget } from './receiver.ts';
import { assertSync } from './sync-only.ts';

/** How a rolling operator folds records into what it keeps per key, and what it emits of that. */
export interface RollingFold<T, A, R> {
  /** `accumulated` is `undefined` for a key's first record. A result of `undefined` keeps nothing and emits nothing. */
  fold(value: T, accumulated: A | undefined): A | undefined;
  result(accumulated: A): R;
}

export interface RollingOptions<A> {
  readonly operatorId: string;
  readonly codec: Codec<A> | undefined;
}

/** `reduce`, `sum`, `min`, `max` on a keyed stream: one accumulated value per key, emitted for every record. */
export class RollingOperator<T, A, R> implements Receiver<T>, OperatorInstance {
  readonly inputs = [this];
  readonly watermarkTarget: AnyReceiver;
  readonly #gate: Gate;
  readonly #out: AnyReceiver;
  readonly #fold: RollingFold<T, A, R>;
  readonly #slot: StateSlot<A>;
  readonly #item: ItemFormat<A>;

  constructor(
    gate: Gate,
    out: AnyReceiver,
    group: KeyedGroup,
    fold: RollingFold<T, A, R>,
    options: RollingOptions<A>,
  ) {
    this.#gate = gate;
    this.#out = out;
    this.#fold = fold;
    this.watermarkTarget = watermarkTarget(out);
    this.#item = new ItemFormat<A>({
      name: 'accumulator',
      schemaVersion: 1,
      codec: options.codec,
      migrate: undefined,
    });
    this.#slot = group.ownSlot({
      operator: options.operatorId,
      state: 'accumulator',
      format: valueFormat(this.#item),
    });
  }

  record(value: T, timestamp: number, key: unknown): void {
    let result;
    try {
      const cell = this.#slot.obtain(key, '');
      this.#slot.touch(cell);
      const accumulated = this.#fold.fold(value, cell.value);
      if (accumulated === undefined) return this.#forget(cell);
      assertSync(this.#gate.operator, accumulated);
      this.#item.check(accumulated); // Each of them: which ones are stored depends on where batches are cut.
      cell.value = accumulated;
      result = this.#fold.result(accumulated);
    } catch (error) {
      throw this.#gate.failed(error);
    }
    this.#out.record(result, timestamp, undefined);
  }

  watermark(timestamp: number): void {
    this.#out.watermark(timestamp);
  }

  status(idle: boolean): void {
    this.#out.status(idle);
  }

  end(): void {
    this.#out.end();
  }

  #forget(cell: Cell<A>): void {
    this.#slot.remove(cell);
  }
}
