import type { InputItem } from '@rs/runtime';
import type { LogEntry } from './log-entry.ts';

/** An item of a task's input: an entry of the log, or what stands before the first one and behind the last one. */
export type TaskInputItem =
  | { readonly type: 'entry'; readonly entry: LogEntry }
  /** Before the first entry, where inputs meet that would not wait for this one otherwise. */
  | { readonly type: 'announcement' }
  /** Behind the last entry. */
  | { readonly type: 'end' };

/** How far a task has come in its input. */
export interface InputPosition {
  /** Id of the last entry that is settled. */
  readonly offset: string;
  /** True once the end of a bounded input is settled. */
  readonly ended: boolean;
}

/**
 * What was read and is not settled, in order, by number: drivers count items, and commits name the entries behind the numbers.
 *
 * Invariant: item `base + i` of the task is `items[i]`, so whatever number a commit brings has exactly one entry.
 */
export class InputQueue {
  #base: number;
  #position: InputPosition;
  #items: TaskInputItem[] = [];
  #bytes = 0;
  /** Numbers of the items that are no entries. */
  readonly #markers: number[] = [];

  /** @param count items that are settled; @param position where that is */
  constructor(count: number, position: InputPosition) {
    this.#base = count;
    this.#position = position;
  }

  get length(): number {
    return this.#items.length;
  }

  /** Bytes of the entries. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Number of the first item that is not settled. */
  get base(): number {
    return this.#base;
  }

  /** Number of the item that will be read next. */
  get end(): number {
    return this.#base + this.#items.length;
  }

  get position(): InputPosition {
    return this.#position;
  }

  push(item: TaskInputItem): void {
    if (item.type === 'entry') this.#bytes += item.entry.bytes;
    else this.#markers.push(this.end);
    this.#items.push(item);
  }

  /** How many entries have this number or a higher one. */
  entriesFrom(number: number): number {
    return this.end - number - this.#markers.filter((marker) => marker >= number).length;
  }

  /** The item with a number; `undefined` for one that is settled or not there yet. */
  at(number: number): TaskInputItem | undefined {
    return this.#items[number - this.#base];
  }

  /** Its entry of the log, where the item with a number is one. */
  entryAt(number: number): LogEntry | undefined {
    const item = this.at(number);
    return item?.type === 'entry' ? item.entry : undefined;
  }

  /** The position of a task that has settled so many items. */
  positionAt(count: number): InputPosition {
    if (count === this.#base) return this.#position;
    let { offset } = this.#position;
    let ended = false;
    for (let at = count - this.#base - 1; at >= 0; at--) {
      const item = this.#items[at];
      if (item?.type === 'end') ended = true;
      else if (item?.type === 'entry') {
        offset = item.entry.id;
        break;
      }
    }
    return { offset, ended: ended || this.#position.ended };
  }

  /** Forgets what a commit has settled. */
  settled(count: number): void {
    if (count <= this.#base) return;
    this.#position = this.positionAt(count);
    const gone = this.#items.splice(0, count - this.#base);
    for (const item of gone) if (item.type === 'entry') this.#bytes -= item.entry.bytes;
    this.#base = count;
  }
}

/** Of the only input of a task. */
export const ANNOUNCEMENT: InputItem = { type: 'status', idle: false, input: 0 };
export const END: InputItem = { type: 'end', input: 0 };
