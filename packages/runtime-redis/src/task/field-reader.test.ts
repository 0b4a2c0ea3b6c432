import { describe, expect, test } from '@jest/globals';
import { codecsOf, encodeEnvelope } from '@rs/mq';
import fc from 'fast-check';
import { FieldReader } from './field-reader.ts';
import { decoderOf } from './log-entry.ts';

function read(reader: FieldReader, fields: readonly (string | Uint8Array)[]): readonly (string | Buffer)[] {
  const found: (string | Buffer)[] = fields.map((field) => Buffer.from(field));
  reader.read(found);
  return found;
}

test.each([
  ['nothing', ''],
  ['a name', 'm'],
  ['ASCII', '1,json,k,5'],
  ['other text', 'ключ 🚀'],
  ['a byte order mark', '\ufeffa'],
])('%s becomes text', (_, text) => {
  expect(read(new FieldReader(), [text])).toEqual([text]);
});

test.each<[string, Uint8Array]>([
  ['bytes that are no text', Uint8Array.of(0xc3, 0x28)],
  ['one byte that is no text', Uint8Array.of(0x80)],
  ['a replacement character that was sent', Buffer.from('\ufffd')],
])('%s stay bytes, and so does their place until the next read', (_, bytes) => {
  const reader = new FieldReader();
  expect(read(reader, ['a', bytes])).toEqual(['a', Buffer.from(bytes)]);
  expect(read(reader, ['a', 'text'])).toEqual(['a', Buffer.from('text')]);
  expect(read(new FieldReader(), ['a', 'text'])).toEqual(['a', 'text']);
});

test('nothing is lost, whatever was stored', () => {
  const field = fc.oneof(
    fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
    fc.uint8Array(),
  );
  fc.assert(
    fc.property(fc.array(fc.array(field, { maxLength: 4 })), (entries) => {
      const reader = new FieldReader();
      for (const entry of entries) {
        const bytes = read(reader, entry).map((part) => Buffer.from(part));
        expect(bytes).toEqual(entry.map((part) => Buffer.from(part)));
      }
    }),
    { numRuns: 200, seed: 20261130 },
  );
});

describe('messages', () => {
  const codecs = codecsOf();
  const decode = decoderOf('orders', 0, codecs);

  test.each([
    ['json', { a: 'é', b: '\ufffd' }],
    ['json', '\ufffe'],
    ['text', 'é\ufffd'],
    ['text', ''],
    ['msgpack', { at: Buffer.of(0xc3, 0x28), n: 5 }],
    ['msgpack', 'abc'],
  ])('of the codec %s are what was sent: %j', (name, value) => {
    const codec = codecs.get(name);
    if (codec === undefined) throw new Error(name);
    const sent = { key: 'ключ', value, headers: { h: 'ü' }, timestamp: 5 };
    const { m, k, h, d } = encodeEnvelope(sent, codec);
    const fields = read(new FieldReader(), ['m', m, 'k', k, 'h', h, 'd', d]);
    const { key, headers, timestamp, value: decoded } = decode({ id: '7-0', fields, bytes: 1 });
    expect({ key, headers, timestamp, value: decoded }).toEqual(sent);
  });
});
