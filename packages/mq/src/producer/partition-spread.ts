import { partitionOf } from '@rs/core';
import { TopicKeys } from '@rs/redis';
import type { TopicDirectory } from '../topics/topic-directory.ts';
import type { TopicInfo } from '../topics/topic-info.ts';
import type { PartitionBatch } from './partition-batch.ts';
import { PartitionQueue, type QueueContext } from './partition-queue.ts';
import type { Submission } from './submission.ts';

export interface SpreadContext extends QueueContext {
  readonly directory: Pick<TopicDirectory, 'peek' | 'get'>;
  readonly prefix: string;
}

/** Spreads the messages of a topic over its partitions. */
export class PartitionSpread {
  readonly shards: number;
  readonly #context: SpreadContext;
  readonly #keys: TopicKeys;
  readonly #queues: (PartitionQueue | undefined)[] = [];
  #info: TopicInfo;
  #gone = false;
  /** Where messages without a key go, as long as this batch takes more. */
  #sticky: PartitionQueue | undefined;
  #stickyBatch: PartitionBatch | undefined;

  constructor(info: TopicInfo, context: SpreadContext) {
    this.shards = info.shards;
    this.#info = info;
    this.#context = context;
    this.#keys = new TopicKeys({ topic: info.name, shards: info.shards, prefix: context.prefix });
  }

  get partitions(): number {
    return this.#info.partitions;
  }

  /** The topic was not there when it was looked at last. */
  get gone(): boolean {
    return this.#gone;
  }

  /** @param info with the same shards */
  update(info: TopicInfo): void {
    this.#info = info;
    this.#gone = false;
  }

  append(submission: Submission, index: number): void {
    const { key, partition } = submission.entries[index] ?? {};
    if (partition !== undefined) this.#appendTo(this.#queueOf(partition), submission, index);
    else if (key !== undefined) {
      this.#appendTo(this.#queueOf(partitionOf(key, this.partitions)), submission, index);
    } else {
      const queue = this.#stickyQueue();
      this.#appendTo(queue, submission, index);
      this.#sticky = queue;
      this.#stickyBatch = queue.open;
    }
  }

  flush(): void {
    for (const queue of this.#queues) queue?.flush();
  }

  /** Takes a call out of the queues. What is under way stays. */
  withdraw(submission: Submission): boolean {
    let some = false;
    for (const queue of this.#queues) if (queue?.withdraw(submission) === true) some = true;
    return some;
  }

  abandon(): void {
    for (const queue of this.#queues) queue?.abandon();
  }

  #appendTo(queue: PartitionQueue, submission: Submission, index: number): void {
    // Once per batch: what is known of the topic may have changed, and is looked at again when it is old.
    if (queue.open === undefined) this.#look();
    queue.append(submission, index);
  }

  #look(): void {
    const info = this.#context.directory.peek(this.#info.name);
    if (info?.shards === this.shards) this.update(info);
    else this.#gone = true;
  }

  #queueOf(partition: number): PartitionQueue {
    return (this.#queues[partition] ??= new PartitionQueue(
      { topic: this.#info.name, partition },
      this.#keys.partition(partition),
      this.#context,
    ));
  }

  #stickyQueue(): PartitionQueue {
    const sticky = this.#sticky;
    if (sticky !== undefined && sticky.open !== undefined && sticky.open === this.#stickyBatch) return sticky;
    return this.#queueOf(Math.floor(this.#context.random() * this.partitions));
  }
}
