import { type Message, partitionOf } from '@rs/core';
import { type MessageDraft, PartitionLog } from './partition-log.ts';

/** A topic: its partitions, and where messages without a key go. */
export class TopicLog {
  readonly name: string;
  readonly partitions: readonly PartitionLog[];
  #withoutKey = 0;

  constructor(name: string, partitions: number) {
    this.name = name;
    this.partitions = Array.from({ length: partitions }, (_, partition) => new PartitionLog(name, partition));
  }

  /** `undefined` for a number that is none of its partitions. */
  partition(number: number): PartitionLog | undefined {
    return Number.isSafeInteger(number) ? this.partitions[number] : undefined;
  }

  /** @param partition one of its own; default: that of the key */
  append(draft: MessageDraft, partition: number = this.#partitionFor(draft.key)): Message<unknown> {
    return (this.partitions[partition] as PartitionLog).append(draft);
  }

  /** Messages without a key take turns over the partitions, so that a run can be repeated. */
  #partitionFor(key: string | undefined): number {
    const { length } = this.partitions;
    return key === undefined ? this.#withoutKey++ % length : partitionOf(key, length);
  }
}
