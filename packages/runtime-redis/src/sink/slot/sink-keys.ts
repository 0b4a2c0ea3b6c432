import { checkName } from '@rs/core';
import type { TopicInfo } from '@rs/mq';
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
 * @throws RsError `RS_INVALID_NAME`
 */
export function sinkKeys(
  topic: Pick<TopicInfo, 'name' | 'partitions' | 'shards'>,
  { job, sink, prefix }: SinkKeysOptions,
): string[] {
  checkName(job, 'a job');
  checkName(sink, 'the name of a sink');
  const { name, partitions, shards } = topic;
  const keys = new TopicKeys({ topic: name, shards, ...(prefix === undefined ? {} : { prefix }) });
  return Array.from(
    { length: partitions },
    (_, partition) => `${keys.partition(partition).log}:k:${job}:${sink}`,
  );
}
