import { RsError } from '../errors/rs-error.ts';
import type { Codec } from './codec.ts';
import { fromTagged, toTagged } from './tagged-json.ts';

/**
 * The default codec: JSON, with tags for what JSON cannot say. `undefined`, `NaN`, `±Infinity`, `-0`, `bigint`, `Date`,
 * `Map`, `Set` and `Uint8Array` come back as they went in, in objects with any keys and in text with lone surrogates.
 *
 * Refused, with the path at which they stand: functions, symbols (also as keys), cycles, holes in arrays, instances of
 * other classes, and values nested more than 500 levels deep.
 *
 * What changes: only own enumerable properties of objects and the elements of arrays are kept; an object without
 * prototype comes back as an ordinary one, an object that occurs twice as two, a `Buffer` as a `Uint8Array` and an
 * instance of a subclass of `Date` as a `Date`.
 *
 * @throws RsError `RS_INVALID_VALUE` from `encode` and `assertEncodable` for a value that is refused, from `decode` for
 *   bytes and for text that this codec did not write
 */
export function jsonCodec<T>(): Codec<T> {
  return shared as Codec<T>;
}

const shared: Codec<unknown> = {
  name: 'json',
  encode: (value) => JSON.stringify(toTagged(value)),
  decode: (data) => {
    if (typeof data !== 'string') {
      throw new RsError(
        'RS_INVALID_VALUE',
        'the json codec reads text, but the stored data is bytes; was the codec changed?',
      );
    }
    return fromTagged(data);
  },
  assertEncodable: (value) => {
    if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number') return;
    toTagged(value);
  },
};
