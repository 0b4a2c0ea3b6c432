import { RsError } from '@rs/core';
import { type Options, Packr } from 'msgpackr';
import type { MessageCodec } from './codec.ts';
import { type Format, assertPlain } from './plain-data.ts';
import { survivesUtf8 } from './utf8.ts';

const MSGPACK_FORMAT: Format = {
  name: 'MessagePack',
  advice: 'convert it before you send it',
  number: () => undefined,
  text: (value) => {
    if (!survivesUtf8(value)) return 'a text with a lone surrogate';
    // msgpackr renames this key, for the safety of those who read it.
    return value === '__proto__' ? 'the text __proto__' : undefined;
  },
  keeps: (value) => value instanceof Uint8Array || (value instanceof Date && !Number.isNaN(value.getTime())),
};

/** Numbers where they are exact. msgpackr documents it, its types lack it. */
const AUTO: string = 'auto';

// Without records: they need structures shared between writer and readers, and other languages do not know them.
const packr = new Packr({
  useRecords: false,
  mapsAsObjects: true,
  int64AsType: AUTO as Options['int64AsType'] & string,
});

/**
 * MessagePack: smaller and faster than JSON, and it keeps `NaN`, `±Infinity`, `Date` and bytes (`Uint8Array` comes back as
 * `Buffer`). Programs in any language read and write it.
 *
 * Refused at send, with the path at which they stand: `bigint`, functions, symbols, `undefined` as an element of an array,
 * text with lone surrogates, the text `__proto__`, invalid dates, cycles and values nested more than 500 levels deep, and
 * instances of other classes, `Map` and `Set` among them.
 *
 * What changes: `-0` becomes 0, an object without prototype an ordinary one. Properties that are `undefined` are an
 * extension of type 0 for other languages. Integers of 64 bits that others wrote come as numbers, beyond ±2^53 as `bigint`.
 */
export function msgpackCodec(): MessageCodec {
  return msgpack;
}

const msgpack: MessageCodec = Object.freeze({
  name: 'msgpack',
  encode: (value: unknown): Buffer => {
    assertPlain(value, MSGPACK_FORMAT);
    return packr.pack(value);
  },
  decode: (data: Buffer): unknown => {
    try {
      return packr.unpack(data);
    } catch (cause) {
      throw new RsError('RS_INVALID_VALUE', 'it is not MessagePack', { cause });
    }
  },
});
