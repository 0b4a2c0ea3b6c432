import { RsError } from '@rs/core';
import type { MessageCodec } from './codec.ts';

/** For values that are bytes already: takes a `Uint8Array`, gives a `Buffer`. Everything else is refused at send. */
export function bytesCodec(): MessageCodec {
  return bytes;
}

const bytes: MessageCodec = Object.freeze({
  name: 'bytes',
  encode: (value: unknown): Buffer => {
    if (!(value instanceof Uint8Array)) {
      throw new RsError(
        'RS_INVALID_VALUE',
        `the bytes codec takes a Uint8Array or Buffer, got a value of type ${typeof value}`,
      );
    }
    // A copy: the message may wait, and the bytes are the caller's.
    return Buffer.from(value);
  },
  decode: (data: Buffer) => data,
});
