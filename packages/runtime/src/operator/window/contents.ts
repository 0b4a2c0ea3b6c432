import { type AggregateFunction, RsError } from '@rs/core';
import type { Namespace } from '../../state/cell.ts';
import type { ItemFormat } from '../../state/format.ts';
import type { Want } from '../keyed-group.ts';
import { assertSync } from '../sync-only.ts';
import type { BucketCell } from './bucket.ts';

/** What a window operator does with the elements of a window until it fires. */
export interface WindowContents<T, A> {
  add(cell: BucketCell<A>, value: T, timestamp: number): void;
  isEmpty(cell: BucketCell<A>): boolean;
  clear(cell: BucketCell<A>): void;
  /** Moves what `from` has into `into`, which is the earlier window. */
  merge(into: BucketCell<A>, from: BucketCell<A>): void;
  /** Hands the contents to the user's function. */
  emit(cell: BucketCell<A>): PromiseLike<void> | undefined;
  want(key: unknown, namespace: Namespace, want: Want): void;
  /** A new window has nothing stored, so nothing needs to be read for it. */
  markEmpty(key: unknown, namespace: Namespace): void;
}

/** Emits the result of one window. */
export type EmitResult<R, A> = (result: R, cell: BucketCell<A>) => PromiseLike<void> | undefined;

/** Keeps one accumulator per window. */
export class FoldContents<T, A, R> implements WindowContents<T, A> {
  readonly #fn: AggregateFunction<T, A, R>;
  readonly #item: ItemFormat<A>;
  readonly #operator: string;
  readonly #emit: EmitResult<R, A>;

  constructor(fn: AggregateFunction<T, A, R>, item: ItemFormat<A>, operator: string, emit: EmitResult<R, A>) {
    this.#fn = fn;
    this.#item = item;
    this.#operator = operator;
    this.#emit = emit;
  }

  add(cell: BucketCell<A>, value: T): void {
    const bucket = cell.value;
    if (bucket === undefined) return;
    const before = bucket.accumulator === undefined ? this.#fn.createAccumulator() : bucket.accumulator;
    const after = this.#kept(this.#fn.add(value, before));
    this.#item.check(after); // Each of them: which ones are stored depends on where batches are cut.
    bucket.accumulator = after;
  }

  isEmpty(cell: BucketCell<A>): boolean {
    return cell.value?.accumulator === undefined;
  }

  clear(cell: BucketCell<A>): void {
    if (cell.value !== undefined) cell.value.accumulator = undefined;
  }

  merge(into: BucketCell<A>, from: BucketCell<A>): void {
    if (into.value === undefined || from.value?.accumulator === undefined) return;
    const { accumulator } = into.value;
    into.value.accumulator =
      accumulator === undefined || this.#fn.merge === undefined
        ? from.value.accumulator
        : this.#kept(this.#fn.merge(accumulator, from.value.accumulator));
  }

  emit(cell: BucketCell<A>): PromiseLike<void> | undefined {
    const bucket = cell.value;
    if (bucket?.accumulator === undefined) return undefined;
    const result = this.#fn.getResult(bucket.accumulator);
    assertSync(this.#operator, result);
    return this.#emit(result, cell);
  }

  want(): void {
    // The accumulator is in the bucket.
  }

  markEmpty(): void {
    // The same.
  }

  /** An accumulator as the function returned it; `undefined` would be the same as an empty window. */
  #kept(accumulator: A): A {
    assertSync(this.#operator, accumulator);
    if (accumulator !== undefined) return accumulator;
    throw new RsError(
      'RS_INVALID_VALUE',
      `${this.#operator}: the function returned undefined; return the accumulator with the value added`,
      { details: { operator: this.#operator } },
    );
  }
}
