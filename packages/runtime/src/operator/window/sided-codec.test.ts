import { expect, test } from '@jest/globals';
import { type Codec, jsonCodec } from '@rs/core';
import fc from 'fast-check';
import { errorOf } from '../../test-support/error-of.ts';
import { Sided } from '../sided.ts';
import { sidedCodec } from './sided-codec.ts';

const bytes: Codec<Uint8Array> = {
  name: 'bytes',
  encode: (value) => value,
  decode: (data) => data as Uint8Array,
};

test('elements come back with their side and value, whatever their codecs write', () => {
  const element = fc.oneof(
    fc.string().map((value) => new Sided<string, Uint8Array>(0, value)),
    fc.uint8Array({ maxLength: 4 }).map((value) => new Sided<string, Uint8Array>(1, value)),
  );
  const text: Codec<string> = { name: 'text', encode: (value) => value, decode: (data) => data as string };
  for (const codec of [sidedCodec(text, bytes), sidedCodec(jsonCodec<string>(), bytes)]) {
    fc.assert(
      fc.property(element, (one) => {
        expect(codec.decode(codec.encode(one))).toEqual(one);
      }),
    );
  }
});

test('without codecs values are written as JSON', () => {
  const codec = sidedCodec<unknown, unknown>();
  expect(codec.encode(new Sided(1, { at: [1] }))).toBe('1{"at":[1]}');
  expect(codec.decode(codec.encode(new Sided(0, undefined)))).toEqual(new Sided(0, undefined));
});

test('what a side cannot store is refused, and the name tells both codecs', () => {
  const codec = sidedCodec<unknown, unknown>(undefined, jsonCodec());
  expect(codec.name).toBe(`sided(${jsonCodec().name},${jsonCodec().name})`);
  for (const input of [0, 1] as const) {
    expect(errorOf(() => codec.assertEncodable?.(new Sided(input, () => 1))).code).toBe('RS_INVALID_VALUE');
  }
});

test('an element of a megabyte is stored', () => {
  const codec = sidedCodec(bytes, bytes);
  const stored = codec.encode(new Sided(1, new Uint8Array(1_000_000).fill(7)));
  expect([stored.length, stored[0], stored[1], stored[1_000_000]]).toEqual([1_000_001, 1, 7, 7]);
});
