import { RsError, checkName } from '@rs/core';
import { PartitionKeys } from './partition-keys.ts';
import { DEFAULT_PREFIX, checkPrefix } from './prefix.ts';

export interface TopicKeysOptions {
  readonly topic: string;
  /**
   * How many slots the partitions are spread over: partition p lies in the slot of shard p mod shards. It belongs to the
   * topic and never changes, else the keys of its partitions would.
   */
  readonly shards: number;
  /** What all keys begin with. Default `rs`. */
  readonly prefix?: string;
}

/**
 * The keys of a topic. Names cannot contain what separates them in a key, so that no two of them ever meet in one.
 *
 * Keys are built once for each partition and group and then only read: nothing is put together per message.
 *
 * @throws RsError `RS_INVALID_NAME`, `RS_INVALID_ARGUMENT`
 */
export class TopicKeys {
  readonly topic: string;
  readonly shards: number;
  /** HASH: partitions, shards, retention and whatever else belongs to the topic. */
  readonly meta: string;
  readonly #prefix: string;
  readonly #partitions: PartitionKeys[] = [];
  readonly #members = new Map<string, string>();

  constructor(options: TopicKeysOptions) {
    this.topic = checkName(options.topic, 'a topic');
    this.shards = checkCount(options.shards, 1, 'shards');
    this.#prefix = checkPrefix(options.prefix ?? DEFAULT_PREFIX);
    this.meta = `${this.#prefix}:{${this.topic}}:meta`;
  }

  /** HASH: the members of a group, with the time up to which each is taken for alive and what it says of itself. */
  members(group: string): string {
    let key = this.#members.get(group);
    if (key === undefined) {
      key = `${this.#prefix}:{${this.topic}}:m:${checkName(group, 'a group')}`;
      this.#members.set(group, key);
    }
    return key;
  }

  /** @throws RsError `RS_INVALID_ARGUMENT` unless it is a number from 0 up */
  partition(partition: number): PartitionKeys {
    return (this.#partitions[partition] ??= new PartitionKeys(
      `${this.#prefix}:{${this.topic}#${checkCount(partition, 0, 'partition') % this.shards}}:p${partition}`,
      partition,
    ));
  }
}

/** SET: the names of all topics of an instance. */
export function topicsKey(prefix: string = DEFAULT_PREFIX): string {
  return `${checkPrefix(prefix)}:topics`;
}

function checkCount(value: number, least: number, what: string): number {
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new RsError(
    'RS_INVALID_ARGUMENT',
    `${what} must be an integer from ${least} up, got ${String(value)}`,
    {
      details: { what, received: value },
    },
  );
}
