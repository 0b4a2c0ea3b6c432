import { type Codec, RsError, type StateDescriptor, jsonCodec } from '@rs/core';
import { errorReason } from '../error-reason.ts';
import type { Cell, Namespace } from './cell.ts';
import { decodeKey } from './key-encoding.ts';
import type { Encoded, StoredCell, StoredElement, StoredValue } from './stored.ts';

/** How the value of a cell is stored. */
export type CellFormat<V> = ValueFormat<V> | ElementsFormat<V>;

export interface ValueFormat<V> {
  readonly layout: 'value';
  readonly version: number;
  /** Whether a value that an older version of the code stored can be decoded. */
  reads(version: number): boolean;
  /** Refuses at the call what could not be stored. */
  check(value: V): void;
  encode(value: V): Pick<StoredValue, 'data' | 'meta'>;
  decode(stored: StoredValue, namespace: Namespace): V;
}

export interface ElementsFormat<V> {
  readonly layout: 'elements';
  readonly version: number;
  /** As that of a value. */
  reads(version: number): boolean;
  /** The element, or `undefined` when it is not in the collection. */
  encodeElement(value: V, id: string): StoredElement | undefined;
  ids(value: V): Iterable<string>;
  count(value: V): number;
  decode(elements: readonly StoredElement[], version: number): V;
}

/** One element of a map or set state, in memory. */
export interface Element<T> {
  readonly item: T;
  readonly order: number;
}

/** Contents of a map or set state: canonical text of the map's key (the set's value) → element, in ascending order. */
export class ElementMap<T> extends Map<string, Element<T>> {
  /** Above the order of every element. */
  nextOrder = 0;

  put(id: string, item: T): void {
    this.insert(id, { item, order: this.get(id)?.order ?? this.nextOrder });
  }

  insert(id: string, element: Element<T>): void {
    this.set(id, element);
    this.nextOrder = Math.max(this.nextOrder, element.order + 1);
  }
}

/** An element of a large map, in memory: any value, also `undefined`, which alone would be the same as none. */
export interface Held<T> {
  readonly item: T;
}

type Describes<E> = Pick<StateDescriptor, 'name' | 'schemaVersion'> & {
  readonly codec: Codec<E> | undefined;
  readonly migrate: ((old: unknown, fromVersion: number) => E) | undefined;
};

/** Encodes items of a described state, checks them, and migrates old ones. */
export class ItemFormat<E> {
  readonly #descriptor: Describes<E>;
  readonly #codec: Codec<E>;

  constructor(descriptor: Describes<E>) {
    this.#descriptor = descriptor;
    this.#codec = descriptor.codec ?? jsonCodec<E>();
  }

  get version(): number {
    return this.#descriptor.schemaVersion;
  }

  reads(version: number): boolean {
    return version === this.version || (this.#descriptor.migrate !== undefined && version < this.version);
  }

  check(item: E): void {
    try {
      if (this.#codec.assertEncodable === undefined) this.#codec.encode(item);
      else this.#codec.assertEncodable(item);
    } catch (error) {
      throw this.#named(error);
    }
  }

  encode(item: E): Encoded {
    try {
      return this.#codec.encode(item);
    } catch (error) {
      throw this.#named(error);
    }
  }

  decode(data: Encoded, version: number): E {
    const migrate = version === this.version ? undefined : this.#migrationFrom(version);
    try {
      const value = this.#codec.decode(data);
      return migrate === undefined ? value : migrate(value, version);
    } catch (error) {
      throw this.#named(error);
    }
  }

  #migrationFrom(version: number): (old: unknown, fromVersion: number) => E {
    const { migrate, name } = this.#descriptor;
    if (migrate !== undefined && this.reads(version)) return migrate;
    throw new RsError(
      'RS_INVALID_VALUE',
      `state '${name}' holds version ${version}, the code reads version ${this.version}; give its descriptor a migrate function`,
      { details: { state: name, stored: version, expected: this.version } },
    );
  }

  #named(error: unknown): RsError {
    const reason = errorReason(error);
    return new RsError('RS_INVALID_VALUE', `state '${this.#descriptor.name}': ${reason}`, {
      cause: error,
      details: { state: this.#descriptor.name },
    });
  }
}

export function valueFormat<E>(item: ItemFormat<E>): ValueFormat<E> {
  return {
    layout: 'value',
    version: item.version,
    reads: (version) => item.reads(version),
    check: (value) => item.check(value),
    encode: (value) => ({ data: item.encode(value) }),
    decode: (stored) => item.decode(stored.data, stored.version),
  };
}

export function heldFormat<E>(item: ItemFormat<E>): ValueFormat<Held<E>> {
  return {
    layout: 'value',
    version: item.version,
    reads: (version) => item.reads(version),
    check: (held) => item.check(held.item),
    encode: (held) => ({ data: item.encode(held.item) }),
    decode: (stored) => ({ item: item.decode(stored.data, stored.version) }),
  };
}

export function mapFormat<E>(item: ItemFormat<E>): ElementsFormat<ElementMap<E>> {
  return {
    layout: 'elements',
    version: item.version,
    reads: (version) => item.reads(version),
    ids: (map) => map.keys(),
    count: (map) => map.size,
    encodeElement: (map, id) => {
      const element = map.get(id);
      return element === undefined
        ? undefined
        : { id, order: element.order, data: item.encode(element.item) };
    },
    decode: (elements, version) => {
      const map = new ElementMap<E>();
      for (const { id, order, data } of inOrder(elements))
        map.insert(id, { item: item.decode(data, version), order });
      return map;
    },
  };
}

export function listFormat<E>(item: ItemFormat<E>): ElementsFormat<E[]> {
  return {
    layout: 'elements',
    version: item.version,
    reads: (version) => item.reads(version),
    ids: (list) => Array.from(list.keys(), String),
    count: (list) => list.length,
    encodeElement: (list, id) => {
      const order = Number(id);
      return order < list.length ? { id, order, data: item.encode(list[order] as E) } : undefined;
    },
    decode: (elements, version) => inOrder(elements).map(({ data }) => item.decode(data, version)),
  };
}

/** The key of an element of a map or large map. */
export function elementKey(id: string): unknown {
  return decodeKey(id);
}

/** Reads what a backend returned into the cell. */
export function fillCell<V>(cell: Cell<V>, stored: StoredCell | undefined): void {
  const { format } = cell.slot;
  cell.expiresAt = stored?.expiresAt;
  if (stored === undefined) {
    cell.value = undefined;
    return;
  }
  if (cell.slot.clears(stored.version)) return clearCell(cell);
  const ignored = cell.slot.schemaMismatch === 'ignore' && !format.reads(stored.version);
  const version = ignored ? format.version : stored.version;
  if (format.layout === 'value' && stored.layout === 'value')
    cell.value = format.decode(version === stored.version ? stored : { ...stored, version }, cell.namespace);
  else if (format.layout === 'elements' && stored.layout === 'elements') {
    cell.value = stored.elements.length === 0 ? undefined : format.decode(stored.elements, version);
    if (cell.value !== undefined && stored.version !== format.version) {
      // A cell has one version, so the first change must write the elements of an older one anew as well.
      cell.changes = { cleared: true, elements: new Set(format.ids(cell.value)) };
    }
  } else {
    throw new RsError(
      'RS_INVALID_VALUE',
      `state '${cell.slot.state}' was stored with another kind of state; was its type changed?`,
    );
  }
}

/** What is stored counts for nothing, and the first change takes its place. */
function clearCell<V>(cell: Cell<V>): void {
  cell.value = undefined;
  cell.expiresAt = undefined;
  if (cell.slot.format.layout === 'elements') cell.changes = { cleared: true, elements: new Set() };
}

function inOrder(elements: readonly StoredElement[]): StoredElement[] {
  return [...elements].sort((a, b) => a.order - b.order);
}
