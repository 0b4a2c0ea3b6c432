import { describe, expect, test } from '@jest/globals';
import type { RsError } from '@rs/core';
import fc from 'fast-check';
import { bytesCodec } from '../codec/bytes-codec.ts';
import type { MessageCodec } from '../codec/codec.ts';
import { codecsOf } from '../codec/codecs.ts';
import { jsonCodec } from '../codec/json-codec.ts';
import { msgpackCodec } from '../codec/msgpack-codec.ts';
import { coded, thrownBy } from '../test-support/coded.ts';
import { type StoredEnvelope, decodeEnvelope } from './decode-envelope.ts';
import { type Content, encodeEnvelope } from './encode-envelope.ts';
import { envelopeOf } from './envelope-of.ts';

const codecs = codecsOf();
const nothing = { key: undefined, headers: undefined, timestamp: undefined };

const decode = (envelope: StoredEnvelope, id = '1700000000000-3') =>
  decodeEnvelope(id, 'orders', 2, envelope, codecs);

/** As Redis gives it: names and values as bytes. */
function stored(content: Content, codec: MessageCodec = jsonCodec()): StoredEnvelope {
  const { m, k, h, d } = encodeEnvelope(content, codec);
  return envelopeOf(['m', m, 'k', k, 'h', h, 'd', d].map((field) => Buffer.from(field)));
}

const good = (): Record<keyof StoredEnvelope, Buffer> => ({
  m: Buffer.from('1,json,k,5'),
  k: Buffer.from('key'),
  h: Buffer.from(''),
  d: Buffer.from('1'),
});

describe('a message', () => {
  test('comes back as it was sent', () => {
    const content = { key: 'ada', value: { a: [1] }, headers: { trace: 'x', '': '' }, timestamp: -5 };
    expect(decode(stored(content))).toEqual({
      id: '1700000000000-3',
      topic: 'orders',
      partition: 2,
      ...content,
    });
  });

  test('without an event time has the time of its id', () => {
    expect(decode(stored({ ...nothing, value: 1 })).timestamp).toBe(1_700_000_000_000);
    expect(decode(stored({ ...nothing, value: 1, timestamp: 0 })).timestamp).toBe(0);
  });

  test("with the key '' has a key, one without has none", () => {
    expect(decode(stored({ ...nothing, value: 1, key: '' })).key).toBe('');
    expect(decode(stored({ ...nothing, value: 1 }))).toMatchObject({ key: undefined, headers: {} });
  });

  test('keeps any text and bytes', () => {
    const text = fc.string({ unit: 'binary' });
    fc.assert(
      fc.property(
        text,
        fc.dictionary(fc.string(), fc.string({ unit: 'grapheme' })),
        fc.uint8Array(),
        (key, headers, value) => {
          const message = decode(stored({ key, headers, value, timestamp: 1 }, bytesCodec()));
          expect(message).toMatchObject({ key, value: Buffer.from(value) });
          expect({ ...message.headers }).toEqual({ ...headers });
        },
      ),
    );
  });

  test('keeps headers with lone surrogates and the name __proto__', () => {
    const headers = JSON.parse('{"__proto__":"x","a":"\\ud800"}') as Record<string, string>;
    expect(JSON.stringify(decode(stored({ ...nothing, value: 1, headers })).headers)).toBe(
      JSON.stringify(headers),
    );
  });

  test('is read with the codec that wrote it', () => {
    const value = { at: new Date(5) };
    expect(decode(stored({ ...nothing, value }, msgpackCodec())).value).toEqual(value);
    expect(decode(stored({ ...nothing, value: 1 })).value).toBe(1);
  });

  test('may have its fields as text, in any order and among others', () => {
    const envelope = envelopeOf(['d', '1', 'x', 'y', 'k', '', 'm', '1,json,-,', 'h', '']);
    expect(decode(envelope)).toMatchObject({ value: 1, key: undefined });
  });
});

describe('what cannot be sent', () => {
  test.each<[string, Partial<Content>, 'RS_INVALID_KEY' | 'RS_INVALID_VALUE']>([
    ['a key that UTF-8 would change', { key: 'a\udfff' }, 'RS_INVALID_KEY'],
    ['undefined', { value: undefined }, 'RS_INVALID_VALUE'],
  ])('%s is refused', (_what, content, code) => {
    expect(() => encodeEnvelope({ ...nothing, value: 1, ...content }, jsonCodec())).toThrow(coded(code));
  });

  test('what a codec throws or gives by mistake is told with its name', () => {
    const cause = new Error('no room');
    const throwing: MessageCodec = {
      name: 'own',
      encode: () => {
        throw cause;
      },
      decode: () => 1,
    };
    const error = thrownBy(() => encodeEnvelope({ ...nothing, value: 1 }, throwing), 'RS_INVALID_VALUE');
    expect(error.message).toBe("the codec 'own' cannot write the value: no room");
    expect(error.cause).toBe(cause);
    const wrong = { ...throwing, encode: () => 7 as never };
    expect(() => encodeEnvelope({ ...nothing, value: 1 }, wrong)).toThrow(coded('RS_INVALID_VALUE'));
  });
});

describe('an entry that cannot be read says why', () => {
  test.each<[string, Partial<Record<keyof StoredEnvelope, string | Buffer | undefined>>, RegExp]>([
    [
      'no fields',
      { m: undefined, d: undefined },
      /it lacks the field m, d; only producers of @rs\/mq write to a topic$/,
    ],
    [
      'another version',
      { m: '2,json,k,' },
      /its field m is "2,json,k,", which is no version that is known here$/,
    ],
    ['no version', { m: '' }, /its field m is "", which is no version/],
    ['too few parts', { m: '1,json,k' }, /its field m is "1,json,k", not 1,<codec>,<k or ->,<event time>$/],
    ['too many parts', { m: '1,json,k,x,5' }, /its field m is "1,json,k,x,5", not 1,/],
    ['no such mark', { m: '1,json,x,5' }, /its field m is "1,json,x,5", not 1,/],
    [
      'an unknown codec',
      { m: '1,avro,k,5' },
      /with the codec "avro", which is not known here; give it to createMq/,
    ],
    ['a time that is none', { m: '1,json,k,5.5' }, /its event time is "5\.5", no integer of milliseconds$/],
    ['a time that is too large', { m: '1,json,k,9999999999999999' }, /its event time is "9999999999999999"/],
    [
      'a key that should not be',
      { m: '1,json,-,5' },
      /its field k has a key, though its field m says that there is none$/,
    ],
    ['a key that is no UTF-8', { k: Buffer.from([0xff]) }, /its key is not valid UTF-8$/],
    ['headers that are no JSON', { h: '{' }, /its headers are no JSON: /],
    [
      'headers that are no UTF-8',
      { h: Buffer.from([0x7b, 0xff]) },
      /its headers are no JSON: its field h is not valid UTF-8$/,
    ],
    ['headers that are no object', { h: '[]' }, /its headers are no JSON object$/],
    ['headers that are null', { h: 'null' }, /its headers are no JSON object$/],
    ['a header that is no text', { h: '{"a":1}' }, /its header "a" is no text$/],
    ['a value that the codec refuses', { d: '{' }, /the codec 'json' refuses its value: it is not JSON: /],
  ])('%s', (_what, fields, reason) => {
    const envelope = { ...good(), ...fields };
    const error = thrownBy(() => decode(envelope), 'RS_INVALID_VALUE');
    expect(error.message).toMatch(
      /^message 1700000000000-3 in partition 2 of topic 'orders' cannot be read: /,
    );
    expect(error.message).toMatch(reason);
    expect(error.details).toEqual({ topic: 'orders', partition: 2, id: '1700000000000-3' });
    // The next one is not harmed.
    expect(decode(good()).value).toBe(1);
  });

  test('and what a codec of yours throws is its cause', () => {
    const cause = new Error('corrupt');
    const own: MessageCodec = {
      name: 'own',
      encode: () => '',
      decode: () => {
        throw cause;
      },
    };
    const envelope = { ...good(), m: '1,own,k,5' };
    try {
      decodeEnvelope('1-0', 'orders', 0, envelope, codecsOf([own]));
      throw new Error('nothing was thrown');
    } catch (error) {
      expect(((error as RsError).cause as RsError).cause).toBe(cause);
    }
  });
});
