import type { Cell, Namespace } from './cell.ts';
import type { CellChange, Encoded, StoredCell } from './stored.ts';

// A size depends on the encoded form alone, whatever the values are.
type AnyCell = Cell<any>; // eslint-disable-line @typescript-eslint/no-explicit-any -- see above

/** About what a cell takes in memory besides its key and its value: itself, and its places in the maps. */
const CELL_BYTES = 200;
/** The same for an element of a collection. */
const ELEMENT_BYTES = 80;
/** For keys that are no text: numbers mostly. */
const OTHER_KEY_BYTES = 16;

/** Of a cell without a value. */
export function emptySize({ key, namespace }: AnyCell): number {
  return CELL_BYTES + sizeOfKey(key) + sizeOfNamespace(namespace);
}

/** Of a cell that was read. */
export function storedSize(cell: AnyCell, stored: StoredCell | undefined): number {
  const empty = emptySize(cell);
  if (stored === undefined) return empty;
  return empty + (stored.layout === 'value' ? stored.data.length : sizeOfElements(stored.elements));
}

/**
 * Of a cell once the change is stored. Of collections only changed elements are encoded; the others are taken to be like these
 * and like those that there were.
 */
export function changedSize(cell: AnyCell, change: CellChange): number {
  const empty = emptySize(cell);
  if (change.op === 'put') return empty + change.stored.data.length;
  if (change.op !== 'elements') return empty;
  const put = sizeOfElements(change.put);
  if (change.clear) return empty + put;
  const known = cell.elements + change.put.length;
  return known === 0 ? empty : empty + ((cell.size - empty + put) / known) * countOf(cell);
}

/** Number of elements of a collection. */
export function countOf({ slot: { format }, value }: AnyCell): number {
  return format.layout === 'elements' && value !== undefined ? format.count(value) : 0;
}

function sizeOfElements(elements: readonly { readonly id: string; readonly data: Encoded }[]): number {
  let bytes = 0;
  for (const { id, data } of elements) bytes += ELEMENT_BYTES + id.length + data.length;
  return bytes;
}

function sizeOfKey(key: unknown): number {
  if (typeof key === 'string') return key.length;
  return typeof key === 'object' && key !== null ? sizeOfParts(key) : OTHER_KEY_BYTES;
}

function sizeOfParts(key: object): number {
  if (key instanceof Uint8Array) return key.length;
  let bytes = OTHER_KEY_BYTES;
  for (const part of Object.values(key)) bytes += sizeOfKey(part);
  return bytes;
}

function sizeOfNamespace(namespace: Namespace): number {
  return typeof namespace === 'string' ? namespace.length : 0;
}
