import { RsError } from '@rs/core';
import { compareIds } from '@rs/mq';
import type { RedisClient, RedisReply } from '@rs/redis';
import { FieldReader } from './field-reader.ts';
import type { LogEntry } from './log-entry.ts';
import { lastIdOf } from '../store/last-id.ts';

export interface LogReaderOptions {
  readonly client: Pick<RedisClient, 'command'>;
  /** Key of the log. */
  readonly log: string;
  /** The last entry to read; `undefined`: there is no end. */
  readonly until: string | undefined;
}

/** How much to read. */
export interface ReadLimit {
  readonly records: number;
  /** As far as the entries before tell how large the next ones are; one entry is read always. */
  readonly bytes: number;
}

/** What a read brought. */
export interface LogPage {
  readonly entries: readonly LogEntry[];
  /** True when the log had nothing more, or nothing more up to `until`. */
  readonly drained: boolean;
  /** True when nothing more can ever come up to `until`. */
  readonly ended: boolean;
}

/** How much the newest read counts in the average size of an entry. */
const WEIGHT = 0.3;
/** What an entry is taken for before any was read. */
const FIRST_GUESS = 1_024;
/** Entries of the first read: nobody knows yet how large they are. A read brings twice as many as any before it at most. */
const FIRST_COUNT = 16;

/**
 * Reads a log in order. Plain reads: what is read is not taken from anybody, and whether it may be worked on
 * is decided by the commit.
 *
 * Invariant: what {@link next} gives follows on what it gave before without a gap, unless the stream itself has one.
 */
export class LogReader {
  readonly #options: LogReaderOptions;
  #after: string;
  #size = FIRST_GUESS;
  #most = FIRST_COUNT;
  /** True when the log was known to be at `until` or beyond before the last read: what comes then has higher ids. */
  #passed = false;

  /** @param after id after which to begin */
  constructor(options: LogReaderOptions, after: string) {
    this.#options = options;
    this.#after = after;
  }

  /** The id after which the next read begins. */
  get position(): string {
    return this.#after;
  }

  /** One call at a time. @throws RsError what the client throws; the same entries can be asked for again */
  async next({ records, bytes }: ReadLimit): Promise<LogPage> {
    const { until } = this.#options;
    const count = Math.max(1, Math.min(records, this.#most, Math.floor(bytes / this.#size)));
    this.#passed ||= until !== undefined && (await this.#passes(until));
    const { entries, drained } = await this.#read(count);
    const last = entries.at(-1);
    if (last !== undefined) {
      this.#after = last.id;
      const mean = entries.reduce((sum, entry) => sum + entry.bytes, 0) / entries.length;
      this.#size = Math.max(1, this.#size * (1 - WEIGHT) + mean * WEIGHT);
      this.#most = Math.max(this.#most, 2 * entries.length);
    }
    return { entries, drained, ended: drained && this.#passed };
  }

  async #read(count: number): Promise<Pick<LogPage, 'entries' | 'drained'>> {
    const { client, log, until } = this.#options;
    const args = [log, `(${this.#after}`, until ?? '+', 'COUNT', count];
    const entries = entriesOf(
      await client.command({ name: 'XRANGE', args }, { key: log, binary: true }),
      log,
    );
    return { entries, drained: entries.length < count };
  }

  async #passes(until: string): Promise<boolean> {
    const { client, log } = this.#options;
    return compareIds(this.#after, until) >= 0 || compareIds(await lastIdOf(client, log), until) >= 0;
  }
}

function entriesOf(reply: RedisReply, log: string): LogEntry[] {
  if (!Array.isArray(reply)) {
    throw new RsError('RS_REDIS_REPLY', `XRANGE ${log} gave no list of entries`, { details: { reply } });
  }
  const reader = new FieldReader();
  return (reply as readonly (readonly [Buffer, Buffer[]])[]).map(([id, fields]) => {
    let bytes = 0;
    for (const field of fields) bytes += field.length;
    reader.read(fields);
    return { id: id.toString('latin1'), fields, bytes };
  });
}
