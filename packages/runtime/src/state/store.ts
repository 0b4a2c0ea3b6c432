import { RsError } from '@rs/core';
import type { Cell, Namespace } from './cell.ts';
import type { ElementSource } from './element-source.ts';
import { contentsOf, decodeCells, type StateContents } from './contents.ts';
import { compareText, encodeKey } from './key-encoding.ts';
import { type SlotOptions, StateSlot } from './slot.ts';
import type { AnySlot } from './access.ts';
import { CellCache } from './cell-cache.ts';
import { changedSize, countOf, storedSize } from './cell-size.ts';
import type { CellAddress, CellChange, KeyAddress, StoredCell, StoredValue } from './stored.ts';

// Cells of many states, each with its own value type, stand in one list; nothing here looks into the values.
type AnyCell = Cell<any>; // eslint-disable-line @typescript-eslint/no-explicit-any -- see above

/**
 * What is done when state is read that has another version than its descriptor, and no `migrate` leads from there. `fail`: an
 * error (`RS_INVALID_VALUE`). `clear`: it counts as absent, and is removed. `ignore`: it is decoded as if it had the
 * descriptor's version.
 */
export type SchemaMismatch = 'fail' | 'clear' | 'ignore';

export interface StoreOptions {
  /** True when all state is in memory. */
  readonly resident: boolean;
  /** Where an overlay reads the elements of large maps from. */
  readonly elements?: ElementSource;
  /** Default `fail`. */
  readonly schemaMismatch?: SchemaMismatch | undefined;
}

/**
 * The keyed state of one task: an overlay over a backend, or, when `resident`, the state itself.
 *
 * As an overlay it holds the cells that were loaded, knows which of them were changed since the last commit, and
 * forgets those on {@link rollback}, so that the next access reads the committed values again. That undoes changes
 * inside objects too, which saving the old references would not.
 */
export class StateStore {
  /** True when all state is in memory: a missing cell is an empty one, and nothing is tracked. */
  readonly resident: boolean;
  readonly schemaMismatch: SchemaMismatch;
  readonly #source: ElementSource | undefined;
  readonly #slots: AnySlot[] = [];
  #dirty: AnyCell[] = [];
  /** Clean cells whose objects user code has in hand since the last commit, and may have changed. */
  readonly #borrowed = new Set<AnyCell>();
  /** Cells that a commit on its way changes. */
  #underWay: AnyCell[] = [];
  /** What was loaded. */
  readonly #cache = new CellCache();
  /** True while an overlay is over nothing but what it has committed itself and has in memory still. */
  #complete = false;
  /** What was put back of states that were not declared yet. */
  #waiting: readonly StateContents[] = [];

  constructor(options: StoreOptions) {
    this.resident = options.resident;
    this.schemaMismatch = options.schemaMismatch ?? 'fail';
    this.#source = options.elements;
  }

  /**
   * True when what is not in memory is not stored either, so that nothing need be read. Where state is resident that is always
   * so; for an overlay it is so from {@link begin} on, until it forgets a cell that is stored.
   */
  get complete(): boolean {
    return this.resident || this.#complete;
  }

  /** The backend of an overlay holds nothing yet. */
  begin(): void {
    this.#complete = true;
  }

  /** Where cells that are read on demand come from. */
  get source(): ElementSource {
    if (this.#source !== undefined) return this.#source;
    throw new RsError(
      'RS_STATE_NOT_LOADED',
      'the engine did not say where elements of large maps are read from; please report this as a bug of the engine',
    );
  }

  slot<V>(options: SlotOptions<V>): StateSlot<V> {
    const slot = new StateSlot<V>(this, options);
    this.#slots.push(slot);
    const waiting = this.#waiting.find((contents) => belongsTo(contents, slot));
    if (waiting !== undefined) {
      this.#waiting = this.#waiting.filter((contents) => contents !== waiting);
      slot.replaceAll(decodeCells(slot, waiting.cells, (text) => text));
    }
    return slot;
  }

  slots(): readonly AnySlot[] {
    return this.#slots;
  }

  /** All that resident state holds, encoded. */
  contents(): StateContents[] {
    const states = [...this.#slots.map(contentsOf), ...this.#waiting];
    return states.filter(({ cells }) => cells.length > 0);
  }

  /**
   * Decodes what is to take the place of all that resident state holds, and returns what puts it there: until then nothing
   * changes. What belongs to a state that was not declared yet waits for it.
   *
   * @param namespaceOf turns the text of a namespace back into what an operator uses
   */
  decodeAll(
    states: readonly StateContents[],
    namespaceOf: (operator: string, text: string) => Namespace,
  ): () => void {
    const decoded = this.#slots.map((slot) => {
      const cells = states.find((contents) => belongsTo(contents, slot))?.cells ?? [];
      return { slot, cells: decodeCells(slot, cells, (text) => namespaceOf(slot.operator, text)) };
    });
    return () => {
      for (const { slot, cells } of decoded) slot.replaceAll(cells);
      this.#waiting = states.filter((contents) => !this.#slots.some((slot) => belongsTo(contents, slot)));
    };
  }

  /** What waits for its state to be declared. */
  waiting(): readonly StateContents[] {
    return this.#waiting;
  }

  track(cell: AnyCell): void {
    if (cell.dirty) return;
    cell.dirty = true;
    this.#dirty.push(cell);
  }

  /** Bytes that the cells in memory count for. */
  get bytes(): number {
    return this.#cache.bytes;
  }

  /** The changes since the last commit, in the order in which cells were first changed; what removes many comes first. */
  changes(): CellChange[] {
    const clears: CellChange[] = [];
    const others: CellChange[] = [];
    for (const cell of this.#dirty) {
      if (cell.slot.removesAll(cell))
        clears.push({ address: keyAddressOf(cell.slot, cell.key), op: 'clear' });
      else if (!isCleared(cell)) others.push(this.#changeOf(cell));
    }
    return clears.length === 0 ? others : [...clears, ...others];
  }

  /**
   * The changes are on their way to the backend: for whoever comes next they are there. Until they are {@link applied} the
   * cells stay in memory, those of what was deleted too, since the backend may still have what was before.
   */
  collected(): void {
    for (const cell of this.#dirty) {
      cell.dirty = false;
      cell.changes = undefined;
      cell.pinned = true;
      cell.stored = true;
    }
    this.#underWay = this.#dirty;
    this.#dirty = [];
    this.#borrowed.clear();
  }

  /** The backend has the changes. Only between two batches: what is dropped here may have been read for one. */
  applied(): void {
    for (const cell of this.#underWay) {
      cell.pinned = false;
      if (cell.value !== undefined || cell.dirty) continue;
      cell.stored = false;
      cell.slot.drop(cell);
    }
    this.#underWay = [];
  }

  /** User code was given an object of the cell. */
  borrow(cell: AnyCell): void {
    if (!cell.dirty) this.#borrowed.add(cell);
  }

  /** Forgets all changes since the last commit, also those inside objects that were handed out. */
  rollback(): void {
    for (const cell of this.#dirty) cell.slot.drop(cell);
    for (const cell of this.#borrowed) cell.slot.drop(cell);
    this.#dirty = [];
    this.#borrowed.clear();
  }

  /** A batch needs the cell. */
  use(cell: AnyCell): void {
    this.#cache.use(cell);
  }

  /** The cell is in memory from now on, until it is forgotten. */
  keep(cell: AnyCell, stored: StoredCell | undefined): void {
    cell.size = storedSize(cell, stored);
    cell.elements = countOf(cell);
    this.#cache.add(cell);
  }

  forget(cell: AnyCell): void {
    this.#cache.remove(cell);
    if (cell.stored) this.#complete = false;
  }

  /** The cell was read. */
  filled(cell: AnyCell, stored: StoredCell | undefined): void {
    this.#resize(cell, storedSize(cell, stored));
  }

  /** Drops what was not wanted for long, until the rest counts for at most `limit` bytes. Only between two batches. */
  evict(limit: number): void {
    this.#cache.evict(limit);
  }

  #changeOf(cell: AnyCell): CellChange {
    const change = changeOf(cell);
    this.#resize(cell, changedSize(cell, change));
    return change;
  }

  #resize(cell: AnyCell, size: number): void {
    this.#cache.resize(cell, size);
    cell.elements = countOf(cell);
  }
}

function belongsTo({ operator, state }: StateContents, slot: AnySlot): boolean {
  return operator === slot.operator && state === slot.state;
}

export function addressOf(slot: AnySlot, key: unknown, namespace: Namespace): CellAddress {
  // Written out: this is done for every cell of a batch.
  return {
    operator: slot.operator,
    state: slot.state,
    layout: slot.format.layout,
    key: encodeKey(key),
    onDemand: slot.onDemand,
    namespace: typeof namespace === 'string' ? namespace : String(namespace),
  };
}

export function keyAddressOf(slot: AnySlot, key: unknown): KeyAddress {
  return {
    operator: slot.operator,
    state: slot.state,
    layout: slot.format.layout,
    key: encodeKey(key),
    onDemand: slot.onDemand,
  };
}

/** One text per address, for maps and for a stable order. */
export function addressText(address: CellAddress): string {
  return keyAddressText(address) + address.namespace;
}

/**
 * What the address texts of all cells of a key begin with, and no others. The length of the key says where it ends: keys
 * and namespaces can be any text.
 */
export function keyAddressText({ operator, state, key }: KeyAddress): string {
  return [operator, state, key.length, key, ''].join('\u001f');
}

export function compareAddresses(a: CellAddress, b: CellAddress): number {
  return compareText(addressText(a), addressText(b));
}

/** True for an element that goes with all of its map, in the same commit. */
function isCleared(cell: AnyCell): boolean {
  return cell.value === undefined && cell.slot.removesKey(cell.key);
}

function changeOf(cell: AnyCell): CellChange {
  const { format } = cell.slot;
  const address = addressOf(cell.slot, cell.key, cell.namespace);
  if (cell.value === undefined) return { address, op: 'delete' };
  const { version } = format;
  const { expiresAt } = cell;
  if (format.layout === 'value') {
    const { data, meta } = format.encode(cell.value);
    const stored: StoredValue =
      expiresAt === undefined && meta === undefined
        ? { layout: 'value', data, version }
        : { layout: 'value', data, ...(meta !== undefined && { meta }), version, ...expiry(expiresAt) };
    return { address, op: 'put', stored };
  }
  const changes = cell.changes ?? { cleared: false, elements: new Set<string>() };
  const put = [];
  const remove = [];
  for (const id of changes.elements) {
    const element = format.encodeElement(cell.value, id);
    if (element === undefined) remove.push(id);
    else put.push(element);
  }
  return {
    address,
    op: 'elements',
    clear: changes.cleared,
    put,
    remove,
    version,
    ...expiry(expiresAt),
  };
}

function expiry(expiresAt: number | undefined): { readonly expiresAt?: number } {
  return expiresAt === undefined ? {} : { expiresAt };
}
