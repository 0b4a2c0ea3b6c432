import { RsError, type SubscriptionOptions } from '@rs/core';
import type { SourceReader, TopicSpec } from '@rs/runtime';
import { logOf, type MemoryTopics } from './memory-topics.ts';
import type { PartitionLog } from './partition-log.ts';
import { TopicReader } from './topic-reader.ts';

/**
 * Readers for one run of a topic, by number of partition. Where reading ends at `'now'`, that is this moment, for all of
 * them.
 *
 * @throws RsError `RS_UNKNOWN_TOPIC`; `RS_INVALID_ARGUMENT` when `until` names a partition that the topic does not have
 */
export function openTopic(name: string, spec: TopicSpec, topics: MemoryTopics): SourceReader[] {
  const { until } = spec.options;
  const { partitions } = logOf(topics, spec.topic);
  if (typeof until === 'object') checkPartitions(until, partitions.length, name);
  return partitions.map(
    (log, partition) =>
      new TopicReader(`${name}, partition ${partition}`, log, limitOf(log, partition, until)),
  );
}

function checkPartitions(ids: Readonly<Record<number, string>>, partitions: number, name: string): void {
  const unknown = Object.keys(ids).find((partition) => Number(partition) >= partitions);
  if (unknown === undefined) return;
  throw new RsError(
    'RS_INVALID_ARGUMENT',
    `${name}: until names partition ${unknown}, but the topic's partitions are 0 to ${partitions - 1}`,
    { details: { operator: name, received: unknown } },
  );
}

/** How many messages are read. Ids are `1-0`, `2-0`, …, so the first part of one is the number of messages up to it. */
function limitOf(log: PartitionLog, partition: number, until: SubscriptionOptions['until']): number {
  if (until === undefined) return Infinity;
  if (until === 'now') return log.messages.length;
  return Number(until[partition]?.split('-')[0] ?? 0);
}
