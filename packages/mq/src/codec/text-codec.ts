import { RsError } from '@rs/core';
import type { MessageCodec } from './codec.ts';
import { readUtf8, survivesUtf8 } from './utf8.ts';

/** For values that are text, stored as UTF-8. Everything else is refused at send, and so is text with lone surrogates. */
export function textCodec(): MessageCodec {
  return text;
}

const text: MessageCodec = Object.freeze({
  name: 'text',
  encode: (value: unknown): string => {
    if (typeof value !== 'string') {
      throw new RsError(
        'RS_INVALID_VALUE',
        `the text codec takes a string, got a value of type ${typeof value}`,
      );
    }
    if (!survivesUtf8(value)) {
      throw new RsError(
        'RS_INVALID_VALUE',
        'the text has a lone surrogate, which UTF-8 cannot carry; send it with jsonCodec()',
      );
    }
    return value;
  },
  decode: (data: Buffer) => readUtf8(data, 'the text'),
  decodeText: (value: string) => value,
});
