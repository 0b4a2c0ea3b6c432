import type { Message } from '@rs/core';
import { MemoryTopics } from '@rs/runtime-memory';
import type { ConformanceCase } from './case.ts';

/** A case with a number of partitions: what a driver runs. */
export interface Variant extends Omit<ConformanceCase, 'topics' | 'input' | 'partitions'> {
  /** Of the topic that has most. */
  readonly partitions: number;
  /** How many partitions each topic has. */
  readonly topics: Readonly<Record<string, number>>;
  /** The input in the order of sending, each in the partition that it must be in. */
  readonly messages: readonly Message<unknown>[];
}

/** Nothing is sent without a timestamp. */
const NO_CLOCK = { now: () => 0 };

export function variantsOf(one: ConformanceCase): Variant[] {
  const { topics, input, partitions = [1], ...rest } = one;
  return partitions.map((count) => {
    const named = [...Object.keys(topics ?? {}), ...input.map(({ topic }) => topic)];
    const numbers = Object.fromEntries(named.map((topic) => [topic, topics?.[topic] ?? count]));
    const log = topicsOf(numbers, []);
    const messages = input.map(({ topic, ...message }) => log.send(topic, message));
    return { ...rest, partitions: Math.max(...Object.values(numbers)), topics: numbers, messages };
  });
}

/**
 * The variants of all cases, or of those with a text in their area or name.
 *
 * @param only also found where the case of letters differs
 */
export function selectVariants(cases: readonly ConformanceCase[], only = ''): Variant[] {
  const text = only.toLowerCase();
  return cases
    .filter(({ area, name }) => `${area}: ${name}`.toLowerCase().includes(text))
    .flatMap(variantsOf);
}

/** Topics in memory that hold the messages. */
export function topicsOf(
  partitions: Readonly<Record<string, number>>,
  messages: readonly Message<unknown>[],
): MemoryTopics {
  const topics = new MemoryTopics({ clock: NO_CLOCK });
  for (const [topic, count] of Object.entries(partitions)) topics.create(topic, { partitions: count });
  for (const { topic, key, value, timestamp, headers, partition } of messages) {
    topics.send(topic, { key, value, timestamp, headers, partition });
  }
  return topics;
}

/** True where the engine has no choice in the order of its input. */
export function isOrdered({ topics }: Variant): boolean {
  return Object.values(topics).reduce((sum, count) => sum + count, 0) === 1;
}

/** Such as `windows: tumbling, 4 partitions`. */
export function titleOf({ area, name, partitions }: Variant): string {
  return `${area}: ${name}, ${partitions === 1 ? '1 partition' : `${partitions} partitions`}`;
}
