import { RsError } from '@rs/core';
import type { RedisReply } from '@rs/redis';

/** What a topic is made of. */
export interface TopicInfo {
  readonly name: string;
  /** Streams that its messages are spread over. It only grows. */
  readonly partitions: number;
  /**
   * Slots of a Redis Cluster that the partitions are spread over: partition p lies in that of shard p mod shards. Fixed
   * when the topic is created.
   */
  readonly shards: number;
  /** 1 for a new topic, and 1 more with each growth. */
  readonly version: number;
  /** Epoch milliseconds of the server. */
  readonly createdAt: number;
}

/** @param facts what the scripts say after their status: partitions, shards, version, createdAt */
export function topicInfo(name: string, facts: readonly RedisReply[]): TopicInfo {
  const [partitions, shards, version, createdAt] = facts.map((fact) =>
    typeof fact === 'string' && /^\d{1,15}$/.test(fact) ? Number(fact) : undefined,
  );
  if (
    partitions === undefined ||
    partitions < 1 ||
    shards === undefined ||
    shards < 1 ||
    version === undefined ||
    createdAt === undefined
  ) {
    throw new RsError(
      'RS_REDIS_REPLY',
      `the metadata of topic '${name}' is damaged: partitions, shards, version and createdAt must be numbers`,
      { details: { topic: name, facts } },
    );
  }
  return Object.freeze({ name, partitions, shards, version, createdAt });
}

/** The error about a topic that nobody has created. */
export function unknownTopic(name: string): RsError {
  return new RsError(
    'RS_UNKNOWN_TOPIC',
    `topic '${name}' does not exist. Create it with mq.topics.ensure('${name}', { partitions: n })`,
    { details: { topic: name } },
  );
}
