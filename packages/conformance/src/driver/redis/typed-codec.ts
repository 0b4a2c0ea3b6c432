import { jsonCodec } from '@rs/core';
import type { MessageCodec } from '@rs/mq';

const codec = jsonCodec<unknown>();

/** Messages whose values keep their types, as those in memory do. */
export const typedCodec: MessageCodec = {
  name: 'typed-json',
  encode: (value) => codec.encode(value) as string,
  decode: (data) => codec.decode(data.toString()),
};
