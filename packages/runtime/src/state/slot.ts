import { RsError } from '@rs/core';
import { Cell, type Namespace } from './cell.ts';
import type { CellFormat } from './format.ts';
import { KeyMap } from './key-map.ts';
import type { StateStore } from './store.ts';

export interface SlotOptions<V> {
  readonly operator: string;
  readonly state: string;
  readonly format: CellFormat<V>;
  /** When entries expire; `undefined`: never. */
  readonly expiry?: Expiry | undefined;
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

/** The cells of one key: usually one, kept in place; more only where several windows of a key are open. */
interface Group<V> {
  /** The newest cell. */
  cell: Cell<V>;
  more: Map<Namespace, Cell<V>> | undefined;
}

/** All cells of one state of one operator, on one partition. */
export class StateSlot<V> {
  readonly operator: string;
  readonly state: string;
  readonly format: CellFormat<V>;
  readonly #store: StateStore;
  readonly #expiry: Expiry | undefined;
  readonly #groups = new KeyMap<Group<V>>();
  /** Resident cells with a TTL in the order of their last write, which is that of their expiry. */
  readonly #expiring = new Set<Cell<V>>();

  constructor(store: StateStore, options: SlotOptions<V>) {
    this.#store = store;
    this.#expiry = options.expiry;
    this.operator = options.operator;
    this.state = options.state;
    this.format = options.format;
  }

  /** A batch needs the cell: returns false when it must be read first. */
  want(key: unknown, namespace: Namespace): boolean {
    const cell = this.find(key, namespace);
    if (cell !== undefined) this.#store.use(cell);
    return cell !== undefined;
  }

  /** The cell, if one is in memory. */
  find(key: unknown, namespace: Namespace): Cell<V> | undefined {
    const group = this.#groups.get(key);
    if (group === undefined) return undefined;
    return group.cell.namespace === namespace ? group.cell : group.more?.get(namespace);
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
    if (cell.expiresAt !== Infinity && this.#expiry !== undefined && cell.expiresAt <= this.#expiry.now()) {
      this.remove(cell);
      return undefined;
    }
    if (!this.#store.resident && typeof cell.value === 'object') this.#store.borrow(cell);
    return cell;
  }

  /** The cell to write to, made when there is none. Call {@link touch} before its value changes. */
  obtain(key: unknown, namespace: Namespace): Cell<V> {
    const present = this.present(key, namespace);
    return present ?? this.find(key, namespace) ?? this.insert(key, namespace);
  }

  /** Must be called before a cell's value (or an object in it) changes, so that a failure half-way can be undone. */
  touch(cell: Cell<V>): void {
    if (!this.#store.resident) this.#store.track(cell);
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

  insert(key: unknown, namespace: Namespace): Cell<V> {
    const cell = new Cell(this, key, namespace);
    if (!this.#store.resident) this.#store.use(cell);
    const group = this.#groups.get(key);
    if (group === undefined) {
      this.#groups.set(key, { cell, more: undefined });
    } else {
      (group.more ??= new Map()).set(group.cell.namespace, group.cell);
      group.cell = cell;
    }
    return cell;
  }

  /** Forgets a cell without changing what is stored. */
  drop(cell: Cell<V>): void {
    if (!this.#store.resident) this.#store.forget(cell);
    this.#expiring.delete(cell);
    const group = this.#groups.get(cell.key);
    if (group === undefined) return;
    if (group.cell !== cell) {
      group.more?.delete(cell.namespace);
      return;
    }
    const next = group.more?.entries().next().value;
    if (next === undefined) {
      this.#groups.delete(cell.key);
    } else {
      group.more?.delete(next[0]);
      group.cell = next[1];
    }
  }

  *cells(): IterableIterator<Cell<V>> {
    for (const group of this.#groups.values()) {
      yield group.cell;
      if (group.more !== undefined) yield* group.more.values();
    }
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
