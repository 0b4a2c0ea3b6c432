import { RsError } from '@rs/core';
import { bytesCodec } from './bytes-codec.ts';
import { type MessageCodec, checkMessageCodec } from './codec.ts';
import { jsonCodec } from './json-codec.ts';
import { msgpackCodec } from './msgpack-codec.ts';
import { textCodec } from './text-codec.ts';

/** The codecs that an `Mq` knows, by name. */
export type Codecs = ReadonlyMap<string, MessageCodec>;

const BUILT_IN = [jsonCodec, msgpackCodec, textCodec, bytesCodec];

/**
 * The codecs of this package and `own` ones.
 *
 * @throws RsError `RS_INVALID_ARGUMENT` for what is no codec, and for two with one name; `RS_INVALID_NAME`
 */
export function codecsOf(own: readonly MessageCodec[] = []): Codecs {
  const codecs = new Map<string, MessageCodec>(BUILT_IN.map((make) => [make().name, make()]));
  const given: unknown = own;
  if (!Array.isArray(given)) {
    throw new RsError('RS_INVALID_ARGUMENT', 'codecs must be an array of codecs', {
      details: { received: own },
    });
  }
  own.forEach((codec, at) => {
    checkMessageCodec(codec, `codecs[${at}]`);
    const known = codecs.get(codec.name);
    if (known !== undefined && known !== codec) {
      throw new RsError(
        'RS_INVALID_ARGUMENT',
        `codecs[${at}]: there is another codec with the name '${codec.name}'; the name is how readers find the codec of a message`,
        { details: { name: codec.name } },
      );
    }
    codecs.set(codec.name, codec);
  });
  return codecs;
}
