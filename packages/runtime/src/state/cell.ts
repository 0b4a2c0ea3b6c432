import type { StateSlot } from './slot.ts';

/**
 * What distinguishes several cells of one key in one state: a window's identity. `''` where a state has one cell
 * per key.
 */
export type Namespace = string | number;

/** The smallest unit of keyed state: one state, one key, one namespace. What is read, changed and undone as a whole. */
export class Cell<V> {
  /** The decoded value; `undefined` when nothing is stored. */
  value: V | undefined = undefined;
  /** Processing time from which the value counts as gone; `undefined`: never. */
  expiresAt: number | undefined = undefined;
  /** True when it was changed since the last commit; only kept where changes are tracked. */
  dirty = false;
  /** True while a commit on its way changes it. */
  pinned = false;
  /** True when a backend may hold something for it; only kept where {@link StateStore.complete} depends on it. */
  stored = false;
  /** Bytes that it counts for. This and what follows is only kept where memory is limited, by `CellCache`. */
  size = 0;
  /** Of a collection: number of elements that `size` is about. */
  elements = 0;
  /** When it was wanted last. */
  used = 0;
  /** When it was put at the end of the row. */
  queued = 0;
  older: Cell<unknown> | undefined = undefined;
  newer: Cell<unknown> | undefined = undefined;
  /** Which elements of a collection were changed since the last commit. */
  changes: ElementChanges | undefined = undefined;
  readonly slot: StateSlot<V>;
  readonly key: unknown;
  readonly namespace: Namespace;

  constructor(slot: StateSlot<V>, key: unknown, namespace: Namespace) {
    this.slot = slot;
    this.key = key;
    this.namespace = namespace;
  }
}

export interface ElementChanges {
  /** All elements of the last commit are gone; `elements` then names all present ones. */
  cleared: boolean;
  readonly elements: Set<string>;
}
