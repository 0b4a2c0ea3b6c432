import type { Message, StandardSchema } from '@rs/core';
import type { Codecs } from '../codec/codecs.ts';
import { decoderFor } from '../consumer/decode.ts';
import type { DeadReason } from '../consumer/lane/settle-batch.ts';
import { eventTimeOf, headersOf, timeOf } from '../envelope/decode-envelope.ts';
import { keyOfEnvelope } from '../envelope/key-of-envelope.ts';
import type { DeadLetter, DeadLetterBytes } from './dead-letter.ts';
import { deadLetterId } from './dead-letter-id.ts';
import { errorOf } from './error-of.ts';
import type { StoredDeadLetter } from './stored-dead-letter.ts';

export interface ReadOptions {
  readonly topic: string;
  readonly codecs: Codecs;
  readonly schema: StandardSchema | undefined;
}

/** Makes what users see of what is stored. Never throws: what cannot be decoded is what they look for. */
export function readDeadLetter<T>(stored: StoredDeadLetter, options: ReadOptions): DeadLetter<T> {
  const { partition, group, messageId, attempts, failedAt, reason } = stored;
  const raw = bytesOf(stored.fields);
  const { m, k, h, d } = raw;
  return {
    id: deadLetterId(stored),
    topic: options.topic,
    partition,
    group,
    messageId,
    attempts,
    failedAt,
    reason: reason as DeadReason,
    error: errorOf(stored.error),
    key: keyOfEnvelope(m, k),
    headers: orElse({}, () => (h === undefined || h.length === 0 ? {} : headersOf(h))),
    timestamp: orElse(timeOf(messageId), () => timestampOf(m, messageId)),
    raw,
    decode: async () => {
      const decode = decoderFor({ name: options.topic, value: options.schema }, options.codecs, partition);
      return (await decode({ messageId, m, k, h, d })) as Message<T>;
    },
  };
}

function bytesOf(fields: readonly Buffer[]): DeadLetterBytes {
  const bytes: [string, Buffer][] = [];
  for (let at = 0; at < fields.length; at += 2) {
    const [name, value] = [fields[at], fields[at + 1]];
    if (name !== undefined && value !== undefined) bytes.push([name.toString(), value]);
  }
  return Object.fromEntries(bytes);
}

function timestampOf(m: Buffer | undefined, messageId: string): number {
  const time = m?.toString('latin1').split(',')[3] ?? '';
  return time === '' ? timeOf(messageId) : eventTimeOf(time);
}

function orElse<T>(fallback: T, read: () => T): T {
  try {
    return read();
  } catch {
    return fallback;
  }
}
