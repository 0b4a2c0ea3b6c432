import type { TopicKeys } from '@rs/redis';

/** The keys of one partition that a group works with. All lie in one slot. */
export interface GroupPartitionKeys {
  readonly stream: string;
  readonly holds: string;
  readonly dead: string;
  readonly lease: string;
  readonly retries: string;
  readonly attempts: string;
  readonly redelivery: string;
}

/** One partition as one group sees it. */
export interface GroupPartition {
  readonly topic: string;
  readonly partition: number;
  readonly group: string;
  /** Hash tag of the keys: partitions with the same one can share a script call in a cluster. */
  readonly tag: string;
  readonly keys: GroupPartitionKeys;
}

export function groupPartition(topicKeys: TopicKeys, partition: number, group: string): GroupPartition {
  const keys = topicKeys.partition(partition);
  const { lease, retries, attempts, redelivery } = keys.group(group);
  const { log: stream, holds, deadLetters: dead } = keys;
  return {
    topic: topicKeys.topic,
    partition,
    group,
    tag: stream.slice(0, stream.indexOf('}') + 1),
    keys: { stream, holds, dead, lease, retries, attempts, redelivery },
  };
}
