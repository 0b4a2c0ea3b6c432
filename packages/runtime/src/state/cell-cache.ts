import type { Cell } from './cell.ts';

// Cells of many states, each with its own value type, stand in one list; nothing here looks into the values.
type AnyCell = Cell<any>; // eslint-disable-line @typescript-eslint/no-explicit-any -- see above

/**
 * The cells of an overlay that are in memory, and the bytes that they count for.
 *
 * They stand in a row. Of one that is wanted only the time is noted, which is all that a record costs. When bytes are needed,
 * cells that were wanted since they came to the end of the row go there again, and the first other one is forgotten: so what was
 * not wanted for long goes first.
 */
export class CellCache {
  /** Counts batches. */
  #now = 0;
  #bytes = 0;
  #first: AnyCell | undefined;
  #last: AnyCell | undefined;

  get bytes(): number {
    return this.#bytes;
  }

  add(cell: AnyCell): void {
    this.use(cell);
    this.#append(cell);
    this.#bytes += cell.size;
  }

  use(cell: AnyCell): void {
    cell.used = this.#now;
  }

  /** Does nothing for a cell that is not there any more. */
  remove(cell: AnyCell): void {
    if (cell.older === undefined && cell !== this.#first) return;
    this.#unlink(cell);
    this.#bytes -= cell.size;
  }

  resize(cell: AnyCell, size: number): void {
    this.#bytes += size - cell.size;
    cell.size = size;
  }

  /**
   * Drops cells until the others count for at most `limit` bytes, once after each batch. Those that a commit changes, or will
   * change, stay.
   */
  evict(limit: number): void {
    this.#sweep(limit, true);
    this.#sweep(limit, false);
    this.#now++;
  }

  /** Goes along the row once. @param spare whether cells that were wanted meanwhile go to its end */
  #sweep(limit: number, spare: boolean): void {
    const end = this.#last;
    let next = this.#first;
    while (next !== undefined && this.#bytes > limit) {
      const cell: AnyCell = next;
      next = cell === end ? undefined : cell.newer;
      if (cell.dirty || cell.pinned) continue;
      if (!spare || cell.used === cell.queued) {
        cell.slot.drop(cell);
      } else {
        this.#unlink(cell);
        this.#append(cell);
      }
    }
  }

  #append(cell: AnyCell): void {
    cell.queued = this.#now;
    cell.older = this.#last;
    cell.newer = undefined;
    if (this.#last === undefined) this.#first = cell;
    else this.#last.newer = cell;
    this.#last = cell;
  }

  #unlink(cell: AnyCell): void {
    const { older, newer } = cell;
    if (older === undefined) this.#first = newer;
    else older.newer = newer;
    if (newer === undefined) this.#last = older;
    else newer.older = older;
    cell.older = undefined;
    cell.newer = undefined;
  }
}
