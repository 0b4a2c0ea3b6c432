import { checkName } from '@rs/core';

/** The keys of one partition. All have its hash tag, so that one script may use any of them. Made by `TopicKeys`. */
export class PartitionKeys {
  readonly partition: number;
  /** STREAM: the log. */
  readonly log: string;
  /** HASH: who still needs which part of the log. The only thing that retention reads. */
  readonly holds: string;
  /** HASH: producer → its last sequence number. */
  readonly producers: string;
  /** HASH: out log of a job → the last of its entries that was appended here. */
  readonly sources: string;
  /** STREAM: the dead letters of all groups. */
  readonly deadLetters: string;
  readonly #groups = new Map<string, PartitionGroupKeys>();

  constructor(root: string, partition: number) {
    this.partition = partition;
    this.log = root;
    this.holds = `${root}:holds`;
    this.producers = `${root}:pid`;
    this.sources = `${root}:src`;
    this.deadLetters = `${root}:dlq`;
  }

  /** STRING: what a request has done, remembered for a while so that the same request is not counted twice. */
  request(id: string): string {
    return `${this.log}:rq:${checkName(id, 'the id of a request')}`;
  }

  group(group: string): PartitionGroupKeys {
    let keys = this.#groups.get(group);
    if (keys === undefined) {
      keys = groupKeys(this.log, checkName(group, 'a group'));
      this.#groups.set(group, keys);
    }
    return keys;
  }
}

/** The keys that a consumer group has in one partition. */
export interface PartitionGroupKeys {
  /** HASH: lease (token, epoch, until) and low watermark. */
  readonly lease: string;
  /** ZSET: retries in place, id → the time it is due. */
  readonly retries: string;
  /** HASH: id → attempts so far. */
  readonly attempts: string;
  /** STREAM: what this group alone gets again. */
  readonly redelivery: string;
}

function groupKeys(root: string, group: string): PartitionGroupKeys {
  return {
    lease: `${root}:g:${group}`,
    retries: `${root}:r:${group}`,
    attempts: `${root}:a:${group}`,
    redelivery: `${root}:rd:${group}`,
  };
}
