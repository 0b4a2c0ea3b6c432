import { RsError } from '@rs/core';
import type { MessageCodec } from '../codec/codec.ts';
import { encodeEnvelope } from '../envelope/encode-envelope.ts';
import type { Envelope } from '../envelope/envelope.ts';
import type { NewMessage } from './new-message.ts';

/** A message that is checked and encoded: what happens to its value from now on does not change it. */
export interface Outgoing extends Envelope {
  readonly key: string | undefined;
  /** The one it was sent to; `undefined` when the key or chance decides. */
  readonly partition: number | undefined;
  readonly bytes: number;
}

/**
 * @throws RsError `RS_INVALID_KEY`, `RS_INVALID_VALUE`, also for a message of more than `maxBytes`
 */
export function outgoing(message: NewMessage<unknown>, codec: MessageCodec, maxBytes: number): Outgoing {
  const { key, value, headers, timestamp, partition } = message;
  const { m, k, h, d } = encodeEnvelope({ key, value, headers, timestamp }, codec);
  const bytes = m.length + bytesOf(k) + bytesOf(h) + bytesOf(d);
  if (bytes > maxBytes) {
    throw new RsError(
      'RS_INVALID_VALUE',
      `the message has ${bytes} bytes, more than maxMessageBytes, ${maxBytes}; send a reference to where the data is, or raise it`,
      { details: { bytes, maxMessageBytes: maxBytes } },
    );
  }
  return { m, k, h, d, key, partition, bytes };
}

function bytesOf(data: string | Buffer): number {
  return typeof data === 'string' && data !== '' ? Buffer.byteLength(data) : data.length;
}
