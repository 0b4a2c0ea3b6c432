import { RsError } from '../errors/rs-error.ts';
import type { Codec } from './codec.ts';
import { fromTagged, toTagged } from './tagged-json.ts';

/**
 * The default codec: JSON, with tags for what JSON cannot say. `undefined`, `NaN`, `±Infinity`, `-0`, `bigint`, `Date`,
 * `Map`, `Set` and `Uint8Array` come back as they went in. Functions, symbols, cycles and instances of classes are
 * refused with the path at which they stand, since they could not come back.
 *
 * @throws RsError `RS_INVALID_VALUE`
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
