import { RsError } from '@rs/core';
import type { CallOptions, RedisClient, RedisReply, ScriptCall } from '@rs/redis';
import type {
  CellAddress,
  CommitReply,
  KeyAddress,
  StoredCell,
  StoredPage,
  TimerPage,
  TimerQueueAddress,
} from '@rs/runtime';
import { TaskKeys } from '../keys/task-keys.ts';
import type { TaskPlace } from '../keys/task-place.ts';
import type { LostMessages } from './lost-messages.ts';
import { mirrorGroup, pageTimers, releaseTask, scanCells } from '../lua/scripts.generated.ts';
import { cellField } from './cell-field.ts';
import { orderedBytes, orderedText } from './ordered-text.ts';
import { type PreparedCommit, prepareCommit } from './prepare-commit.ts';
import { decodeCell, planReads, valueCell } from './read-cells.ts';
import { bytes, list, text, unexpected } from './replies.ts';
import { StateSweep, type StateSweepOptions } from './state-sweep.ts';
import { decodeValue } from './stored-value.ts';
import type { TaskCommit } from './task-commit.ts';
import { countPerShard, mergeTimers } from './timer-pages.ts';

export interface TaskStoreOptions {
  readonly client: RedisClient;
  readonly place: TaskPlace;
  /** That the task was acquired with. Default: none, for reading only, whoever the owner is. */
  readonly token?: string;
}

/** Where the reader of a log is. */
export interface ReaderPosition {
  /** Id of the last entry that was read. */
  readonly at: string;
  /** Entries that were read up to there, by all owners of the task. */
  readonly read: number;
}

export interface Mirrored {
  /** Entries of the log that the task has not settled yet; `undefined` where only reading them could tell. */
  readonly lag: number | undefined;
  /** What the log has lost before it was read, and a name for it. */
  readonly loss: { readonly id: string; readonly lost: LostMessages } | undefined;
}

/** Cells in one call: more would keep Redis from serving others for long. */
const READ_CHUNK = 1_000;

/** Bytes after which a page of a large map ends. */
const SCAN_BUDGET = 1024 * 1024;

/**
 * What Redis keeps of a task: arguments in, replies out. All calls are made in the name of one owner, whose token every script compares.
 * It decides nothing and keeps nothing: what to do about a lost lease, or a call without an answer, is the caller's matter. All calls may
 * be made again.
 */
export class TaskStore {
  readonly keys: TaskKeys;
  readonly #client: RedisClient;
  readonly #place: TaskPlace;
  readonly #token: string;

  constructor({ client, place, token = '' }: TaskStoreOptions) {
    this.keys = new TaskKeys(place);
    this.#client = client;
    this.#place = place;
    this.#token = token;
  }

  /**
   * The committed cells at these addresses, in their order.
   *
   * @throws RsError `RS_LEASE_LOST`; `RS_INVALID_VALUE` for bytes that @rs did not write; as `RedisClient.run`
   */
  async read(addresses: readonly CellAddress[]): Promise<readonly (StoredCell | undefined)[]> {
    const cells = new Array<StoredCell | undefined>(addresses.length);
    const chunks: Promise<void>[] = [];
    // All calls go out together.
    for (let from = 0; from < addresses.length; from += READ_CHUNK) {
      chunks.push(this.#readChunk(addresses.slice(from, from + READ_CHUNK), cells, from));
    }
    await Promise.all(chunks);
    return cells;
  }

  async #readChunk(
    addresses: readonly CellAddress[],
    cells: (StoredCell | undefined)[],
    from: number,
  ): Promise<void> {
    const { call, places } = planReads(this.keys, addresses, this.#token);
    const reply = await this.#run(call);
    places.forEach((place, at) => {
      cells[from + place] = decodeCell(reply[at + 1], addresses[place] as CellAddress);
    });
  }

  /**
   * A page of a large map, in the order of the bytes of its namespaces. It may have fewer cells than `limit` where there are more to come.
   *
   * @throws RsError as {@link read}
   */
  async scan(address: KeyAddress, after: string | undefined, limit: number): Promise<StoredPage> {
    const state = this.keys.state(address.operator, address.state);
    const field = cellField(address.key, '');
    const [, more, flat] = await this.#run(
      scanCells({
        keys: { own: this.keys.own, index: state.index(field), elements: state.collection(field) },
        args: { token: this.#token, after: lexAfter(after), limit, budget: SCAN_BUDGET },
      }),
    );
    const cells: (readonly [string, StoredCell])[] = [];
    let last: string | undefined;
    const page = list(flat);
    for (let at = 0; at < page.length; at += 2) {
      last = orderedText(bytes(page[at]));
      const value = page[at + 1];
      if (value !== null) cells.push([last, valueCell(decodeValue(bytes(value), address))]);
    }
    return { cells, next: more === 1 ? last : undefined };
  }

  /**
   * For each queue its first committed timers, in the order of firing: about `limit` of them.
   *
   * @throws RsError as {@link read}
   */
  async timers(queues: readonly TimerQueueAddress[], limit: number): Promise<readonly TimerPage[]> {
    const shards = this.#place.stateShards;
    const count = countPerShard(limit, shards);
    const keys = queues.flatMap(({ operator, kind }) => this.keys.timers(operator, kind));
    if (keys.length === 0) return [];
    const [, ...members] = await this.#run(
      pageTimers({ keys: { own: this.keys.own, queues: keys }, args: { token: this.#token, count } }),
    );
    return queues.map((_, at) =>
      mergeTimers(
        members.slice(at * shards, (at + 1) * shards).map((shard) => list(shard).map(bytes)),
        count,
      ),
    );
  }

  /** The server's time in epoch milliseconds, on which times to live count. @throws RsError as `RedisClient.command` */
  async now(): Promise<number> {
    const key = this.keys.own;
    const [seconds, micros] = list(await this.#client.command({ name: 'TIME', args: [] }, { key }));
    return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
  }

  /**
   * A commit as it will be sent, however often. Pure.
   *
   * @param records how many records it settles. Default 1: the limits for one record hold
   * @throws RsError `RS_RECORD_TOO_LARGE`, `RS_INVALID_ARGUMENT`: see `prepareCommit`
   */
  prepare(commit: TaskCommit, records?: number): PreparedCommit {
    return prepareCommit(this.keys, commit, {
      token: this.#token,
      ...(records === undefined ? {} : { records }),
    });
  }

  /**
   * Sends a commit. When it ends without an answer, the same one can be sent again for as long as the lease may be ours.
   *
   * @throws RsError as `RedisClient.run`; `RS_REDIS_REPLY` with the name of the key when one holds another type: nothing was
   *   written then
   */
  async commit({ call }: PreparedCommit, options: Pick<CallOptions, 'onRefused'> = {}): Promise<CommitReply> {
    const reply = await this.#client.run(call, options);
    if (reply === 'OK' || reply === 'DUP' || reply === 'FENCED' || reply === 'SEQ') return reply;
    throw unexpected(reply);
  }

  /** What removes the expired values of a state. */
  sweepOf(state: Pick<StateSweepOptions, 'operator' | 'state' | 'kind'>): StateSweep {
    return new StateSweep({
      ...state,
      keys: this.keys,
      token: this.#token,
      run: (call) => this.#run(call),
    });
  }

  /**
   * Moves the job's group in Redis to where the task is, for tools that look at groups, and looks for what the log has lost before it was
   * read.
   *
   * @param count entries that the task has settled
   * @param reader where the reader is, while no read is under way; `undefined` while one is: then nothing is looked for
   * @param told name of the loss that was told before: it is found until it has been
   * @throws RsError `RS_LEASE_LOST`; as `RedisClient.run`
   */
  async mirror(
    { offset, count }: { readonly offset: string; readonly count: number },
    reader?: ReaderPosition,
    told = '',
  ): Promise<Mirrored> {
    const { own, log } = this.keys;
    const { at = '', read = 0 } = reader ?? {};
    const args = { token: this.#token, group: this.#place.group, offset, count, at, read, told };
    const [, lag, id, ...gap] = await this.#run(mirrorGroup({ keys: { own, log }, args }));
    return {
      lag: lag === -1 ? undefined : Number(lag),
      loss: id === undefined ? undefined : { id: text(id), lost: lostMessages(gap) },
    };
  }

  /**
   * Gives the task back: the next owner need not wait, and suspects no crash.
   *
   * @returns false when somebody else is the owner
   */
  async release(): Promise<boolean> {
    const { own } = this.keys;
    return (await this.#client.run(releaseTask({ keys: { own }, args: { token: this.#token } }))) === 1;
  }

  async #run(call: ScriptCall): Promise<readonly RedisReply[]> {
    const reply = list(await this.#client.run(call, { binary: true }));
    const status = text(reply[0]);
    if (status === 'OK') return reply;
    if (status !== 'FENCED') throw unexpected(reply);
    const { task, topic, partition } = this.#place;
    throw new RsError(
      'RS_LEASE_LOST',
      `task '${task}' on partition ${partition} of topic '${topic}' belongs to another owner by now`,
      { details: { task, topic, partition } },
    );
  }
}

function lostMessages([after, before, count, deleted]: readonly RedisReply[]): LostMessages {
  return {
    after: text(after),
    before: text(before) === '' ? undefined : text(before),
    count: count === 0 ? undefined : Number(count),
    deleted: deleted === 1,
  };
}

function lexAfter(after: string | undefined): string | Buffer {
  if (after === undefined) return '-';
  const name = orderedBytes(after);
  return typeof name === 'string' ? `(${name}` : Buffer.concat([Buffer.from('('), name]);
}
