import { partitionOf } from '@rs/core';
import { TopicKeys } from '@rs/redis';
import type { TopicInfo } from '../topics/topic-info.ts';
import type { PartitionBatch } from './partition-batch.ts';
import { PartitionQueue, type QueueContext } from './partition-queue.ts';
import type { Submission } from './submission.ts';

export interface SpreadContext extends QueueContext {
  readonly prefix: string;
}

/** Spreads the messages of a topic over its partitions. */
export class PartitionSpread {
  readonly shards: number;
  readonly #context: SpreadContext;
  readonly #keys: TopicKeys;
  readonly #queues: (PartitionQueue | undefined)[] = [];
  #info: TopicInfo;
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

  /** @param info with the same shards */
  update(info: TopicInfo): void {
    this.#info = info;
  }

  append(submission: Submission, index: number): void {
    const { key, partition } = submission.entries[index] ?? {};
    if (partition !== undefined) this.#queueOf(partition).append(submission, index);
    else if (key !== undefined) this.#queueOf(partitionOf(key, this.partitions)).append(submission, index);
    else {
      const queue = this.#stickyQueue();
      queue.append(submission, index);
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
