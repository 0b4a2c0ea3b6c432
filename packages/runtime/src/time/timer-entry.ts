import type { Namespace } from '../state/cell.ts';
import { compareText, encodeKey } from '../state/key-encoding.ts';

export interface Timer {
  readonly time: number;
  readonly key: unknown;
  readonly namespace: Namespace;
}

export interface DueTimer extends Timer {
  /** How many timers in a row have each registered the next one when it was due already; 0 for any other. */
  readonly depth: number;
}

export interface Entry extends DueTimer {
  /** Encoded key and namespace: identity within one time, and the order of firing. */
  readonly id: string;
  /** True when comparing code units gives the order of code points. */
  readonly simple: boolean;
}

const SURROGATES_OR_ABOVE = /[\ud800-\uffff]/;

export function newEntry(time: number, key: unknown, namespace: Namespace, depth: number): Entry {
  const id = identity(key, namespace);
  return { time, key, namespace, depth, id, simple: !SURROGATES_OR_ABOVE.test(id) };
}

/** The namespace never contains it (numbers and `start|end`), so the last one splits without doubt. */
const SEPARATOR = '\u001f';

export function identity(key: unknown, namespace: Namespace): string {
  return `${encodeKey(key)}${SEPARATOR}${namespace}`;
}

/** Key and namespace as texts. */
export function partsOf({ id }: Entry): { readonly key: string; readonly namespace: string } {
  const at = id.lastIndexOf(SEPARATOR);
  return { key: id.slice(0, at), namespace: id.slice(at + 1) };
}

/** The order of firing within one time. */
export function compareEntries(a: Entry, b: Entry): number {
  if (!a.simple || !b.simple) return compareText(a.id, b.id);
  if (a.id === b.id) return 0;
  return a.id < b.id ? -1 : 1;
}

/** The order of firing. Times may be infinite. */
export function inFiringOrder(a: Entry, b: Entry): number {
  if (a.time !== b.time) return a.time < b.time ? -1 : 1;
  return compareEntries(a, b);
}
