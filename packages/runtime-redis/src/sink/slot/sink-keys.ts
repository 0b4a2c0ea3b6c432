import { checkName, checkObject } from '@rs/core';
import { checkKnown, checkPositiveInteger, type TopicInfo } from '@rs/mq';
import { TopicKeys } from '@rs/redis';

export interface SinkKeysOptions {
  /** Name of the job. */
  readonly job: string;
  /** Name of the sink, as given to `redisHash` and the like. */
  readonly sink: string;
  /** What all keys begin with. Default `rs`. */
  readonly prefix?: string;
}

/**
 * The keys of a sink in the slot, one for each partition of the topic that its job reads, by number of the partition: for programs that
 * read what the job has written. Results of records with one key are all in the partition of that key, `partitionOf(key, partitions)`.
 *
 * @param topic what `mq.topics.describe(topic)` says of the topic that the job reads
 * @example
 * const keys = sinkKeys(await mq.topics.describe('orders'), { job: 'billing', sink: 'totals' });
 * const totals = await Promise.all(keys.map((key) => redis.hgetall(key)));
 * @throws RsError `RS_INVALID_NAME`, `RS_INVALID_ARGUMENT`
 */
export function sinkKeys(
  topic: Pick<TopicInfo, 'name' | 'partitions' | 'shards'>,
  options: SinkKeysOptions,
): string[] {
  checkObject(topic, 'sinkKeys: the topic, as mq.topics.describe(name) gives it,');
  checkObject(options, 'sinkKeys: options');
  checkKnown(options, ['job', 'sink', 'prefix'], 'sinkKeys');
  const { job, sink, prefix } = options;
  const { name, partitions, shards } = topic;
  checkName(job, 'sinkKeys: job');
  checkName(sink, 'sinkKeys: sink');
  checkPositiveInteger(partitions, 'sinkKeys: the number of partitions of the topic');
  checkPositiveInteger(shards, 'sinkKeys: the number of shards of the topic');
  const keys = new TopicKeys({ topic: name, shards, ...(prefix === undefined ? {} : { prefix }) });
  return Array.from(
    { length: partitions },
    (_, partition) => `${keys.partition(partition).log}:k:${job}:${sink}`,
  );
}
