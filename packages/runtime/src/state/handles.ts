import type {
  ListState,
  ListStateDescriptor,
  MapState,
  MapStateDescriptor,
  SetState,
  SetStateDescriptor,
  State,
  StateDescriptor,
  StateOf,
  ValueState,
  ValueStateDescriptor,
} from '@rs/core';
import type { StateAccess } from './access.ts';
import { AggregatingHandle, ReducingHandle } from './accumulating-handles.ts';
import type { Cell } from './cell.ts';
import { ElementMap, ItemFormat, elementKey } from './format.ts';
import { assertNoPromise, Handle } from './handle.ts';
import { encodeKey } from './key-encoding.ts';
import { LargeMapHandle } from './large-map-handle.ts';

/** The state object that users work with, over any way to reach the cells. */
export function stateHandle<D extends StateDescriptor>(descriptor: D, access: StateAccess): StateOf<D>;
export function stateHandle(descriptor: StateDescriptor, access: StateAccess): State {
  switch (descriptor.kind) {
    case 'value':
      return new ValueHandle(descriptor, access);
    case 'map':
      return new MapHandle(descriptor, access);
    case 'list':
      return new ListHandle(descriptor, access);
    case 'set':
      return new SetHandle(descriptor, access);
    case 'reducing':
      return new ReducingHandle(descriptor, access);
    case 'aggregating':
      return new AggregatingHandle(descriptor, access);
    case 'largeMap':
      return new LargeMapHandle(descriptor, access);
  }
}

class ValueHandle<T> extends Handle<NonNullable<T>> implements ValueState<T> {
  readonly #descriptor: ValueStateDescriptor<T>;
  readonly #item: ItemFormat<NonNullable<T>>;

  constructor(descriptor: ValueStateDescriptor<T>, access: StateAccess) {
    super(access);
    this.#descriptor = descriptor;
    this.#item = new ItemFormat(descriptor);
  }

  value(): T {
    const stored = this.present()?.value;
    if (stored !== undefined) return stored;
    // A descriptor without a default describes `T | undefined`, so undefined is a T.
    const value = this.#descriptor.default === undefined ? (undefined as T) : this.#descriptor.default();
    assertNoPromise(this.#descriptor.name, 'default', value);
    return value;
  }

  update(value: T | null | undefined): void {
    if (value === undefined || value === null) return this.clear();
    this.#item.check(value);
    const cell = this.obtain();
    cell.slot.touch(cell);
    cell.value = value;
  }
}

/** What map and set states share: elements under the canonical text of a key. */
abstract class ElementsHandle<T> extends Handle<ElementMap<T>> {
  protected readonly item: ItemFormat<T>;

  constructor(descriptor: MapStateDescriptor<unknown, T> | SetStateDescriptor<T>, access: StateAccess) {
    super(access);
    this.item = new ItemFormat<T>(descriptor);
  }

  isEmpty(): boolean {
    return this.elements().size === 0;
  }

  protected elements(): ElementMap<T> {
    return this.present()?.value ?? new ElementMap();
  }

  protected putElement(id: string, item: T): void {
    this.item.check(item);
    const cell = this.obtain();
    cell.slot.touch(cell);
    (cell.value ??= new ElementMap()).put(id, item);
    changed(cell, id);
  }

  protected removeElement(id: string): boolean {
    const cell = this.present();
    if (cell?.value?.has(id) !== true) return false;
    if (cell.value.size === 1) {
      cell.slot.remove(cell);
      return true;
    }
    cell.slot.touch(cell);
    cell.value.delete(id);
    changed(cell, id);
    return true;
  }
}

class MapHandle<K, V> extends ElementsHandle<V> implements MapState<K, V> {
  get(key: K): V | undefined {
    return this.elements().get(encodeKey(key))?.item;
  }

  put(key: K, value: V): void {
    this.putElement(encodeKey(key), value);
  }

  remove(key: K): void {
    this.removeElement(encodeKey(key));
  }

  contains(key: K): boolean {
    return this.elements().has(encodeKey(key));
  }

  // Copies: user code may change the map while it iterates.
  entries(): [K, V][] {
    return Array.from(this.elements(), ([id, { item }]) => [elementKey(id) as K, item]);
  }

  keys(): K[] {
    return Array.from(this.elements().keys(), (id) => elementKey(id) as K);
  }

  values(): V[] {
    return Array.from(this.elements().values(), ({ item }) => item);
  }
}

class SetHandle<T> extends ElementsHandle<T> implements SetState<T> {
  add(value: T): boolean {
    const id = encodeKey(value);
    if (this.elements().has(id)) return false;
    this.putElement(id, value);
    return true;
  }

  remove(value: T): boolean {
    return this.removeElement(encodeKey(value));
  }

  contains(value: T): boolean {
    return this.elements().has(encodeKey(value));
  }

  get(): T[] {
    return Array.from(this.elements().values(), ({ item }) => item);
  }

  size(): number {
    return this.elements().size;
  }
}

class ListHandle<T> extends Handle<T[]> implements ListState<T> {
  readonly #item: ItemFormat<T>;

  constructor(descriptor: ListStateDescriptor<T>, access: StateAccess) {
    super(access);
    this.#item = new ItemFormat(descriptor);
  }

  get(): T[] {
    return [...(this.present()?.value ?? [])];
  }

  add(value: T): void {
    this.#item.check(value);
    appendToList(this.obtain(), value);
  }

  addAll(values: Iterable<T>): void {
    const all = [...values];
    for (const value of all) this.#item.check(value);
    for (const value of all) this.add(value);
  }

  update(values: Iterable<T>): void {
    const list = [...values];
    for (const value of list) this.#item.check(value);
    if (list.length === 0) return this.clear();
    replaceList(this.obtain(), list);
  }
}

/** Replaces all elements; there must be at least one. */
export function replaceList<T>(cell: Cell<T[]>, values: readonly T[]): void {
  cell.slot.touch(cell);
  cell.value = [...values];
  if (cell.dirty) cell.changes = { cleared: true, elements: new Set(Array.from(values.keys(), String)) };
}

/** Adds one element, so that only it needs to be written. */
export function appendToList<T>(cell: Cell<T[]>, value: T): void {
  cell.slot.touch(cell);
  const list = (cell.value ??= []);
  list.push(value);
  changed(cell, list.length - 1);
}

/** Notes a changed element, where changes are tracked at all. */
function changed<V>(cell: Cell<V>, id: string | number): void {
  if (!cell.dirty) return;
  cell.changes ??= { cleared: false, elements: new Set() };
  cell.changes.elements.add(String(id));
}
