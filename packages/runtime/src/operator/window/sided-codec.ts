import { type Codec, jsonCodec } from '@rs/core';
import { Sided } from '../sided.ts';

/** Stores an element of two inputs as its own codec does, with the side in front: a digit, or a byte. */
export function sidedCodec<A, B>(
  left: Codec<A> = jsonCodec<A>(),
  right: Codec<B> = jsonCodec<B>(),
): Codec<Sided<A, B>> {
  return {
    name: `sided(${left.name},${right.name})`,
    encode: ({ input, value }) => {
      const data = input === 0 ? left.encode(value as A) : right.encode(value as B);
      return typeof data === 'string' ? `${input}${data}` : bytesWithSide(input, data);
    },
    decode: (data) => {
      const input = Number(data[0]) === 0 ? 0 : 1;
      const rest = data.slice(1);
      return new Sided<A, B>(input, input === 0 ? left.decode(rest) : right.decode(rest));
    },
    assertEncodable: ({ input, value }) =>
      input === 0 ? assertEncodable(left, value as A) : assertEncodable(right, value as B),
  };
}

function bytesWithSide(input: number, data: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(data.length + 1);
  bytes[0] = input;
  bytes.set(data, 1);
  return bytes;
}

function assertEncodable<T>(codec: Codec<T>, value: T): void {
  if (codec.assertEncodable === undefined) codec.encode(value);
  else codec.assertEncodable(value);
}
