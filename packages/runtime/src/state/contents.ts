import type { AnySlot } from './access.ts';
import { Cell, type Namespace } from './cell.ts';
import { fillCell } from './format.ts';
import { decodeKey, encodeKey } from './key-encoding.ts';
import type { Encoded, StoredCell, StoredElement } from './stored.ts';

// A slot of one store may have any type of values; nothing here looks into them.
type AnyCell = Cell<any>; // eslint-disable-line @typescript-eslint/no-explicit-any -- see above

/** A cell, encoded: whatever happens to the state later, this stays as it is. */
export interface CellSnapshot {
  /** Canonical text. */
  readonly key: string;
  readonly namespace: string;
  readonly stored: StoredCell;
}

/** All cells of one state of one operator, on one partition. */
export interface StateContents {
  readonly operator: string;
  readonly state: string;
  readonly cells: readonly CellSnapshot[];
}

/** What a slot of resident state holds. @throws RsError `RS_INVALID_VALUE` for what was changed into something that cannot be stored */
export function contentsOf(slot: AnySlot): StateContents {
  const cells: CellSnapshot[] = [];
  for (const cell of slot.cells()) {
    if (cell.value === undefined || slot.expired(cell.expiresAt)) continue;
    cells.push({ key: encodeKey(cell.key), namespace: String(cell.namespace), stored: storedOf(cell) });
  }
  return { operator: slot.operator, state: slot.state, cells };
}

/** The cells that {@link contentsOf} was made from, for a slot that does not have them yet. */
export function decodeCells(
  slot: AnySlot,
  snapshots: readonly CellSnapshot[],
  namespaceOf: (text: string) => Namespace,
): AnyCell[] {
  return snapshots.map(({ key, namespace, stored }) => {
    const cell: AnyCell = new Cell(slot, decodeKey(key), namespaceOf(namespace));
    fillCell(cell, stored);
    cell.changes = undefined; // Resident state is written as a whole, so it has none.
    return cell;
  });
}

function storedOf({ slot, value, expiresAt }: AnyCell): StoredCell {
  const { format } = slot;
  const { version } = format;
  const expiry = expiresAt === undefined ? {} : { expiresAt };
  if (format.layout === 'value') {
    const { data, ...rest } = format.encode(value);
    return { layout: 'value', data: ownData(data), ...rest, version, ...expiry };
  }
  const elements: StoredElement[] = [];
  for (const id of format.ids(value)) {
    const element = format.encodeElement(value, id);
    if (element !== undefined) elements.push({ ...element, data: ownData(element.data) });
  }
  return { layout: 'elements', elements, version, ...expiry };
}

/** A codec may write into one buffer again and again. */
function ownData(data: Encoded): Encoded {
  return typeof data === 'string' ? data : data.slice();
}
