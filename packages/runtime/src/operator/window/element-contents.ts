import type { Evictor, EvictorContext, TimestampedElement } from '@rs/core';
import type { Namespace } from '../../state/cell.ts';
import type { ItemFormat } from '../../state/format.ts';
import { appendToList, replaceList } from '../../state/handles.ts';
import type { StateSlot } from '../../state/slot.ts';
import type { Gate } from '../gate.ts';
import type { Want } from '../keyed-group.ts';
import type { BucketCell } from './bucket.ts';
import type { EmitResult, WindowContents } from './contents.ts';

/** Keeps all elements of a window, each written once. */
abstract class ElementContents<T, E> implements WindowContents<T, never> {
  readonly #slot: StateSlot<E[]>;
  readonly #item: ItemFormat<E>;

  constructor(slot: StateSlot<E[]>, item: ItemFormat<E>) {
    this.#slot = slot;
    this.#item = item;
  }

  abstract emit(cell: BucketCell<never>): PromiseLike<void> | undefined;
  protected abstract element(value: T, timestamp: number): E;

  add(cell: BucketCell<never>, value: T, timestamp: number): void {
    const element = this.element(value, timestamp);
    this.#item.check(element);
    appendToList(this.#slot.obtain(cell.key, cell.namespace), element);
  }

  isEmpty(cell: BucketCell<never>): boolean {
    return this.#slot.present(cell.key, cell.namespace) === undefined;
  }

  clear(cell: BucketCell<never>): void {
    const elements = this.#slot.present(cell.key, cell.namespace);
    if (elements !== undefined) this.#slot.remove(elements);
  }

  merge(into: BucketCell<never>, from: BucketCell<never>): void {
    for (const element of this.elements(from))
      appendToList(this.#slot.obtain(into.key, into.namespace), element);
    this.clear(from);
  }

  want(key: unknown, namespace: Namespace, want: Want): void {
    want(this.#slot, key, namespace);
  }

  markEmpty(key: unknown, namespace: Namespace): void {
    if (this.#slot.find(key, namespace) === undefined) this.#slot.insert(key, namespace);
  }

  protected elements(cell: BucketCell<never>): readonly E[] {
    return this.#slot.present(cell.key, cell.namespace)?.value ?? [];
  }

  protected replace(cell: BucketCell<never>, elements: readonly E[]): void {
    if (elements.length === this.elements(cell).length || cell.slot.replaced(cell)) return; // Evictors only leave out.
    if (elements.length === 0) this.clear(cell);
    else replaceList(this.#slot.obtain(cell.key, cell.namespace), elements);
  }
}

/** Hands all elements of a window to the user's function. */
export class ListContents<T> extends ElementContents<T, T> {
  readonly #emit: EmitResult<readonly T[], never>;

  constructor(slot: StateSlot<T[]>, item: ItemFormat<T>, emit: EmitResult<readonly T[], never>) {
    super(slot, item);
    this.#emit = emit;
  }

  protected element(value: T): T {
    return value;
  }

  emit(cell: BucketCell<never>): PromiseLike<void> | undefined {
    return this.#emit([...this.elements(cell)], cell);
  }
}

/** As {@link ListContents}, with an evictor that removes elements before or after the function saw them. */
export class EvictingContents<T> extends ElementContents<T, TimestampedElement<T>> {
  readonly #emit: EmitResult<readonly T[], never>;
  readonly #evictor: Evictor<T>;
  readonly #context: EvictorContext;
  readonly #gate: Gate;

  constructor(
    slot: StateSlot<TimestampedElement<T>[]>,
    item: ItemFormat<TimestampedElement<T>>,
    evictor: Evictor<T>,
    context: EvictorContext,
    gate: Gate,
    emit: EmitResult<readonly T[], never>,
  ) {
    super(slot, item);
    this.#evictor = evictor;
    this.#context = context;
    this.#gate = gate;
    this.#emit = emit;
  }

  protected element(value: T, timestamp: number): TimestampedElement<T> {
    return { value, timestamp };
  }

  emit(cell: BucketCell<never>): PromiseLike<void> | undefined {
    const kept = this.#evict('evictBefore', cell, this.elements(cell));
    this.replace(cell, kept);
    if (kept.length === 0) return undefined;
    const waiting = this.#emit(
      kept.map(({ value }) => value),
      cell,
    );
    const evictAfter = () => this.replace(cell, this.#evict('evictAfter', cell, kept));
    if (waiting === undefined) return void evictAfter();
    return this.#gate.continue(waiting, evictAfter);
  }

  #evict(
    when: 'evictBefore' | 'evictAfter',
    cell: BucketCell<never>,
    elements: readonly TimestampedElement<T>[],
  ): readonly TimestampedElement<T>[] {
    const { value } = cell;
    if (value === undefined || this.#evictor[when] === undefined) return elements;
    return this.#evictor[when](elements, value.window, this.#context);
  }
}
