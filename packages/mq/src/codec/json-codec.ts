import { RsError } from '@rs/core';
import type { MessageCodec } from './codec.ts';
import { type Format, assertPlain } from './plain-data.ts';
import { readUtf8 } from './utf8.ts';

const JSON_FORMAT: Format = {
  name: 'JSON',
  advice: 'convert it before you send it, or use msgpackCodec()',
  number: (value) => (Number.isFinite(value) ? undefined : String(value)),
  text: () => undefined,
  keeps: () => false,
};

/**
 * The default codec: plain JSON, which programs in any language read and write.
 *
 * Refused at send, with the path at which they stand: `NaN`, `±Infinity`, `bigint`, functions, symbols, `undefined` as an
 * element of an array, cycles and values nested more than 500 levels deep, and instances of classes, `Date`, `Map`, `Set` and
 * `Buffer` among them: JSON would make something else of each without a word.
 *
 * What changes: properties that are `undefined`, not enumerable or have a symbol as key are left out, `-0` becomes 0, an
 * object without prototype an ordinary one.
 */
export function jsonCodec(): MessageCodec {
  return json;
}

const json: MessageCodec = Object.freeze({
  name: 'json',
  encode: (value: unknown) => {
    assertPlain(value, JSON_FORMAT);
    return JSON.stringify(value);
  },
  decode: (data: Buffer): unknown => parse(readUtf8(data, 'the JSON')),
  decodeText: parse,
});

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new RsError('RS_INVALID_VALUE', `it is not JSON: ${(cause as SyntaxError).message}`, { cause });
  }
}
