import type { Cell, Namespace } from './cell.ts';
import { compareText, encodeKey } from './key-encoding.ts';
import { type SlotOptions, StateSlot } from './slot.ts';
import type { CellAddress, CellChange } from './stored.ts';

// Cells of many states, each with its own value type, stand in one list; nothing here looks into the values.
type AnyCell = Cell<any>; // eslint-disable-line @typescript-eslint/no-explicit-any -- see above
type AnySlot = StateSlot<any>; // eslint-disable-line @typescript-eslint/no-explicit-any -- see above

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
  }

  /** Forgets all changes since the last commit. */
  rollback(): void {
    for (const cell of this.#dirty) cell.slot.drop(cell);
    this.#dirty = [];
  }

  /** Drops clean cells until at most `limit` are left. Must only be called between commits, when none is dirty. */
  evict(limit: number): void {
    let count = 0;
    for (const slot of this.#slots) {
      for (const cell of [...slot.cells()]) if (++count > limit) slot.drop(cell);
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
