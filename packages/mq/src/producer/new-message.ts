import { RsError, checkTimestamp } from '@rs/core';
import { refused } from '../checks/checks.ts';
import { shown } from '../checks/shown.ts';

/** A message to send. */
export interface NewMessage<V> {
  /**
   * Messages with equal keys come to one partition, `partitionOf(key, partitions)`, and keep their order. `''` is a key.
   * Default: none; such messages go to any partition.
   */
  readonly key?: string | undefined;
  /** Not `undefined`; `null` is a value. */
  readonly value: V;
  /** Default: none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Event time in epoch milliseconds. Default: the time of sending, by the clock of Redis. */
  readonly timestamp?: number | undefined;
  /**
   * The partition's number, from 0. Default: that of the key. A message with a key in another partition than the key's is
   * refused by `keyByMessageKey`.
   */
  readonly partition?: number | undefined;
}

/** Where a message was written. */
export interface Receipt {
  readonly partition: number;
  /** Its place in the partition: that of the `Message` which consumers get. */
  readonly id: string;
}

/**
 * Refuses what the types refuse; value and partition are looked at later.
 *
 * @throws RsError `RS_INVALID_ARGUMENT`, `RS_INVALID_KEY`, `RS_INVALID_TIMESTAMP`
 */
export function checkMessage(message: NewMessage<unknown>, where: string): void {
  if (typeof message !== 'object' || message === null) {
    throw refused(`${where}: a message`, 'an object with a value', message);
  }
  const { key, headers, timestamp, partition } = message;
  if (key !== undefined && typeof key !== 'string') {
    throw new RsError('RS_INVALID_KEY', `${where}: a message key must be a string, got ${shown(key)}`, {
      details: { received: key },
    });
  }
  if (headers !== undefined) checkHeaders(headers, where);
  if (timestamp !== undefined) checkTimestamp(timestamp, where);
  if (partition !== undefined && !(Number.isSafeInteger(partition) && partition >= 0)) {
    throw refused(`${where}: partition`, 'a number from 0', partition);
  }
}

function checkHeaders(headers: Readonly<Record<string, string>>, where: string): void {
  if (typeof headers !== 'object' || headers === null || Array.isArray(headers)) {
    throw refused(`${where}: headers`, 'an object of strings', headers);
  }
  for (const [header, value] of Object.entries(headers)) {
    if (typeof value !== 'string') throw refused(`${where}: header '${header}'`, 'a string', value);
  }
}
