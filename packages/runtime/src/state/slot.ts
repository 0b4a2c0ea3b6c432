import { RsError } from '@rs/core';
import { Cell, type Namespace } from './cell.ts';
import type { ElementSource } from './element-source.ts';
import { type CellFormat, fillCell } from './format.ts';
import { KeyMap } from './key-map.ts';
import type { SchemaMismatch, StateStore } from './store.ts';
import type { StoredCell } from './stored.ts';

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

/** The cells of a key that has had more than one: where several windows are open, or for a large map. */
class Group<V> {
  /** The newest cell, unless it was dropped. */
  cell: Cell<V> | undefined;
  readonly more = new Map<Namespace, Cell<V>>();

  constructor(newest: Cell<V>, other: Cell<V>) {
    this.cell = newest;
    this.more.set(other.namespace, other);
  }
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
  /** By key: its only cell, or all of them. */
  readonly #groups = new KeyMap<Cell<V> | Group<V>>();
  /** The cell that was found last: a callback mostly comes back for it. */
  #found: Cell<V> | undefined;
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

  get schemaMismatch(): SchemaMismatch {
    return this.#store.schemaMismatch;
  }

  /** True when what is stored with this version counts for nothing. */
  clears(version: number): boolean {
    return this.#store.schemaMismatch === 'clear' && !this.format.reads(version);
  }

  /** Where cells that are read on demand come from. */
  get source(): ElementSource {
    return this.#store.source;
  }

  /** A batch needs the cell: returns false when it must be read first. */
  want(key: unknown, namespace: Namespace): boolean {
    const cell = this.find(key, namespace);
    if (cell === undefined) return false;
    this.#store.use(cell);
    return true;
  }

  /** The cell, if one is in memory. */
  find(key: unknown, namespace: Namespace): Cell<V> | undefined {
    const found = this.#found;
    if (found !== undefined && found.key === key && found.namespace === namespace) return found;
    const cell = this.#look(key, namespace);
    if (cell !== undefined) this.#found = cell;
    return cell;
  }

  #look(key: unknown, namespace: Namespace): Cell<V> | undefined {
    const group = this.#groups.get(key);
    if (group === undefined) return undefined;
    if (group instanceof Cell) return group.namespace === namespace ? group : undefined;
    return group.cell?.namespace === namespace ? group.cell : group.more.get(namespace);
  }

  /**
   * The cell with a value, or `undefined` when nothing is stored.
   *
   * Invariant: with a backend, every cell a callback touches was loaded before it ran; a missing one is a bug here.
   */
  present(key: unknown, namespace: Namespace): Cell<V> | undefined {
    const cell = this.find(key, namespace);
    if (cell === undefined) {
      if (!this.#store.complete) throw this.#notLoaded(key, namespace);
      return undefined;
    }
    if (cell.value === undefined) return undefined;
    if (this.expired(cell.expiresAt)) {
      this.remove(cell);
      return undefined;
    }
    if (!this.#store.resident) {
      this.#store.use(cell); // Where the store is complete, nobody has wanted it before.
      if (typeof cell.value === 'object') this.#store.borrow(cell);
    }
    return cell;
  }

  expired(expiresAt: number | undefined): boolean {
    return expiresAt !== undefined && this.#expiry !== undefined && expiresAt <= this.#expiry.now();
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
    cell.expiresAt = undefined;
  }

  /** Removes all cells of a key, also those that were not read. */
  removeAll(key: unknown): void {
    if (this.#store.resident) {
      for (const cell of this.cellsOf(key)) this.#expiring.delete(cell);
      this.#groups.delete(key);
      this.#found = undefined;
      return;
    }
    for (const cell of this.cellsOf(key)) if (cell.value !== undefined) this.remove(cell);
    this.#store.track(this.find(key, ALL) ?? this.insert(key, ALL));
  }

  /** True when all cells of a key are in memory, so that one which is not there is not stored either. */
  complete(key: unknown): boolean {
    return this.#store.complete || (this.onDemand && this.find(key, ALL) !== undefined);
  }

  /** True when the next commit removes all cells of a key that are stored. */
  removesKey(key: unknown): boolean {
    return this.onDemand && this.find(key, ALL)?.dirty === true;
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

  /** Takes in what was read for a cell that stands here. */
  load(cell: Cell<V>, stored: StoredCell | undefined): void {
    fillCell(cell, stored);
    if (!this.#store.resident) this.#store.filled(cell, stored);
    // Nobody will read it, so it would stay for ever.
    if (stored !== undefined && this.clears(stored.version)) this.remove(cell);
  }

  /** Takes in a cell that was made for this slot; there must be none in its place. @param stored what it was made of */
  keep(cell: Cell<V>, stored?: StoredCell): void {
    if (!this.#store.resident) this.#store.keep(cell, stored);
    const group = this.#groups.get(cell.key);
    if (group === undefined) {
      this.#groups.set(cell.key, cell);
    } else if (group instanceof Cell) {
      this.#groups.set(cell.key, new Group(cell, group));
    } else {
      if (group.cell !== undefined) group.more.set(group.cell.namespace, group.cell);
      group.cell = cell;
    }
  }

  /** Forgets a cell without changing what is stored. */
  drop(cell: Cell<V>): void {
    if (!this.#store.resident) this.#store.forget(cell);
    if (this.#found === cell) this.#found = undefined;
    this.#expiring.delete(cell);
    const group = this.#groups.get(cell.key);
    if (group === cell) this.#groups.delete(cell.key);
    if (group === undefined || group instanceof Cell) return;
    // No other one moves up: finding it in a map with many removed entries would take longer for each of them.
    if (group.cell === cell) group.cell = undefined;
    else if (group.more.get(cell.namespace) === cell) group.more.delete(cell.namespace);
    if (group.cell === undefined && group.more.size === 0) this.#groups.delete(cell.key);
  }

  /**
   * Puts other cells in the place of all that there are, in resident state. An operator that has one of the old ones in hand,
   * since it is calling user code, goes on with it; see {@link replaced}.
   */
  replaceAll(cells: readonly Cell<V>[]): void {
    for (const cell of this.cells()) (this.#replaced ??= new WeakSet()).add(cell);
    this.#groups.clear();
    this.#found = undefined;
    this.#expiring.clear();
    for (const cell of cells) this.keep(cell);
    const expiring = cells.filter(({ expiresAt }) => expiresAt !== undefined);
    for (const cell of expiring.sort((a, b) => expiryOf(a) - expiryOf(b))) this.#expiring.add(cell);
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
      if (budget-- === 0 || expiryOf(oldest) > now) return;
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

function* cellsIn<V>(group: Cell<V> | Group<V>): IterableIterator<Cell<V>> {
  if (group instanceof Cell) {
    yield group;
    return;
  }
  if (group.cell !== undefined) yield group.cell;
  yield* group.more.values();
}

function expiryOf({ expiresAt = Infinity }: Cell<unknown>): number {
  return expiresAt;
}
