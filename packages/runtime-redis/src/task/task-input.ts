import type { Message } from '@rs/core';
import type { InputItem } from '@rs/runtime';
import { ANNOUNCEMENT, END, type InputQueue } from './input-queue.ts';
import type { LogEntry } from './log-entry.ts';
import type { LogReader, ReadLimit } from './log-reader.ts';

export interface TaskInputOptions {
  readonly reader: Pick<LogReader, 'next'>;
  readonly queue: InputQueue;
  readonly decode: (entry: LogEntry) => Message<unknown>;
  /** True where the task must say that it has an input before the first record of it. */
  readonly announces: boolean;
  /** What one read brings at most. */
  readonly page: ReadLimit;
  /** With how many such pages in memory nothing more is read, at the moment. */
  readonly batches: () => number;
  /** Called when a read has come back. */
  readonly onRead: () => void;
}

/** What is processed next: items of one batch, or an entry that is no message. */
export type NextInput =
  | { readonly type: 'items'; readonly items: readonly InputItem[] }
  | { readonly type: 'unreadable'; readonly entry: LogEntry; readonly error: unknown }
  /** Nothing: a read is under way, or the log has nothing new. */
  | { readonly type: 'none' };

const NONE: NextInput = { type: 'none' };

/** The input of a task: reads ahead, and cuts what it has read into batches. */
export class TaskInput {
  readonly #options: TaskInputOptions;
  #reading = false;
  #failure: { readonly error: unknown } | undefined;
  /** True when the last read found the end of the log. */
  #drained = false;
  #ended: boolean;

  constructor(options: TaskInputOptions) {
    this.#options = options;
    this.#ended = options.queue.position.ended;
  }

  /** True when there is nothing to process and nothing under way: only the log can bring more. */
  get waiting(): boolean {
    return this.#drained && !this.#reading && this.#failure === undefined;
  }

  /** True when the end of the input is in the queue, or settled. */
  get ended(): boolean {
    return this.#ended;
  }

  /** True while a read is under way. */
  get reading(): boolean {
    return this.#reading;
  }

  /** True when everything that was read is among the first `from` items. */
  none(from: number): boolean {
    return !this.#reading && this.#options.queue.at(from) === undefined;
  }

  /** The log may have something new. */
  wake(): void {
    this.#drained = false;
  }

  /**
   * Begins a read, unless one is under way, the log is known to have nothing, or enough waits already.
   *
   * @param most entries of it. Default: as the options say
   */
  read(most = Infinity): void {
    const { reader, queue, announces, page, batches, onRead } = this.#options;
    if (this.#reading || this.#drained || this.#ended || this.#failure !== undefined) return;
    const held = batches();
    const room = page.bytes * held - queue.bytes;
    if (queue.length >= page.records * held || room <= 0) return;
    this.#reading = true;
    const records = Math.min(page.records, most);
    void reader.next({ records, bytes: Math.min(page.bytes, room) }).then(
      ({ entries, drained, ended }) => {
        this.#reading = false;
        // Before the first entry there is nothing else, and afterwards it is settled with the others.
        if (entries.length > 0 && announces && queue.base + queue.length === 0)
          queue.push({ type: 'announcement' });
        for (const entry of entries) queue.push({ type: 'entry', entry });
        this.#drained = drained;
        if (ended) {
          queue.push({ type: 'end' });
          this.#ended = true;
        }
        onRead();
      },
      (error: unknown) => {
        this.#reading = false;
        this.#failure = { error };
        onRead();
      },
    );
  }

  /**
   * What comes after the first `from` items of the input.
   *
   * @throws what a read has failed with, once; the next read asks for the same entries
   */
  next(from: number, limit: { readonly records: number; readonly bytes: number }): NextInput {
    const { queue, decode } = this.#options;
    const failure = this.#failure;
    if (failure !== undefined && queue.at(from) === undefined) {
      this.#failure = undefined;
      throw failure.error;
    }
    const items: InputItem[] = [];
    let bytes = 0;
    for (let number = from; items.length < limit.records; number++) {
      const item = queue.at(number);
      if (item === undefined) break;
      if (item.type !== 'entry') {
        items.push(item.type === 'end' ? END : ANNOUNCEMENT);
        continue;
      }
      const { entry } = item;
      bytes += entry.bytes;
      if (bytes > limit.bytes && items.length > 0) break;
      try {
        const message = decode(entry);
        items.push({
          type: 'record',
          input: 0,
          value: message,
          timestamp: message.timestamp,
          key: message.key,
        });
      } catch (error) {
        // What comes before it is processed first.
        if (items.length === 0) return { type: 'unreadable', entry, error };
        break;
      }
    }
    if (items.length === 0) return NONE;
    return { type: 'items', items };
  }
}
