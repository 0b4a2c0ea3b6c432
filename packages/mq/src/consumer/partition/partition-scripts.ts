import { RsError } from '@rs/core';
import type { RedisArgument, RedisClient, RedisReply, ScriptCall } from '@rs/redis';
import {
  acquirePartition,
  fetchEntries,
  loadEntries,
  releasePartition,
  settleMessages,
  takeOverPending,
} from '../../lua/scripts.generated.ts';
import { groupOfJob } from '../group-of-job.ts';
import type { GroupPartition } from './group-partition.ts';

/** Name under which every owner reads: names never pile up, and what an owner leaves pending is its successor's. */
const CONSUMER = 'owner';

/**
 * What the scripts of an owner answer when they did nothing: somebody else owns the partition, the group is gone, other
 * programs read as the group, or Redis has lost what it had confirmed (a restart or a failover to before it).
 */
export type Refusal = 'FENCED' | 'NOGROUP' | 'FOREIGN' | 'ROLLED_BACK';

export interface Lease {
  readonly token: string;
  readonly epoch: number;
  /** Everything up to it is settled. */
  readonly low: string;
  /** The group was given everything up to it. */
  readonly fetched: string;
  /** Owners before this one have crashed here, twice or more in a row. */
  readonly crashed: boolean;
  /** The entry whose handler was about to start when the owner before crashed, `''` if that is not known. */
  readonly started: string;
  /** Time of the server in epoch milliseconds. */
  readonly now: number;
  /** Entries that retention removed before the group was given them. */
  readonly removed: number;
}

export type AcquireReply =
  | { readonly type: 'acquired'; readonly lease: Lease }
  | { readonly type: 'busy'; readonly left: number; readonly owner: string };

export interface PendingEntry {
  readonly id: string;
  /** Epoch milliseconds of the server; `undefined` when it is not parked. */
  readonly due: number | undefined;
  /** Attempts that failed. */
  readonly attempts: number;
  /** Milliseconds that the wait until `due` was to take; `undefined` when that is not known. */
  readonly delay: number | undefined;
}

export interface PendingPage {
  readonly next: string;
  readonly entries: readonly PendingEntry[];
  /** Ids that retention has removed. */
  readonly gone: readonly string[];
}

/** An entry as the stream holds it: names and values in turn. */
export interface RawEntry {
  readonly id: string;
  readonly fields: readonly Buffer[];
}

export interface RedeliveredEntry extends RawEntry, PendingEntry {}

export interface FetchOptions {
  /** The last entry that was received, and the last redelivered one. */
  readonly after: string;
  readonly again: string;
  readonly count: number;
  /** Bytes after which no more is read; one entry is read always. */
  readonly budget: number;
  /** How many are read before their bytes are looked at for the first time. */
  readonly step: number;
  /** Number of the last settle that was confirmed. */
  readonly confirmed: number;
}

/**
 * Elements that each new entry has in the reply of a fetch: id, m, k, h, d, with null for the `m` of the entry before and for an
 * empty `k` or `h`; or id, all its fields, and three times null.
 */
export const FLAT = 5;

export interface Fetched {
  /** {@link FLAT} elements for each entry: an object per entry would be made only to be read once. */
  readonly entries: readonly RedisReply[];
  readonly redelivered: readonly RedeliveredEntry[];
  /** Of those new ones that were tried before their group vanished. Nearly always none. */
  readonly known: readonly PendingEntry[];
  /** Whether reading on may find more. */
  readonly moreRedelivered: boolean;
  readonly moreNew: boolean;
}

export interface AcquireOptions {
  readonly token: string;
  readonly owner: string;
  readonly ttl: number;
  readonly from: string;
}

/** The scripts of one partition and group: arguments in, replies out, nothing decided. */
export class PartitionScripts {
  readonly place: GroupPartition;
  readonly #client: RedisClient;

  constructor(client: RedisClient, place: GroupPartition) {
    this.#client = client;
    this.place = place;
  }

  /** @throws RsError `RS_GROUP_OF_JOB` */
  async acquire({ token, owner, ttl, from }: AcquireOptions): Promise<AcquireReply> {
    const { stream, holds, lease, retries, attempts } = this.place.keys;
    const reply = list(
      await this.#client.run(
        acquirePartition({
          keys: { stream, lease, holds, retries, attempts },
          args: { group: this.place.group, token, owner, ttl, from },
        }),
      ),
    );
    if (reply[0] === 'BUSY') return { type: 'busy', left: Number(reply[1]), owner: text(reply[2]) };
    if (reply[0] === 'JOB') throw groupOfJob(this.place.topic, this.place.group, text(reply[1]));
    const [, epoch, low, fetched, crashed, started, now, removed] = reply;
    return {
      type: 'acquired',
      lease: {
        token,
        epoch: Number(epoch),
        low: text(low),
        fetched: text(fetched),
        crashed: crashed === 1,
        started: text(started),
        now: Number(now),
        removed: Number(removed),
      },
    };
  }

  /** False when somebody else holds the lease by now. */
  async release(token: string): Promise<boolean> {
    const { lease } = this.place.keys;
    return (await this.#client.run(releasePartition({ keys: { lease }, args: { token } }))) === 1;
  }

  async takeOver(token: string, cursor: string, count: number): Promise<Refusal | PendingPage> {
    const { stream, lease, retries, attempts } = this.place.keys;
    const reply = list(
      await this.#client.run(
        takeOverPending({
          keys: { stream, lease, retries, attempts },
          args: { token, group: this.place.group, consumer: CONSUMER, cursor, count },
        }),
      ),
    );
    const refusal = refusalOf(reply);
    if (refusal !== undefined) return refusal;
    return {
      next: text(reply[1]),
      entries: list(reply[2]).map(pendingEntry),
      gone: list(reply[3]).map(text),
    };
  }

  /** One element for each id that fitted into the budget; without fields where retention has removed the entry. */
  async load(
    ids: readonly string[],
    budget: number,
  ): Promise<{ id: string; fields: readonly Buffer[] | undefined }[]> {
    const { stream } = this.place.keys;
    const reply = await this.#client.run(loadEntries({ keys: { stream }, args: { budget, ids } }), {
      binary: true,
    });
    return list(reply).map((entry) => {
      const [id, fields] = list(entry);
      return { id: text(id), fields: fields === null ? undefined : buffers(fields) };
    });
  }

  async fetch(token: string, want: FetchOptions): Promise<Refusal | Fetched> {
    const { stream, lease, redelivery, retries, attempts } = this.place.keys;
    const reply = list(
      await this.#client.run(
        fetchEntries({
          keys: { stream, lease, redelivery, retries, attempts },
          args: { token, group: this.place.group, consumer: CONSUMER, ...want },
        }),
        { binary: true },
      ),
    );
    const refusal = refusalOf(reply);
    if (refusal !== undefined) return refusal;
    return {
      entries: list(reply[1]),
      redelivered: list(reply[2]).map(redeliveredEntry),
      known: list(reply[3]).map(pendingEntry),
      moreRedelivered: reply[4] === 1,
      moreNew: reply[5] === 1,
    };
  }

  /**
   * @param seq number of the call since the partition was acquired, from 1
   * @param outcomes the five lists of `settle-messages.lua`
   */
  settle(
    token: string,
    seq: number,
    facts: { low: string; started: string },
    outcomes: readonly RedisArgument[],
  ): ScriptCall {
    const { stream, lease, holds, retries, attempts, dead, redelivery } = this.place.keys;
    return settleMessages({
      keys: { stream, lease, holds, retries, attempts, dead, redelivery },
      args: { token, group: this.place.group, seq, ...facts, outcomes },
    });
  }

  async runSettle(call: ScriptCall): Promise<Refusal | 'OK'> {
    const reply = list(await this.#client.run(call));
    return refusalOf(reply) ?? 'OK';
  }
}

const REFUSALS: readonly Refusal[] = ['FENCED', 'NOGROUP', 'FOREIGN', 'ROLLED_BACK'];

function refusalOf(reply: readonly RedisReply[]): Refusal | undefined {
  const status = text(reply[0]);
  const refusal = REFUSALS.find((each) => each === status);
  if (refusal !== undefined) return refusal;
  if (status !== 'OK') throw unexpected(reply);
  return undefined;
}

function pendingEntry(reply: RedisReply): PendingEntry {
  const [id, due, attempts] = list(reply);
  return { id: text(id), ...retryFacts(due, attempts) };
}

function redeliveredEntry(reply: RedisReply): RedeliveredEntry {
  const [id, fields, due, attempts] = list(reply);
  return { id: text(id), fields: buffers(fields), ...retryFacts(due, attempts) };
}

function retryFacts(due: RedisReply | undefined, attempts: RedisReply | undefined): Omit<PendingEntry, 'id'> {
  const dueText = text(due);
  // As they were stored together; a version that did not know delays has stored none.
  const [failed, delay] = text(attempts).split(' ');
  return {
    due: dueText === '' ? undefined : Number(dueText),
    attempts: Number(failed),
    delay: delay === undefined ? undefined : Number(delay),
  };
}

function list(reply: RedisReply | undefined): readonly RedisReply[] {
  if (Array.isArray(reply)) return reply as readonly RedisReply[];
  throw unexpected(reply);
}

export function buffers(reply: RedisReply | undefined): readonly Buffer[] {
  // All bulk strings of a binary reply are buffers; looking at each again would cost more than reading it.
  return list(reply) as readonly Buffer[];
}

/** Text of ASCII, such as ids and numbers. */
export function text(reply: RedisReply | undefined): string {
  if (typeof reply === 'string') return reply;
  if (Buffer.isBuffer(reply)) return reply.toString('latin1');
  throw unexpected(reply);
}

function unexpected(reply: unknown): RsError {
  return new RsError('RS_REDIS_REPLY', 'a script of @rs/mq got a reply that it cannot read', {
    details: { reply },
  });
}
