import { describe, expect, test } from '@jest/globals';
import type { ErrorCode } from '@rs/core';
import fc from 'fast-check';
import { coded, thrownBy } from '../test-support/coded.ts';
import { bytesCodec } from './bytes-codec.ts';
import type { MessageCodec } from './codec.ts';
import { codecsOf } from './codecs.ts';
import { jsonCodec } from './json-codec.ts';
import { msgpackCodec } from './msgpack-codec.ts';
import { textCodec } from './text-codec.ts';

/** Encodes, stores and decodes, as a message does. */
function through(codec: MessageCodec, value: unknown): unknown {
  return codec.decode(Buffer.from(codec.encode(value)));
}

class Order {
  readonly id = 1;
}
const cyclic: { self?: unknown } = {};
cyclic.self = [cyclic];
let deep: unknown = 1;
for (let level = 0; level < 501; level++) deep = [deep];

const BOTH: [string, MessageCodec][] = [
  ['json', jsonCodec()],
  ['msgpack', msgpackCodec()],
];

describe.each(BOTH)('%s', (_name, codec) => {
  test.each([
    [{ n: 1700000000123456, list: [], obj: {}, f: 0.1 }],
    [null],
    [''],
    [0],
    [false],
    [Number.MAX_SAFE_INTEGER],
    [Number.MIN_SAFE_INTEGER],
    [1.7976931348623157e308],
    [5e-324],
    ['NUL \0, CRLF \r\n, emoji 🙂, עברית, 中文, \u2028'],
    [{ '': '', 'a b': 1, constructor: 2, toString: 'x' }],
    [[[], [[]], { a: [{ b: null }] }]],
  ])('keeps %j', (value) => {
    expect(through(codec, value)).toStrictEqual(value);
  });

  test('keeps all plain data', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        fc.pre(!text.includes('__proto__') && !text.includes('-0'));
        expect(JSON.stringify(through(codec, value))).toBe(text);
      }),
    );
  });

  test.each<[string, unknown, string]>([
    ['a bigint', { a: { b: [1, 10n] } }, 'a.b[1]'],
    ['a function', { f: () => 1 }, 'f'],
    ['a method toJSON', { toJSON: () => 'changed' }, 'toJSON'],
    ['a symbol', [Symbol('x')], '[0]'],
    ['undefined in an array', { list: [1, undefined] }, 'list[1]'],
    // eslint-disable-next-line no-sparse-arrays -- what this is about
    ['a hole in an array', [1, , 3], '[1]'],
    ['a Map', { m: new Map([[1, 2]]) }, 'm'],
    ['a Set', new Set([1]), ''],
    ['a RegExp', /x/, ''],
    ['an Error', new Error('x'), ''],
    ['an invalid date', { at: new Date(Number.NaN) }, 'at'],
    ['an instance of a class', [new Order()], '[0]'],
    ['an instance of a subclass of Array', new (class List extends Array {})(), ''],
    ['a function at the top', () => 1, ''],
  ])('refuses %s, with its path', (_what, value, path) => {
    const error = thrownBy(() => codec.encode(value), 'RS_INVALID_VALUE');
    expect(error.details).toEqual({ path });
    expect(error.message).toMatch(path === '' ? /^the value is / : /^the value at .* is /);
  });

  test('refuses cycles and what is nested too deep', () => {
    for (const value of [cyclic, deep]) {
      const { message } = thrownBy(() => codec.encode(value), 'RS_INVALID_VALUE');
      expect(message).toContain('nested more than 500 levels deep, or contains itself');
    }
  });

  test('changes -0 into 0 and an object without prototype into an ordinary one', () => {
    expect(Object.is(through(codec, -0), 0)).toBe(true);
    expect(through(codec, Object.assign(Object.create(null), { a: 1 }))).toStrictEqual({ a: 1 });
  });

  test('takes an absent property for what is undefined', () => {
    expect(through(codec, { a: undefined, b: 1 })).toEqual({ b: 1 });
  });

  test.each(['', '92', 'c4ff'])('refuses the bytes %p that it did not write', (hex) => {
    expect(() => codec.decode(Buffer.from(hex, 'hex'))).toThrow(coded('RS_INVALID_VALUE'));
  });
});

describe('json', () => {
  test.each([Number.NaN, Infinity, -Infinity, new Date(0), Buffer.from('x'), new Uint8Array([1])])(
    'refuses %p, which JSON would change',
    (value) => {
      const error = thrownBy(() => jsonCodec().encode({ at: [value] }), 'RS_INVALID_VALUE');
      expect(error.details).toEqual({ path: 'at[0]' });
    },
  );

  test('keeps text with lone surrogates, and the key __proto__', () => {
    expect(through(jsonCodec(), 'a\ud800b')).toBe('a\ud800b');
    const own: unknown = JSON.parse('{"__proto__":{"a":1}}');
    expect(JSON.stringify(through(jsonCodec(), own))).toBe('{"__proto__":{"a":1}}');
  });

  test('is what other languages read and write', () => {
    expect(jsonCodec().encode({ a: [1, 'x', null, true] })).toBe('{"a":[1,"x",null,true]}');
    expect(jsonCodec().decode(Buffer.from(' {"a": 1e3} '))).toEqual({ a: 1000 });
  });

  test('refuses bytes that are no UTF-8, instead of reading other text', () => {
    const data = Buffer.from([0x22, 0xc3, 0x28, 0x22]);
    expect(() => jsonCodec().decode(data)).toThrow(coded('RS_INVALID_VALUE'));
    expect(jsonCodec().decode(Buffer.from('"\ufffd"'))).toBe('\ufffd');
  });
});

describe('msgpack', () => {
  test.each([Number.NaN, Infinity, -Infinity, new Date(0), new Date(1_700_000_000_123)])(
    'keeps %p',
    (value) => {
      expect(through(msgpackCodec(), { at: [value] })).toStrictEqual({ at: [value] });
    },
  );

  test('keeps bytes, and gives them as Buffer', () => {
    const bytes = Buffer.from([0xc3, 0x28, 0x00, 0xff]);
    expect(through(msgpackCodec(), { bytes, same: new Uint8Array(bytes) })).toStrictEqual({
      bytes,
      same: bytes,
    });
  });

  test.each<[unknown, string]>([
    [{ text: 'a\ud800b' }, 'text'],
    [['__proto__'], '[0]'],
    [JSON.parse('{"a":{"__proto__":1}}'), 'a'],
  ])('refuses %j, which it would change', (value, path) => {
    expect(thrownBy(() => msgpackCodec().encode(value), 'RS_INVALID_VALUE').details).toEqual({ path });
  });

  test('reads 64 bits of other writers as numbers where these are exact', () => {
    const read = (hex: string) => msgpackCodec().decode(Buffer.from(hex, 'hex'));
    expect(read('cf0000018bcfe56800')).toBe(1_700_000_000_000);
    expect(read('cfffffffffffffffff')).toBe(18_446_744_073_709_551_615n);
  });
});

describe('bytes', () => {
  test('keeps any bytes, also after the caller has changed them', () => {
    const data = new Uint8Array([0xc3, 0x28, 0x00, 0xff]);
    const encoded = bytesCodec().encode(data);
    data[0] = 0;
    expect(bytesCodec().decode(Buffer.from(encoded))).toEqual(Buffer.from([0xc3, 0x28, 0x00, 0xff]));
    expect(through(bytesCodec(), Buffer.alloc(0))).toEqual(Buffer.alloc(0));
  });

  test.each(['text', 7, null, [1, 2], {}])('refuses %p', (value) => {
    expect(() => bytesCodec().encode(value)).toThrow(coded('RS_INVALID_VALUE'));
  });
});

describe('text', () => {
  test('keeps any text that UTF-8 can say, and refuses the rest', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        expect(through(textCodec(), value)).toBe(value);
      }),
    );
    for (const value of ['a\ud800', '\udc00', 7, null, Buffer.from('x')]) {
      expect(() => textCodec().encode(value)).toThrow(coded('RS_INVALID_VALUE'));
    }
    expect(() => textCodec().decode(Buffer.from([0xff]))).toThrow(coded('RS_INVALID_VALUE'));
  });
});

test.each([jsonCodec(), textCodec()])('what %p wrote as text is read as text alike', (codec) => {
  for (const value of ['', 'a\u2028é🙂', '{"a":[1]}']) {
    const text = codec.encode(value) as string;
    expect(codec.decodeText?.(text)).toEqual(codec.decode(Buffer.from(text)));
  }
});

test('text that is no JSON is refused', () => {
  expect(() => jsonCodec().decodeText?.('{')).toThrow(coded('RS_INVALID_VALUE'));
});

describe('the codecs of an mq', () => {
  const own: MessageCodec = { name: 'own.v1', encode: () => 'x', decode: () => 'y' };

  test('are the built-in ones and the given ones', () => {
    expect([...codecsOf([own, jsonCodec()]).keys()]).toEqual(['json', 'msgpack', 'text', 'bytes', 'own.v1']);
  });

  test.each<[unknown, ErrorCode]>([
    ['json', 'RS_INVALID_ARGUMENT'],
    [[undefined], 'RS_INVALID_ARGUMENT'],
    [[{ name: 'x', encode: () => 'x' }], 'RS_INVALID_ARGUMENT'],
    [[{ ...own, decodeText: 'x' }], 'RS_INVALID_ARGUMENT'],
    [[{ ...own, name: 'a,b' }], 'RS_INVALID_NAME'],
    [[{ ...own, name: '' }], 'RS_INVALID_NAME'],
    [[{ ...own, name: 'json' }], 'RS_INVALID_ARGUMENT'],
    [[own, { ...own }], 'RS_INVALID_ARGUMENT'],
  ])('%j is refused', (codecs, code) => {
    expect(() => codecsOf(codecs as MessageCodec[])).toThrow(coded(code));
  });
});
