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
