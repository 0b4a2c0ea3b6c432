import {
  type AggregatingState,
  type AggregatingStateDescriptor,
  type ReducingState,
  type ReducingStateDescriptor,
  RsError,
} from '@rs/core';
import type { StateAccess } from './access.ts';
import { ItemFormat } from './format.ts';
import { assertNoPromise, Handle } from './handle.ts';

/** A value per key that others are folded into. */
abstract class AccumulatingHandle<A> extends Handle<A> {
  protected readonly name: string;
  readonly #item: ItemFormat<A>;

  constructor(
    descriptor: ReducingStateDescriptor<A> | AggregatingStateDescriptor<never, A, unknown>,
    access: StateAccess,
  ) {
    super(access);
    this.name = descriptor.name;
    this.#item = new ItemFormat<A>(descriptor);
  }

  /** Replaces what is stored by what `fold` makes of it; nothing changes when that cannot be stored. */
  protected accumulate(fold: (accumulated: A | undefined) => A): void {
    const before = this.present();
    // The user's function may change the accumulator in place, which a failure half-way must undo.
    if (before !== undefined) before.slot.track(before);
    const accumulated = fold(before?.value);
    this.#item.check(accumulated); // Each of them: which ones are stored depends on where batches are cut.
    const cell = this.obtain();
    cell.slot.touch(cell);
    cell.value = accumulated;
  }

  /** What a function of the descriptor returned; `undefined` would be the same as nothing stored. */
  protected returned(fn: string, accumulated: A): A {
    assertNoPromise(this.name, fn, accumulated);
    if (accumulated !== undefined) return accumulated;
    throw new RsError(
      'RS_INVALID_VALUE',
      `state '${this.name}': its ${fn} returned undefined; return the value with the other one added`,
      { details: { state: this.name } },
    );
  }
}

export class ReducingHandle<T> extends AccumulatingHandle<T> implements ReducingState<T> {
  readonly #descriptor: ReducingStateDescriptor<T>;

  constructor(descriptor: ReducingStateDescriptor<T>, access: StateAccess) {
    super(descriptor, access);
    this.#descriptor = descriptor;
  }

  add(value: T): void {
    this.accumulate((accumulated) =>
      accumulated === undefined
        ? this.#first(value)
        : this.returned('reduce function', this.#descriptor.reduce(accumulated, value)),
    );
  }

  get(): T | undefined {
    return this.present()?.value;
  }

  #first(value: T): T {
    if (value !== undefined) return value;
    throw new RsError(
      'RS_INVALID_VALUE',
      `state '${this.name}': undefined was added, which cannot be kept; add a value`,
      { details: { state: this.name } },
    );
  }
}

export class AggregatingHandle<IN, ACC, OUT>
  extends AccumulatingHandle<ACC>
  implements AggregatingState<IN, OUT>
{
  readonly #descriptor: AggregatingStateDescriptor<IN, ACC, OUT>;

  constructor(descriptor: AggregatingStateDescriptor<IN, ACC, OUT>, access: StateAccess) {
    super(descriptor, access);
    this.#descriptor = descriptor;
  }

  add(value: IN): void {
    const { aggregate } = this.#descriptor;
    this.accumulate((accumulated) =>
      this.returned('add()', aggregate.add(value, accumulated === undefined ? this.#created() : accumulated)),
    );
  }

  get(): OUT | undefined {
    const accumulated = this.present()?.value;
    if (accumulated === undefined) return undefined;
    const result = this.#descriptor.aggregate.getResult(accumulated);
    assertNoPromise(this.name, 'getResult()', result);
    return result;
  }

  /** May be `undefined`, as long as `add` makes something of it. */
  #created(): ACC {
    const created = this.#descriptor.aggregate.createAccumulator();
    assertNoPromise(this.name, 'createAccumulator()', created);
    return created;
  }
}
