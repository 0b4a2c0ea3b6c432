import type { Cell, Namespace } from './cell.ts';
import { compareText, encodeKey } from './key-encoding.ts';
import { type SlotOptions, StateSlot } from './slot.ts';
import type { AnySlot } from './access.ts';
import type { CellAddress, CellChange } from './stored.ts';

// Cells of many states, each with its own value type, stand in one list; nothing here looks into the values.
type AnyCell = Cell<any>; // eslint-disable-line @typescript-eslint/no-explicit-any -- see above

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
  readonly #slots: AnySlot[] = [];
  #dirty: AnyCell[] = [];
  /** Clean cells whose objects user code has in hand since the last commit, and may have changed. */
  readonly #borrowed = new Set<AnyCell>();
  /** Loaded cells, the one that was wanted longest ago first. */
  readonly #recent = new Set<AnyCell>();

  constructor(options: { resident: boolean }) {
    this.resident = options.resident;
  }

  slot<V>(options: SlotOptions<V>): StateSlot<V> {
    const slot = new StateSlot<V>(this, options);
    this.#slots.push(slot);
    return slot;
  }

  slots(): readonly AnySlot[] {
    return this.#slots;
  }

  track(cell: AnyCell): void {
    if (cell.dirty) return;
    cell.dirty = true;
    this.#dirty.push(cell);
  }

  /** The changes since the last commit, in the order in which cells were first changed. */
  changes(): CellChange[] {
    return this.#dirty.map(changeOf);
  }

  /** The backend has the changes: they are no longer pending. */
  committed(): void {
    for (const cell of this.#dirty) {
      cell.dirty = false;
      cell.changes = undefined;
      if (cell.value === undefined) cell.slot.drop(cell);
    }
    this.#dirty = [];
    this.#borrowed.clear();
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
    this.#recent.delete(cell);
    this.#recent.add(cell);
  }

  forget(cell: AnyCell): void {
    this.#recent.delete(cell);
  }

  /** Drops the cells that were wanted longest ago until at most `limit` are left. Only between commits: none is dirty. */
  evict(limit: number): void {
    for (const cell of this.#recent) {
      if (this.#recent.size <= limit) return;
      cell.slot.drop(cell);
    }
  }
}

export function addressOf(slot: AnySlot, key: unknown, namespace: Namespace): CellAddress {
  return {
    operator: slot.operator,
    state: slot.state,
    layout: slot.format.layout,
    key: encodeKey(key),
    namespace: String(namespace),
  };
}

/** One text per address, for maps and for a stable order. */
export function addressText(address: CellAddress): string {
  return [address.operator, address.state, address.key, address.namespace].join('\u001f');
}

export function compareAddresses(a: CellAddress, b: CellAddress): number {
  return compareText(addressText(a), addressText(b));
}

function changeOf(cell: AnyCell): CellChange {
  const { format } = cell.slot;
  const address = addressOf(cell.slot, cell.key, cell.namespace);
  const expiry = cell.expiresAt === Infinity ? {} : { expiresAt: cell.expiresAt };
  if (format.layout === 'value') {
    if (cell.value === undefined) return { address, op: 'delete' };
    const stored = {
      layout: 'value',
      ...format.encode(cell.value),
      version: format.version,
      ...expiry,
    } as const;
    return { address, op: 'put', stored };
  }
  if (cell.value === undefined) return { address, op: 'delete' };
  const changes = cell.changes ?? { cleared: false, elements: new Set<string>() };
  const put = [];
  const remove = [];
  for (const id of changes.elements) {
    const element = format.encodeElement(cell.value, id);
    if (element === undefined) remove.push(id);
    else put.push(element);
  }
  return { address, op: 'elements', clear: changes.cleared, put, remove, version: format.version, ...expiry };
}
