import { RsError } from '@rs/core';
import { Cell, type Namespace } from './cell.ts';
import type { ElementSource } from './element-source.ts';
import type { CellFormat } from './format.ts';
import { KeyMap } from './key-map.ts';
import type { StateStore } from './store.ts';

export interface SlotOptions<V> {
  readonly operator: string;
  readonly state: string;
  readonly format: CellFormat<V>;
  /** When entries expire; `undefined`: never. */
  readonly expiry?: Expiry | undefined;
  /** True when its cells are read when user code asks for them, and not before: those of a large map. */
  readonly onDemand?: boolean;
}

/** Time to live after the last write. */
export interface Expiry {
  /** Milliseconds. */
  readonly ttl: number;
  /** The clock it counts on. */
  readonly now: () => number;
}

/** Expired cells that one write removes at most, so that expiry of resident state costs O(1) per write. */
const EXPIRY_SWEEP = 4;

/** Namespace of the cell that stands for all cells of a key while their removal is not committed. No element has it. */
const ALL = '';

/** The cells of one key: usually one, kept in place; more where several windows of a key are open, or for a large map. */
interface Group<V> {
  /** The newest cell, unless it was dropped. */
  cell: Cell<V> | undefined;
  more: Map<Namespace, Cell<V>> | undefined;
}

/** All cells of one state of one operator, on one partition. */
export class StateSlot<V> {
  readonly operator: string;
  readonly state: string;
  readonly format: CellFormat<V>;
  /** True when its cells are read on demand. */
  readonly onDemand: boolean;
  readonly #store: StateStore;
  readonly #expiry: Expiry | undefined;
  readonly #groups = new KeyMap<Group<V>>();
  /** Resident cells with a TTL in the order of their last write, which is that of their expiry. */
  readonly #expiring = new Set<Cell<V>>();
  /** Cells that may be in somebody's hands although others have taken their place. */
  #replaced: WeakSet<Cell<V>> | undefined;

  constructor(store: StateStore, options: SlotOptions<V>) {
    this.#store = store;
    this.#expiry = options.expiry;
    this.operator = options.operator;
    this.state = options.state;
    this.format = options.format;
    this.onDemand = options.onDemand ?? false;
  }

  /** Where cells that are read on demand come from. */
  get source(): ElementSource {
    return this.#store.source;
  }

  /** A batch needs the cell: returns false when it must be read first. */
  want(key: unknown, namespace: Namespace): boolean {
    const cell = this.find(key, namespace);
    if (cell !== undefined && !this.#store.resident) this.#store.use(cell);
    return cell !== undefined;
  }

  /** The cell, if one is in memory. */
  find(key: unknown, namespace: Namespace): Cell<V> | undefined {
    const group = this.#groups.get(key);
    if (group === undefined) return undefined;
    return group.cell?.namespace === namespace ? group.cell : group.more?.get(namespace);
  }

  /**
   * The cell with a value, or `undefined` when nothing is stored.
   *
   * Invariant: with a backend, every cell a callback touches was loaded before it ran; a missing one is a bug here.
   */
  present(key: unknown, namespace: Namespace): Cell<V> | undefined {
    const cell = this.find(key, namespace);
    if (cell === undefined) {
      if (!this.#store.resident) throw this.#notLoaded(key, namespace);
      return undefined;
    }
    if (cell.value === undefined) return undefined;
    if (this.expired(cell.expiresAt)) {
      this.remove(cell);
      return undefined;
    }
    if (!this.#store.resident && typeof cell.value === 'object') this.#store.borrow(cell);
    return cell;
  }

  expired(expiresAt = Infinity): boolean {
    return expiresAt !== Infinity && this.#expiry !== undefined && expiresAt <= this.#expiry.now();
  }

  /** The cell to write to, made when there is none. Call {@link touch} before its value changes. */
  obtain(key: unknown, namespace: Namespace): Cell<V> {
    const present = this.present(key, namespace);
    return present ?? this.find(key, namespace) ?? this.insert(key, namespace);
  }

  /** As {@link touch}, where the value may change in place but does not count as written yet. */
  track(cell: Cell<V>): void {
    if (!this.#store.resident) this.#store.track(cell);
  }

  /** Must be called before a cell's value (or an object in it) changes, so that a failure half-way can be undone. */
  touch(cell: Cell<V>): void {
    this.track(cell);
    if (this.#expiry !== undefined) this.#extend(cell, this.#expiry);
  }

  remove(cell: Cell<V>): void {
    if (this.#store.resident) {
      this.drop(cell);
    } else {
      this.#store.track(cell);
      if (this.format.layout === 'elements') cell.changes = { cleared: true, elements: new Set() };
    }
    cell.value = undefined;
    cell.expiresAt = Infinity;
  }

  /** Removes all cells of a key, also those that were not read. */
  removeAll(key: unknown): void {
    if (this.#store.resident) {
      for (const cell of this.cellsOf(key)) this.#expiring.delete(cell);
      this.#groups.delete(key);
      return;
    }
    for (const cell of this.cellsOf(key)) if (cell.value !== undefined) this.remove(cell);
    this.#store.track(this.find(key, ALL) ?? this.insert(key, ALL));
  }

  /** True when all cells of a key are in memory, so that one which is not there is not stored either. */
  complete(key: unknown): boolean {
    return this.#store.resident || (this.onDemand && this.find(key, ALL) !== undefined);
  }

  /** True for the cell that stands for the removal of all cells of its key. */
  removesAll(cell: Cell<V>): boolean {
    return this.onDemand && cell.namespace === ALL;
  }

  insert(key: unknown, namespace: Namespace): Cell<V> {
    const cell = new Cell(this, key, namespace);
    this.keep(cell);
    return cell;
  }

  /** Takes in a cell that was made for this slot; there must be none in its place. */
  keep(cell: Cell<V>): void {
    if (!this.#store.resident) this.#store.use(cell);
    const group = this.#groups.get(cell.key);
    if (group === undefined) {
      this.#groups.set(cell.key, { cell, more: undefined });
      return;
    }
    if (group.cell !== undefined) (group.more ??= new Map()).set(group.cell.namespace, group.cell);
    group.cell = cell;
  }

  /** Forgets a cell without changing what is stored. */
  drop(cell: Cell<V>): void {
    if (!this.#store.resident) this.#store.forget(cell);
    this.#expiring.delete(cell);
    const group = this.#groups.get(cell.key);
    if (group === undefined) return;
    // No other one moves up: finding it in a map with many removed entries would take longer for each of them.
    if (group.cell === cell) group.cell = undefined;
    else if (group.more?.get(cell.namespace) === cell) group.more.delete(cell.namespace);
    if (group.cell === undefined && (group.more?.size ?? 0) === 0) this.#groups.delete(cell.key);
  }

  /**
   * Puts other cells in the place of all that there are, in resident state. An operator that has one of the old ones in hand,
   * since it is calling user code, goes on with it; see {@link replaced}.
   */
  replaceAll(cells: readonly Cell<V>[]): void {
    for (const cell of this.cells()) (this.#replaced ??= new WeakSet()).add(cell);
    this.#groups.clear();
    this.#expiring.clear();
    for (const cell of cells) this.keep(cell);
    const expiring = cells.filter(({ expiresAt }) => expiresAt !== Infinity);
    for (const cell of expiring.sort((a, b) => a.expiresAt - b.expiresAt)) this.#expiring.add(cell);
  }

  /** True for a cell that was given up while an operator had it in hand: what it leads to must have no effect. */
  replaced(cell: Cell<V>): boolean {
    return this.#replaced?.has(cell) === true;
  }

  *cells(): IterableIterator<Cell<V>> {
    for (const group of this.#groups.values()) yield* cellsIn(group);
  }

  /** The cells of one key that are in memory. */
  *cellsOf(key: unknown): IterableIterator<Cell<V>> {
    const group = this.#groups.get(key);
    if (group !== undefined) yield* cellsIn(group);
  }

  #extend(cell: Cell<V>, expiry: Expiry): void {
    const now = expiry.now();
    cell.expiresAt = now + expiry.ttl;
    if (!this.#store.resident) return;
    this.#expiring.delete(cell);
    this.#expiring.add(cell);
    this.#sweep(now);
  }

  /** Nothing else looks at resident cells whose keys do not come again. */
  #sweep(now: number): void {
    let budget = EXPIRY_SWEEP;
    for (const oldest of this.#expiring) {
      if (budget-- === 0 || oldest.expiresAt > now) return;
      this.remove(oldest);
    }
  }

  #notLoaded(key: unknown, namespace: Namespace): RsError {
    return new RsError(
      'RS_STATE_NOT_LOADED',
      `state '${this.state}' of operator '${this.operator}' was used for a key that was not read beforehand; ` +
        'please report this as a bug of the engine',
      { details: { operator: this.operator, state: this.state, key, namespace } },
    );
  }
}

function* cellsIn<V>({ cell, more }: Group<V>): IterableIterator<Cell<V>> {
  if (cell !== undefined) yield cell;
  if (more !== undefined) yield* more.values();
}
