import type { RedisClient } from '@rs/redis';
import { compareIds } from '@rs/mq';
import { lastIdOfCommit } from '../sink/out-position.ts';
import { type OutEntry, readEntries } from './out-entry.ts';

export interface OutFeedOptions {
  readonly client: Pick<RedisClient, 'command'>;
  /** Of the out log. */
  readonly key: string;
  /** The last entry that needs no delivery. */
  readonly after: string;
  /** The last commit of the task. */
  readonly committed: number;
  /** Bytes of entries that are kept in memory at most; what is beyond is read from Redis when its turn comes. */
  readonly memory: number;
}

/** Entries of a page, until it is known how large they are, and at most. */
const FIRST_COUNT = 16;
const MAX_COUNT = 1_000;
/** Bytes that a page should have. */
const PAGE_BYTES = 1024 * 1024;

/**
 * The results in one out log that are to be delivered, in order. Whoever follows closely gets them from memory, handed over when
 * their commit is answered; who is behind, or has just begun, from Redis.
 *
 * Invariant: nothing is given out before its commit is answered, and nothing is left out. `#queue` begins right after what was
 * given out; when it is empty and `#complete` is false, Redis has more.
 */
export class OutFeed {
  readonly #options: OutFeedOptions;
  /** The last entry that was given out. */
  #taken: string;
  /** No entry of an answered commit is above it. */
  #last: string;
  #queue: OutEntry[] = [];
  #queuedBytes = 0;
  /** True while the queue ends with the last entry that there is. */
  #complete = false;
  #bytesRead = 0;
  #entriesRead = 0;
  /** Bytes that are committed and not delivered, as far as they are known. */
  #bytes = 0;
  #entries = 0;
  /** Entries that were there when the task was acquired and have not been read yet. */
  #unread = 0;

  constructor(options: OutFeedOptions) {
    this.#options = options;
    this.#taken = options.after;
    this.#last = lastIdOfCommit(options.committed);
  }

  /** Entries that are not delivered; those left by an earlier owner are counted roughly until they have been read. */
  get entries(): number {
    return this.#entries + this.#unread;
  }

  /** Their bytes, about. */
  get bytes(): number {
    return this.#bytes + this.#unread * (this.#entriesRead === 0 ? 0 : this.#bytesRead / this.#entriesRead);
  }

  /** True when all that there is was given out and delivered. */
  get empty(): boolean {
    return this.#complete && this.#queue.length === 0 && this.#entries === 0;
  }

  /** Asks how much an earlier owner has left. */
  async open(): Promise<void> {
    const { client, key } = this.#options;
    this.#unread = Number(await client.command({ name: 'XLEN', args: [key] }, { key }));
    // Trimming leaves some entries that were delivered, so a look is needed; only no entry at all means that there is nothing.
    if (this.#unread === 0) this.#complete = true;
  }

  /** A commit was answered that wrote these entries. */
  committed(seq: number, entries: readonly OutEntry[]): void {
    // Nothing to read for it, nor anything that a read under way could miss.
    if (entries.length === 0) return;
    this.#last = lastIdOfCommit(seq);
    for (const { bytes } of entries) this.#bytes += bytes;
    this.#entries += entries.length;
    if (!this.#complete) return;
    for (const entry of entries) this.#queuedBytes += entry.bytes;
    if (this.#queuedBytes > this.#options.memory && this.#queue.length > 0) {
      // They are in Redis.
      for (const entry of entries) this.#queuedBytes -= entry.bytes;
      this.#complete = false;
    } else this.#queue.push(...entries);
  }

  /**
   * The next entries, in order; none when there is nothing more now.
   *
   * @throws RsError what the client throws; the same call may be made again
   */
  async take(count: number, bytes: number): Promise<readonly OutEntry[]> {
    if (this.#queue.length === 0 && !this.#complete) await this.#read();
    let size = 0;
    let end = 0;
    while (end < this.#queue.length && end < count && (end === 0 || size < bytes)) {
      size += (this.#queue[end++] as OutEntry).bytes;
    }
    const taken = end === this.#queue.length ? this.#queue : this.#queue.slice(0, end);
    this.#queue = end === this.#queue.length ? [] : this.#queue.slice(end);
    this.#queuedBytes -= size;
    this.#taken = taken.at(-1)?.id ?? this.#taken;
    return taken;
  }

  /** These were delivered. */
  delivered(entries: readonly OutEntry[]): void {
    this.#entries -= entries.length;
    for (const { bytes } of entries) this.#bytes -= bytes;
  }

  /** Those after `after` up to `to` that Redis still has. */
  async between(after: string, to: string): Promise<OutEntry[]> {
    const found: OutEntry[] = [];
    for (let from = after; ;) {
      const page = await this.#range(from, to, MAX_COUNT);
      found.push(...page);
      const last = page.at(-1);
      if (last === undefined || page.length < MAX_COUNT) return found;
      from = last.id;
    }
  }

  async #read(): Promise<void> {
    const upTo = this.#last;
    const count = this.#count();
    const page = await this.#range(this.#taken, upTo, count);
    for (const { bytes } of page) this.#bytesRead += bytes;
    this.#entriesRead += page.length;
    this.#queue = page;
    this.#queuedBytes = page.reduce((sum, { bytes }) => sum + bytes, 0);
    this.#countRead(page);
    // What was committed meanwhile is in Redis and not in the queue.
    this.#complete = page.length < count && this.#last === upTo;
    if (page.length < count) this.#unread = 0;
  }

  /** Entries of an earlier owner begin to count when they are read; the others do so since their commit. */
  #countRead(page: readonly OutEntry[]): void {
    const before = lastIdOfCommit(this.#options.committed);
    for (const { id, bytes } of page) {
      if (compareIds(id, before) > 0) return;
      this.#entries++;
      this.#bytes += bytes;
      this.#unread = Math.max(0, this.#unread - 1);
    }
  }

  #count(): number {
    if (this.#entriesRead === 0) return FIRST_COUNT;
    const mean = this.#bytesRead / this.#entriesRead;
    return Math.min(MAX_COUNT, Math.max(1, Math.floor(PAGE_BYTES / mean)));
  }

  async #range(after: string, to: string, count: number): Promise<OutEntry[]> {
    const { client, key } = this.#options;
    const args = [key, `(${after}`, to, 'COUNT', count];
    return readEntries(await client.command({ name: 'XRANGE', args }, { key, binary: true }));
  }
}
