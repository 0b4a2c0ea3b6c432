import type { Topic } from '@rs/core';
import { type RedisClient, TopicKeys } from '@rs/redis';
import { refused } from '../checks/checks.ts';
import { type WaitOptions, waitSignal } from '../checks/signal.ts';
import type { Codecs } from '../codec/codecs.ts';
import { compareIds } from '../consumer/position/entry-id.ts';
import type { Ids } from '../random.ts';
import { abortable } from '../time/abortable.ts';
import type { Timers } from '../time/timers.ts';
import type { TopicDirectory } from '../topics/topic-directory.ts';
import { unknownTopic } from '../topics/topic-info.ts';
import type { DeadLetter } from './dead-letter.ts';
import type { DeadLetterPlace } from './dead-letter-id.ts';
import {
  type DeadLetterFilter,
  type ListDeadLettersOptions,
  type RemoveDeadLettersOptions,
  type ReplayDeadLettersOptions,
  type Selection,
  type SummarizeDeadLettersOptions,
  listRequest,
  removeRequest,
  replayRequest,
  summaryRequest,
} from './dead-letter-options.ts';
import { DeadLetterStore } from './dead-letter-store.ts';
import { Pace } from './pace.ts';
import { readDeadLetter } from './read-dead-letter.ts';
import { scan } from './scan.ts';
import { CauseCounter, type DeadLetterSummary } from './summary.ts';

export interface DeadLettersParts<T> {
  readonly name: string;
  readonly schema: Topic<T, unknown>['value'];
  readonly client: RedisClient;
  readonly prefix: string;
  readonly codecs: Codecs;
  readonly directory: Pick<TopicDirectory, 'read'>;
  readonly timers: Timers;
  readonly ids: Ids;
}

export interface DeadLetterCount {
  readonly total: number;
  /** By number of partition. */
  readonly partitions: readonly number[];
}

export interface ReplayReport {
  /** Dead letters that their group is given again. */
  readonly replayed: number;
  /** Those that were gone, or are of another group. */
  readonly skipped: number;
}

interface Opened {
  readonly store: DeadLetterStore;
  readonly partitions: number;
}

/** The dead letters of a topic, made by `mq.deadLetters`. */
export class DeadLetters<T> {
  readonly #parts: DeadLettersParts<T>;

  /** @internal */
  constructor(parts: DeadLettersParts<T>) {
    this.#parts = parts;
  }

  /**
   * Partition by partition, each from the oldest on, in pages of at most 4 MiB (a single one may be larger). It ends with what each
   * partition had when its turn came.
   *
   * @throws RsError `RS_INVALID_ARGUMENT`, `RS_INVALID_NAME` at once; `RS_UNKNOWN_TOPIC` and what the client throws from the loop
   */
  list(options: ListDeadLettersOptions = {}): AsyncIterable<DeadLetter<T>> {
    const where = this.#where('list');
    return this.#list(listRequest(options, where), where);
  }

  /** How many there are, of all groups. @throws RsError `RS_UNKNOWN_TOPIC`; what the client throws */
  async count(options: WaitOptions = {}): Promise<DeadLetterCount> {
    const signal = waitSignal(options, this.#where('count'));
    return abortable(this.#count(), signal);
  }

  async #count(): Promise<DeadLetterCount> {
    const { store, partitions } = await this.#open();
    const counts = await Promise.all(
      Array.from({ length: partitions }, (_, partition) => store.count(partition)),
    );
    return { total: counts.reduce((sum, count) => sum + count, 0), partitions: counts };
  }

  /**
   * What messages died of: dead letters by group, reason and signature of the error.
   *
   * @throws RsError `RS_UNKNOWN_TOPIC`, `RS_INVALID_ARGUMENT`, `RS_INVALID_NAME`; what the client throws
   */
  async summary(options: SummarizeDeadLettersOptions = {}): Promise<DeadLetterSummary> {
    const where = this.#where('summary');
    const { filter, limit, signal } = summaryRequest(options, where);
    const { store, partitions } = await this.#open(filter, where, signal);
    const counter = new CauseCounter();
    let scanned = 0;
    for await (const { looked, found } of scan(store, {
      partitions,
      filter,
      parts: 'facts',
      limit,
      signal,
    })) {
      for (const each of found) counter.add(each);
      scanned += looked;
    }
    return { causes: counter.causes(), scanned, complete: scanned < limit };
  }

  /**
   * Gives dead letters to their group again, and to no other: with their key, headers, time, bytes and id, in their partition, with
   * attempts counted from 1 anew. Each leaves the dead letters in the same step; one that fails again becomes a dead letter again.
   * They are delivered at once where the group has a consumer, else when it has one, beside newer messages: order is kept among
   * those replayed together.
   *
   * When it ends with an error, what was replayed until then stays replayed, and the same call goes on.
   *
   * @throws RsError `RS_GROUP_OF_JOB` for the group of a job, whose messages have to be sent anew; `RS_UNKNOWN_TOPIC`, `RS_INVALID_ARGUMENT`, `RS_INVALID_NAME`; what the client throws; the signal's reason
   */
  async replay(options: ReplayDeadLettersOptions): Promise<ReplayReport> {
    const where = this.#where('replay');
    const { group, selection, limit, rate, signal } = replayRequest(options, where);
    const { ids, timers } = this.#parts;
    const opened = await this.#open(selection.type === 'filter' ? selection.filter : {}, where, signal);
    const pace = new Pace(timers, rate);
    let replayed = 0;
    let skipped = 0;
    for await (const { partition, entries } of this.#choose(opened, selection, pace.portion, signal)) {
      if (replayed >= limit) break;
      const wanted = entries.slice(0, limit - replayed);
      await pace.wait(wanted.length, signal);
      const call = { group, ids: wanted, request: ids() };
      const exists = partition < opened.partitions;
      const moved = exists ? await opened.store.replay(partition, call, { signal }) : 0;
      replayed += moved;
      skipped += wanted.length - moved;
    }
    return { replayed, skipped };
  }

  /**
   * Removes dead letters for good.
   *
   * @returns how many were removed
   * @throws RsError as `replay`; `RS_INVALID_ARGUMENT` also when it is not said which
   */
  async remove(options: RemoveDeadLettersOptions): Promise<number> {
    const where = this.#where('remove');
    const { selection, signal } = removeRequest(options, where);
    const opened = await this.#open(selection.type === 'filter' ? selection.filter : {}, where, signal);
    let removed = 0;
    const { portion } = new Pace(this.#parts.timers, undefined);
    for await (const { partition, entries } of this.#choose(opened, selection, portion, signal)) {
      if (partition >= opened.partitions) break;
      const call = { ids: entries, request: this.#parts.ids() };
      removed += await opened.store.remove(partition, call, { signal });
    }
    return removed;
  }

  async *#list(
    { filter, after, limit, signal }: ReturnType<typeof listRequest>,
    where: string,
  ): AsyncGenerator<DeadLetter<T>> {
    const { store, partitions } = await this.#open(filter, where, signal);
    const { name: topic, schema, codecs } = this.#parts;
    let left = limit;
    for await (const { found } of scan(store, { partitions, filter, after, parts: 'all', signal })) {
      for (const each of found) {
        signal?.throwIfAborted();
        yield readDeadLetter<T>(each, { topic, codecs, schema });
        if (--left === 0) return;
      }
    }
  }

  /** What was selected, in portions of one partition each, in order. */
  async *#choose(
    { store, partitions }: Opened,
    selection: Selection,
    portion: number,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<{ readonly partition: number; readonly entries: readonly string[] }> {
    if (selection.type === 'places') {
      for (const [partition, entries] of byPartition(selection.places))
        yield* portions(partition, entries, portion);
      return;
    }
    for await (const { partition, found } of scan(store, {
      partitions,
      filter: selection.filter,
      parts: 'facts',
      signal,
    })) {
      yield* portions(
        partition,
        found.map(({ entry }) => entry),
        portion,
      );
    }
  }

  /** Looks the topic up: it may have grown. */
  async #open(filter: DeadLetterFilter = {}, where = '', signal?: AbortSignal): Promise<Opened> {
    const { name, client, prefix, directory } = this.#parts;
    signal?.throwIfAborted();
    const info = await abortable(directory.read(name), signal);
    if (info === undefined) throw unknownTopic(name);
    const { partitions, shards } = info;
    if (filter.partition !== undefined && filter.partition >= partitions) {
      throw refused(`${where}: partition`, `below ${partitions}, the number of partitions`, filter.partition);
    }
    return { store: new DeadLetterStore(client, new TopicKeys({ topic: name, shards, prefix })), partitions };
  }

  #where(what: string): string {
    return `${what} dead letters of '${this.#parts.name}'`;
  }
}

/** In the order in which they died: that is the order in which they are delivered again. */
function byPartition(places: readonly DeadLetterPlace[]): [number, string[]][] {
  const groups = new Map<number, string[]>();
  for (const { partition, entry } of places) {
    const group = groups.get(partition);
    if (group === undefined) groups.set(partition, [entry]);
    else group.push(entry);
  }
  for (const entries of groups.values()) entries.sort(compareIds);
  return [...groups].sort(([a], [b]) => a - b);
}

function* portions(
  partition: number,
  entries: readonly string[],
  portion: number,
): Generator<{ readonly partition: number; readonly entries: readonly string[] }> {
  for (let at = 0; at < entries.length; at += portion)
    yield { partition, entries: entries.slice(at, at + portion) };
}
