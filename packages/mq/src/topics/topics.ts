import { type Topic, RsError, checkName, checkObject } from '@rs/core';
import { refused } from '../checks/checks.ts';
import { type WaitOptions, checkSignal, waitSignal } from '../checks/signal.ts';
import { checkKnown } from '../checks/known-options.ts';
import type { Ids } from '../random.ts';
import { abortable } from '../time/abortable.ts';
import type { TopicDirectory } from './topic-directory.ts';
import { type TopicInfo, unknownTopic } from './topic-info.ts';
import type { TopicStore } from './topic-store.ts';

/** Everything about a topic that a name stands for. */
export type TopicLike = string | Topic<unknown, unknown>;

export interface EnsureTopicOptions extends WaitOptions {
  /**
   * From 1 to 4096. As many messages of a group are handled side by side, in as many processes; the order is kept within
   * each. It can grow later, but then keys move.
   */
  readonly partitions: number;
  /**
   * Slots of a Redis Cluster that the partitions are spread over, from 1 to `partitions`. Fewer take fewer connections and
   * use fewer masters; on a single server it changes nothing. It never changes. Default: as many as partitions.
   */
  readonly shards?: number;
}

export interface GrowTopicOptions extends WaitOptions {
  /** More than the topic has, at most 4096. */
  readonly partitions: number;
}

/** A job that reads a topic has a task for each partition, and looks at all of them; more is nearly always a mistake. */
export const MAX_PARTITIONS = 4096;

export interface TopicsParts {
  readonly store: TopicStore;
  readonly directory: TopicDirectory;
  readonly ids: Ids;
}

/** Creates topics and tells about them. A `signal` ends the waiting; what was asked of Redis may be done all the same. */
export class Topics {
  readonly #parts: TopicsParts;

  constructor(parts: TopicsParts) {
    this.#parts = parts;
  }

  /**
   * Creates a topic. Does nothing for one that exists with the same counts, whoever creates it at the same time.
   *
   * @returns what the topic has
   * @throws RsError `RS_TOPIC_MISMATCH` when it exists with other counts; `RS_INVALID_NAME`, `RS_INVALID_ARGUMENT`; what the
   *   client throws
   */
  async ensure(topic: TopicLike, options: EnsureTopicOptions): Promise<TopicInfo> {
    const name = nameOf(topic);
    const where = `ensure topic '${name}'`;
    checkObject(options, `${where}: options`);
    checkKnown(options, ['partitions', 'shards', 'signal'], where);
    const { partitions, shards, signal } = options;
    checkPartitions(partitions, where);
    if (shards !== undefined) checkShards(shards, partitions, where);
    checkSignal(signal, where);
    signal?.throwIfAborted();
    const info = await abortable(this.#ensure(name, partitions, shards ?? partitions), signal);
    if (info.partitions !== partitions || (shards !== undefined && info.shards !== shards)) {
      throw mismatch(info, options);
    }
    return info;
  }

  async #ensure(name: string, partitions: number, shards: number): Promise<TopicInfo> {
    const { store, directory } = this.#parts;
    const info = await store.ensure(name, { partitions, shards });
    directory.put(info);
    await store.register(name);
    return info;
  }

  /**
   * Gives a topic more partitions. Producers use them within `topicRefresh`, consumers with their next assignment. From then
   * on most keys belong to another partition: what was sent before and after may be handled in any order, also side by side.
   *
   * @returns what the topic has then
   * @throws RsError `RS_TOPIC_MISMATCH` when it has as many or more; `RS_UNKNOWN_TOPIC`; `RS_INVALID_NAME`,
   *   `RS_INVALID_ARGUMENT`; what the client throws
   */
  async grow(topic: TopicLike, options: GrowTopicOptions): Promise<TopicInfo> {
    const name = nameOf(topic);
    const where = `grow topic '${name}'`;
    checkObject(options, `${where}: options`);
    checkKnown(options, ['partitions', 'signal'], where);
    const { partitions, signal } = options;
    checkPartitions(partitions, where);
    checkSignal(signal, where);
    signal?.throwIfAborted();
    const { store, directory, ids } = this.#parts;
    const answer = await abortable(store.grow(name, partitions, ids()), signal);
    if (answer === undefined) throw unknownTopic(name);
    const { grown, info } = answer;
    directory.put(info);
    if (grown) return info;
    throw new RsError(
      'RS_TOPIC_MISMATCH',
      `topic '${name}' has ${info.partitions} partitions and can only get more, got ${partitions}`,
      { details: { topic: name, partitions: info.partitions, received: partitions } },
    );
  }

  /**
   * What a topic has, as Redis says now.
   *
   * @throws RsError `RS_UNKNOWN_TOPIC`, `RS_INVALID_NAME`; what the client throws
   */
  async describe(topic: TopicLike, options: WaitOptions = {}): Promise<TopicInfo> {
    const name = nameOf(topic);
    const signal = waitSignal(options, `describe topic '${name}'`);
    const info = await abortable(this.#parts.directory.read(name), signal);
    if (info === undefined) throw unknownTopic(name);
    return info;
  }

  /**
   * The names of all topics, sorted.
   *
   * @throws RsError what the client throws
   */
  async list(options: WaitOptions = {}): Promise<readonly string[]> {
    const signal = waitSignal(options, 'list topics');
    return abortable(this.#parts.store.names(), signal);
  }
}

/** @throws RsError `RS_INVALID_NAME` */
export function nameOf(topic: TopicLike): string {
  const name: unknown =
    typeof topic === 'string' ? topic : (topic as { name?: unknown } | null | undefined)?.name;
  return checkName(name as string, 'a topic');
}

function checkPartitions(partitions: unknown, where: string): void {
  if (Number.isSafeInteger(partitions) && Number(partitions) >= 1 && Number(partitions) <= MAX_PARTITIONS)
    return;
  throw refused(`${where}: partitions`, `an integer from 1 to ${MAX_PARTITIONS}`, partitions);
}

function checkShards(shards: unknown, partitions: number, where: string): void {
  if (Number.isSafeInteger(shards) && Number(shards) >= 1 && Number(shards) <= partitions) return;
  throw refused(`${where}: shards`, `an integer from 1 to the number of partitions, ${partitions}`, shards);
}

function mismatch(info: TopicInfo, wanted: EnsureTopicOptions): RsError {
  const { name, partitions, shards } = info;
  const more = wanted.partitions > partitions;
  const advice =
    wanted.partitions === partitions
      ? 'the shards of a topic never change'
      : more
        ? `mq.topics.grow('${name}', { partitions: ${wanted.partitions} }) gives it more; keys then move to other partitions`
        : 'a topic never gets fewer partitions';
  const asked =
    wanted.shards === undefined
      ? `${wanted.partitions} partitions`
      : `${wanted.partitions} partitions in ${wanted.shards} shards`;
  return new RsError(
    'RS_TOPIC_MISMATCH',
    `topic '${name}' has ${partitions} partitions in ${shards} shards, not ${asked}: ${advice}`,
    { details: { topic: name, partitions, shards, received: { ...wanted } } },
  );
}
