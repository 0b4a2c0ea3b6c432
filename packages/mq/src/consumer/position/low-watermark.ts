import { RsError } from '@rs/core';
import { compareIds } from './entry-id.ts';

const SMALLEST = 16;

/**
 * The entries of a partition that a group has been given and not settled, and the low watermark: the largest id such that
 * everything up to it is settled. A ring of ids; all operations take constant time on average and make no objects.
 */
export class UnsettledTable {
  #ids: string[] = new Array<string>(SMALLEST).fill('');
  #settled = new Uint8Array(SMALLEST);
  /** Handles count up; the one of an entry stands at `handle & (length − 1)`. */
  #head = 0;
  #tail = 0;
  #size = 0;
  #low: string;
  /** The watermark has left where the table started: every further entry lies above it. */
  #rising = false;
  #last: string | undefined;

  /** @param low where the table starts: everything up to it is settled */
  constructor(low: string) {
    this.#low = low;
  }

  /** Never moves back, also when entries are added below where the table started. */
  get low(): string {
    return this.#low;
  }

  /** Entries since the first unsettled one, settled or not: what the table has to remember. */
  get span(): number {
    return this.#tail - this.#head;
  }

  /** Number of unsettled entries. */
  get size(): number {
    return this.#size;
  }

  /**
   * Adds an entry, each with a higher id than the one before: first what is pending, then what is fetched.
   *
   * @returns the handle to settle it with
   * @throws RsError `RS_INVALID_ARGUMENT` when the id is not higher: the watermark would pass an unsettled entry
   */
  add(id: string): number {
    if (this.#last !== undefined && compareIds(id, this.#last) <= 0) {
      throw new RsError('RS_INVALID_ARGUMENT', `entry ${id} cannot be added after ${this.#last}`, {
        details: { id, last: this.#last },
      });
    }
    if (this.#tail - this.#head === this.#ids.length) this.#grow();
    const slot = this.#tail & (this.#ids.length - 1);
    this.#ids[slot] = id;
    this.#settled[slot] = 0;
    this.#last = id;
    this.#size++;
    return this.#tail++;
  }

  /** False when it is settled already. */
  settle(handle: number): boolean {
    const mask = this.#ids.length - 1;
    if (handle < this.#head || handle >= this.#tail || this.#settled[handle & mask] === 1) return false;
    this.#settled[handle & mask] = 1;
    this.#size--;
    while (this.#head < this.#tail && this.#settled[this.#head & mask] === 1) {
      this.#raise(this.#ids[this.#head & mask] ?? '');
      this.#ids[this.#head & mask] = ''; // lets the text go
      this.#head++;
    }
    return true;
  }

  /** Tells that there is nothing to settle up to this id but what is in the table. Ids that lie behind are ignored. */
  passed(id: string): void {
    if (this.#last !== undefined && compareIds(id, this.#last) <= 0) return;
    if (this.#size > 0) {
      this.settle(this.add(id));
      return;
    }
    this.#last = id;
    this.#raise(id);
  }

  /** The unsettled entries in order. */
  ids(): string[] {
    const mask = this.#ids.length - 1;
    const ids: string[] = [];
    for (let at = this.#head; at < this.#tail; at++) {
      if (this.#settled[at & mask] === 0) ids.push(this.#ids[at & mask] ?? '');
    }
    return ids;
  }

  #raise(id: string): void {
    if (!this.#rising && compareIds(id, this.#low) <= 0) return;
    this.#low = id;
    this.#rising = true;
  }

  #grow(): void {
    const mask = this.#ids.length - 1;
    const length = this.#ids.length * 2;
    const ids = new Array<string>(length).fill('');
    const settled = new Uint8Array(length);
    for (let at = this.#head; at < this.#tail; at++) {
      ids[at & (length - 1)] = this.#ids[at & mask] ?? '';
      settled[at & (length - 1)] = this.#settled[at & mask] ?? 0;
    }
    this.#ids = ids;
    this.#settled = settled;
  }
}
