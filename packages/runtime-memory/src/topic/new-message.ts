import { RsError } from '@rs/core';
import { shown } from '../shown.ts';
import type { TopicLog } from './topic-log.ts';

/** A message to send. */
export interface NewMessage<V> {
  /** Messages with equal keys come to one partition, `partitionOf(key, partitions)`. Default: none. */
  readonly key?: string | undefined;
  readonly value: V;
  /** Event time in epoch milliseconds. Default: the time of the topics' clock. */
  readonly timestamp?: number;
  /** Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * The partition's number, from 0. Default: that of the key; without a key the partitions take turns. A message with a key
   * in another partition than the key's is refused by `keyByMessageKey`.
   */
  readonly partition?: number;
}

/**
 * Refuses what the types refuse, and a partition that does not exist.
 *
 * @throws RsError `RS_INVALID_ARGUMENT`, `RS_INVALID_KEY`
 */
export function checkMessage(message: NewMessage<unknown>, log: TopicLog, where: string): void {
  const { name } = log;
  if (typeof message !== 'object' || message === null) {
    throw refused(where, `needs a message, an object with a value, got ${shown(message)}`, { topic: name });
  }
  if (!('value' in message)) {
    throw refused(where, 'needs a message with the property value, which may be undefined', { topic: name });
  }
  const { key, headers, partition } = message;
  if (key !== undefined && typeof key !== 'string') {
    throw new RsError('RS_INVALID_KEY', `${where}: a message key must be a string, got ${typeof key}`, {
      details: { topic: name, received: key },
    });
  }
  if (headers !== undefined) checkHeaders(headers, where, name);
  if (partition !== undefined && log.partition(partition) === undefined) {
    const problem = `the topic's partitions are 0 to ${log.partitions.length - 1}, got ${shown(partition)}`;
    throw refused(where, problem, { topic: name, received: partition });
  }
}

function checkHeaders(headers: Readonly<Record<string, string>>, where: string, topic: string): void {
  if (typeof headers !== 'object' || headers === null) {
    throw refused(where, 'headers must be an object of strings', { topic, received: headers });
  }
  for (const [header, value] of Object.entries(headers)) {
    if (typeof value === 'string') continue;
    throw refused(where, `header '${header}' must be a string, got ${typeof value}`, {
      topic,
      received: value,
    });
  }
}

function refused(where: string, problem: string, details: Readonly<Record<string, unknown>>): RsError {
  return new RsError('RS_INVALID_ARGUMENT', `${where}: ${problem}`, { details });
}
