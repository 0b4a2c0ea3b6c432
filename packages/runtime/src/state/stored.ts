/** State as a backend stores it. */

export type Encoded = string | Uint8Array;

/** Where the cells of one key of a state live. All parts are text, so that a backend can build keys from them. */
export interface KeyAddress {
  /** Identity of the operator, from its uid. */
  readonly operator: string;
  readonly state: string;
  readonly layout: 'value' | 'elements';
  /** Canonical text of the key. */
  readonly key: string;
  /** True for a large map: its cells are read one by one, and scanned in the order of their namespaces. */
  readonly onDemand: boolean;
}

/** Where a cell lives. */
export interface CellAddress extends KeyAddress {
  /** A window, or the canonical text of a key of a large map; `''` where the state has one cell per key. */
  readonly namespace: string;
}

export interface StoredValue {
  readonly layout: 'value';
  readonly data: Encoded;
  /** Version of the descriptor that wrote it. */
  readonly version: number;
  /** Processing time in ms at which it expires. */
  readonly expiresAt?: number;
  /** Facts of the engine next to the user's data. */
  readonly meta?: string;
}

export interface StoredElement {
  readonly id: string;
  /** Position: elements are iterated in ascending order of it. */
  readonly order: number;
  readonly data: Encoded;
}

export interface StoredElements {
  readonly layout: 'elements';
  readonly elements: readonly StoredElement[];
  readonly version: number;
  readonly expiresAt?: number;
}

export type StoredCell = StoredValue | StoredElements;

/** Some cells of one key. */
export interface StoredPage {
  /** In the order of their namespaces (of the bytes of their text). */
  readonly cells: readonly (readonly [namespace: string, stored: StoredCell])[];
  /** After which namespace the next page begins; `undefined` when there is none. */
  readonly next?: string | undefined;
}

/** An absolute change of one cell, or of all cells of a key: applying it twice is the same as once. */
export type CellChange =
  | { readonly address: CellAddress; readonly op: 'put'; readonly stored: StoredValue }
  | { readonly address: CellAddress; readonly op: 'delete' }
  /** Deletes the cells of all namespaces of the key; what is put there in the same batch comes after it. */
  | { readonly address: KeyAddress; readonly op: 'clear' }
  | {
      readonly address: CellAddress;
      readonly op: 'elements';
      /** Remove everything that is stored before the rest is applied. */
      readonly clear: boolean;
      readonly put: readonly StoredElement[];
      readonly remove: readonly string[];
      readonly version: number;
      readonly expiresAt?: number;
    };
