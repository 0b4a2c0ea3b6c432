import type { StateAccess } from './access.ts';
import { Cell } from './cell.ts';
import { fillCell, type Held } from './format.ts';
import { compareText } from './key-encoding.ts';
import type { StateSlot } from './slot.ts';
import { addressOf, keyAddressOf } from './store.ts';
import type { StoredCell } from './stored.ts';

/** Elements that a loop reads at once. */
const PAGE = 256;
/** The same to see whether there is one: a few, since the first ones may have been removed. */
const FEW = 8;
/** Expired elements that a loop removes at most, so that a read does not make a huge commit. */
const EXPIRED_PER_LOOP = 1000;

/**
 * The large map of one key: each element is a cell, whose namespace is the canonical text of its key in the map.
 *
 * What is not in memory is read when it is asked for, and the answer is the map as it was at the call. That is so whatever
 * is in memory, since the backend holds the last commit until the record is settled, and an element without a cell has
 * not been changed since.
 *
 * Invariant: after each wait the record may have been settled or rewound, and then nothing is kept of what was read.
 */
export class LargeMap<V> {
  readonly #access: StateAccess;
  readonly #slot: StateSlot<Held<V>>;
  readonly #key: unknown;
  #removals = EXPIRED_PER_LOOP;

  /** @param access one that stays with the record, where the map is used after a wait */
  constructor(access: StateAccess) {
    this.#access = access;
    this.#slot = access.slot() as StateSlot<Held<V>>; // It was opened for a large map of V.
    this.#key = access.key();
  }

  async get(id: string): Promise<Held<V> | undefined> {
    if (this.#slot.want(this.#key, id) || this.#slot.complete(this.#key)) return this.#inMemory(id);
    const stored = await this.#answer(this.#slot.source.read(addressOf(this.#slot, this.#key, id)));
    this.#assertOpen();
    const known = this.#slot.find(this.#key, id);
    if (known?.dirty === false) return this.#inMemory(id); // Another read was faster; both give one object.
    const cell = this.#decoded(id, stored);
    if (known === undefined && !this.#slot.complete(this.#key)) {
      this.#slot.keep(cell, stored);
      return this.#inMemory(id);
    }
    // It was changed meanwhile; what was asked for is what it was before.
    return this.#slot.expired(cell.expiresAt) ? undefined : cell.value;
  }

  async isEmpty(): Promise<boolean> {
    const known = new Set<string>();
    for (const cell of this.#slot.cellsOf(this.#key)) {
      if (cell.value !== undefined && !this.#slot.expired(cell.expiresAt)) return false;
      known.add(String(cell.namespace));
    }
    if (this.#slot.complete(this.#key)) return true;
    for await (const [id, stored] of this.#stored(FEW))
      if (!known.has(id) && this.#counts(stored)) return false;
    return true;
  }

  /** Puts an element, whatever was there: that need not be read. */
  put(id: string, item: V): void {
    const cell = this.#slot.find(this.#key, id) ?? this.#slot.insert(this.#key, id);
    this.#slot.touch(cell);
    cell.value = { item };
  }

  remove(id: string): void {
    const cell = this.#slot.find(this.#key, id);
    if (cell !== undefined) {
      if (cell.value !== undefined) this.#slot.remove(cell);
    } else if (!this.#slot.complete(this.#key)) {
      this.#slot.remove(this.#slot.insert(this.#key, id));
    }
  }

  clear(): void {
    this.#slot.removeAll(this.#key);
  }

  /**
   * What `of` makes of the elements that are in the map when the loop begins, in the order of their ids: of each as it is
   * when its turn comes, if it is still there.
   */
  async *each<R>(of: (id: string, item: V) => R): AsyncGenerator<R, void> {
    this.#assertOpen();
    for await (const [id, stored] of this.#elements()) {
      this.#assertOpen();
      const held = this.#current(id, stored);
      if (held !== undefined) yield of(id, held.item);
    }
  }

  /** The elements that there are now; with what is stored of those that are not in memory. */
  async *#elements(): AsyncGenerator<readonly [id: string, stored?: StoredCell], void> {
    const complete = this.#slot.complete(this.#key);
    const known = new Set<string>();
    const own: string[] = [];
    for (const cell of this.#slot.cellsOf(this.#key)) {
      const id = String(cell.namespace);
      if (!complete) known.add(id);
      if (cell.value !== undefined && !this.#slot.expired(cell.expiresAt)) own.push(id);
    }
    own.sort(compareText);
    let next = 0;
    if (!complete) {
      for await (const [id, stored] of this.#stored(PAGE)) {
        for (; next < own.length && compareText(own[next] as string, id) < 0; next++)
          yield [own[next] as string];
        if (known.has(id)) continue;
        this.#assertOpen();
        if (this.#counts(stored)) yield [id, stored];
        else this.#sweep(id);
      }
    }
    for (; next < own.length; next++) yield [own[next] as string];
  }

  /** What the backend has, page by page. */
  async *#stored(page: number): AsyncGenerator<readonly [id: string, stored: StoredCell], void> {
    const address = keyAddressOf(this.#slot, this.#key);
    let after: string | undefined;
    do {
      const { cells, next } = await this.#answer(this.#slot.source.scan(address, after, page));
      yield* cells;
      after = next;
    } while (after !== undefined);
  }

  #current(id: string, stored: StoredCell | undefined): Held<V> | undefined {
    if (this.#slot.find(this.#key, id) !== undefined) return this.#inMemory(id);
    if (stored === undefined || this.#slot.complete(this.#key)) return undefined; // Gone since the loop began.
    return this.#decoded(id, stored).value; // Not kept in memory: there may be any number of them.
  }

  /** False for what is stored still, and not in the map any more. */
  #counts({ expiresAt, version }: StoredCell): boolean {
    return !this.#slot.expired(expiresAt) && !this.#slot.clears(version);
  }

  /** Nothing else looks at stored elements that nobody asks for. */
  #sweep(id: string): void {
    if (this.#slot.find(this.#key, id) === undefined && this.#removals-- > 0) this.remove(id);
  }

  #inMemory(id: string): Held<V> | undefined {
    return this.#slot.find(this.#key, id) === undefined
      ? undefined
      : this.#slot.present(this.#key, id)?.value;
  }

  /** A cell that stands in no slot yet. */
  #decoded(id: string, stored: StoredCell | undefined): Cell<Held<V>> {
    const cell = new Cell(this.#slot, this.#key, id);
    fillCell(cell, stored);
    return cell;
  }

  async #answer<R>(reading: Promise<R>): Promise<R> {
    try {
      return await reading;
    } catch (error) {
      this.#assertOpen();
      this.#slot.source.failed(error);
      throw error;
    }
  }

  /** Asked after the last wait before anything is done: throws `RS_CONTEXT_CLOSED` when the record was settled or rewound. */
  #assertOpen(): void {
    this.#access.key();
  }
}
