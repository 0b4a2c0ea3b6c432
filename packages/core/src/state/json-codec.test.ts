import { deepStrictEqual } from 'node:assert/strict';
import { runInNewContext } from 'node:vm';
import { describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import type { Codec } from './codec.ts';
import { jsonCodec } from './json-codec.ts';

const codec = jsonCodec<unknown>();

function roundTrip<T>(value: T): T {
  return (codec as Codec<T>).decode((codec as Codec<T>).encode(value));
}

function assertEncodable(value: unknown): void {
  if (codec.assertEncodable === undefined) throw new Error('the json codec has assertEncodable');
  codec.assertEncodable(value);
}

function expectRefused(value: unknown, path: string, message?: RegExp): void {
  const error = expect.objectContaining({ code: 'RS_INVALID_VALUE', retriable: false, details: { path } });
  for (const call of [() => codec.encode(value), () => assertEncodable(value)]) {
    expect(call).toThrow(error);
    if (message !== undefined) expect(call).toThrow(message);
  }
}

/** Every kind of value that the codec promises to keep, nested, under keys that mean something to JavaScript or to it. */
const storable = fc.letrec((tie) => {
  const key = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('__proto__', 'constructor', 'toString', 'toJSON', '$rs', 'v', '', '0', '\ud800'),
  );
  return {
    value: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      tie('leaf'),
      fc.array(tie('value'), { maxLength: 5 }),
      fc.dictionary(key, tie('value'), { maxKeys: 5, noNullPrototype: true }),
      fc.array(fc.tuple(tie('value'), tie('value')), { maxLength: 4 }).map((entries) => new Map(entries)),
      fc.array(tie('value'), { maxLength: 4 }).map((items) => new Set(items)),
    ),
    leaf: fc.oneof(
      fc.constantFrom(undefined, null, Number.NaN, Infinity, -Infinity, -0, 0, true, false),
      fc.double(),
      fc.integer(),
      fc.maxSafeInteger(),
      fc.bigInt(),
      fc.string({ unit: 'binary' }),
      fc.constantFrom('$rs', '"$rs"', '{"$rs":"undefined"}', '\ud83d', '\udc00x', '\0\r\n', '\u2028'),
      // Invalid dates have a test of their own: deepStrictEqual does not take two of them for equal.
      fc.date({ noInvalidDate: true }),
      fc.uint8Array({ maxLength: 8 }),
    ),
  };
}).value;

describe('what is kept', () => {
  test('any nesting of the promised types comes back as it was', () => {
    fc.assert(
      fc.property(storable, (value) => {
        // Not Jest's equality, which is confused by a key `constructor`.
        deepStrictEqual(roundTrip(value), value);
      }),
      { numRuns: 2_000 },
    );
  });

  test('encoding changes nothing in the value, and decoding yields a new one each time', () => {
    const value = { at: new Date(5), list: [undefined, { n: Number.NaN }], bytes: new Uint8Array([1]) };
    const before = structuredClone(value);
    const text = codec.encode(value);
    expect(value).toEqual(before);
    expect(codec.decode(text)).toEqual(value);
    expect(codec.decode(text)).not.toBe(codec.decode(text));
  });

  test.each([
    ['undefined', undefined],
    ['NaN', Number.NaN],
    ['Infinity', Infinity],
    ['-Infinity', -Infinity],
    ['-0', -0],
    ['0', 0],
    ['null', null],
    ['a bigint beyond 2^64', -(2n ** 70n)],
    ['the empty string', ''],
    ['a lone surrogate', 'x\ud83dy'],
  ])('%s by itself', (_, value) => {
    expect(Object.is(roundTrip(value), value)).toBe(true);
  });

  test('an object of everything that plain JSON changes', () => {
    const value = {
      d: new Date(0),
      u: undefined,
      n: Number.NaN,
      i: Infinity,
      z: -0,
      b: 10n,
      m: new Map([[1, 2]]),
      s: new Set([1]),
    };
    expect(roundTrip(value)).toStrictEqual(value);
    expect(Object.keys(roundTrip(value))).toEqual(Object.keys(value));
  });

  test('dates, also an invalid one', () => {
    expect(roundTrip(new Date(0))).toStrictEqual(new Date(0));
    expect(roundTrip(new Date(Number.NaN)).getTime()).toBeNaN();
  });

  test('keys that are words of Object', () => {
    const words = JSON.parse(
      '{"__proto__":{"x":1},"constructor":2,"hasOwnProperty":null,"toString":"t"}',
    ) as object;
    for (const value of [words, { ...words, u: undefined }, { ...words, $rs: 'map' }]) {
      const back = roundTrip(value);
      expect(Object.entries(back)).toStrictEqual(Object.entries(value));
      expect(Object.getPrototypeOf(back)).toBe(Object.prototype);
      expect(Object.hasOwn(back, '__proto__')).toBe(true);
    }
    expect(({} as { x?: number }).x).toBeUndefined();
  });

  test('objects that look like the tags of the codec', () => {
    for (const value of [
      { $rs: 'undefined' },
      { $rs: 'bigint', v: '1' },
      { $rs: 'object', v: [['a', 1]] },
      { $rs: { $rs: undefined } },
      { $rs: new Map([[{ $rs: 1 }, { v: -0 }]]), v: Number.NaN },
    ]) {
      expect(roundTrip(value)).toStrictEqual(value);
    }
  });

  test('maps and sets with keys of any kind, in their order', () => {
    const map = new Map<unknown, unknown>([
      [Number.NaN, 1],
      ['1', 'text'],
      [1, 'number'],
      [undefined, new Map([[-1n, new Set(['x'])]])],
      [{ a: 1 }, null],
    ]);
    expect([...roundTrip(map)]).toStrictEqual([...map]);
    expect([...roundTrip(new Set([3, 1, 2]))]).toEqual([3, 1, 2]);
  });

  test('one object in two places that are not inside each other; it comes back as two', () => {
    const shared = { n: 1n };
    const back = roundTrip({ a: shared, b: [shared, shared], c: new Map([[shared, shared]]) });
    expect(back.a).toStrictEqual(shared);
    expect(back.b).toStrictEqual([shared, shared]);
    expect(back.b[0]).not.toBe(back.b[1]);
  });

  test('frozen values and accessors, by their current value', () => {
    const value = Object.freeze({
      get total() {
        return 10n;
      },
      list: Object.freeze([undefined]),
    });
    expect(roundTrip(value)).toStrictEqual({ total: 10n, list: [undefined] });
  });

  test('values of another realm, such as those of structuredClone under Jest', () => {
    const foreign: unknown = runInNewContext('({ list: [1, { n: null }] })');
    expect(Object.getPrototypeOf(foreign)).not.toBe(Object.prototype);
    expect(roundTrip(foreign)).toStrictEqual({ list: [1, { n: null }] });
  });

  test('dates made under a fake clock', () => {
    const before = new Date(1);
    jest.useFakeTimers();
    try {
      expect(roundTrip([before, new Date(2)])).toEqual([new Date(1), new Date(2)]);
    } finally {
      jest.useRealTimers();
    }
  });

  test('500 levels of nesting', () => {
    let lists: unknown = 0;
    let maps: unknown = undefined;
    let objects: unknown = undefined;
    for (let level = 0; level < 500; level++) {
      lists = [lists];
      maps = new Map([[0, maps]]);
      objects = { next: objects };
    }
    for (const value of [lists, maps, objects])
      expect(codec.encode(roundTrip(value))).toBe(codec.encode(value));
    expect(() => codec.encode([lists])).toThrow(/nested more than 500 levels deep/);
    expect(() => assertEncodable([lists])).toThrow(expect.objectContaining({ code: 'RS_INVALID_VALUE' }));
  });
});

describe('what changes, as documented', () => {
  test('an object without prototype gets the usual one', () => {
    const bare: unknown = Object.assign(Object.create(null) as object, { a: 1n });
    expect(roundTrip(bare)).toStrictEqual({ a: 1n });
  });

  test('a Buffer comes back as its bytes', () => {
    expect(roundTrip<Uint8Array>(Buffer.from([0xc3, 0x28, 0, 0xff]))).toStrictEqual(
      new Uint8Array([0xc3, 0x28, 0, 0xff]),
    );
  });
});

describe('what is refused, by encode and assertEncodable alike', () => {
  class Order {
    id = 1;
  }
  class Stack extends Array<number> {}
  class Lru extends Map<string, number> {}

  test.each<[string, unknown, RegExp]>([
    ['a function', () => 1, /is a function/],
    ['a symbol', Symbol('s'), /is a symbol/],
    ['an instance of a class', new Order(), /is an instance of Order/],
    ['an instance of a nameless class', new (class {})(), /is an instance of a class/],
    ['an error', new TypeError('x'), /is an instance of TypeError/],
    ['a regular expression', /x/, /is an instance of RegExp/],
    ['a promise', Promise.resolve(1), /is an instance of Promise/],
    ['a boxed number', Object(1), /is an instance of Number/],
    ['other typed arrays', new Float64Array(1), /is an instance of Float64Array/],
    ['a buffer that is no array', new ArrayBuffer(1), /is an instance of ArrayBuffer/],
    ['a subclass of Array', Stack.of(1), /is an instance of Stack/],
    ['a subclass of Map', new Lru(), /is an instance of Lru/],
    ['an object made from another one', Object.create({ a: 1 }), /is an instance of Object/],
    ['an array without prototype', Object.setPrototypeOf([1], null), /is an instance of a class/],
    ['a symbol as key', { [Symbol('s')]: 1 }, /is an object with a symbol as key/],
  ])('%s', (_, value, message) => {
    expectRefused(
      value,
      '',
      new RegExp(`^the value ${message.source}, which cannot be stored and read back`),
    );
    expectRefused(
      { a: { list: [0, value] } },
      'a.list[1]',
      new RegExp(`^the value at a.list.1. ${message.source}`),
    );
  });

  test('says where in maps and sets', () => {
    const bad = (): void => undefined;
    expectRefused(new Map([[1, bad]]), 'entry(0)[1]');
    expectRefused({ m: new Map<unknown, unknown>([[0, 0], [bad, 0]]) }, 'm.entry(1)[0]'); // prettier-ignore
    expectRefused({ s: new Set([1, bad]) }, 's[1]');
    expectRefused({ toJSON: bad }, 'toJSON');
  });

  test('holes in arrays, however long the array', () => {
    const holes = [1, Number.NaN];
    holes.length = 4_000_000_000;
    expectRefused(holes, '[2]', /a hole in an array/);
    expectRefused({ a: new Array(1) }, 'a[0]', /a hole in an array/);
  });

  test('cycles', () => {
    const self: { me?: unknown } = {};
    self.me = self;
    expectRefused(self, 'me', /a cycle/);

    const list: unknown[] = [];
    list.push({ list });
    expectRefused(list, '[0].list', /a cycle/);

    const map = new Map<string, unknown>();
    map.set('x', new Set([map]));
    expectRefused({ map }, 'map.entry(0)[1][0]', /a cycle/);
  });

  test('agree on every value, and what passes comes back equal', () => {
    const anything = fc.anything({
      withBigInt: true,
      withBoxedValues: true,
      withDate: true,
      withMap: true,
      withNullPrototype: false,
      withObjectString: true,
      withSet: true,
      withSparseArray: true,
      withTypedArray: true,
      withUnicodeString: true,
    });
    const outcome = (call: () => void): unknown => {
      try {
        call();
        return 'accepted';
      } catch (error) {
        return (error as Error).message;
      }
    };
    fc.assert(
      fc.property(fc.oneof(anything, storable, fc.func(fc.nat())), (value) => {
        const encoded = outcome(() => codec.encode(value));
        expect(outcome(() => assertEncodable(value))).toBe(encoded);
        if (encoded === 'accepted') deepStrictEqual(roundTrip(value), value);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('decode', () => {
  test('reads ordinary JSON as it is', () => {
    expect(codec.decode('{"n":1700000000123456,"list":[],"obj":{},"f":0.1}')).toStrictEqual({
      n: 1_700_000_000_123_456,
      list: [],
      obj: {},
      f: 0.1,
    });
  });

  test('writes ordinary JSON where JSON suffices', () => {
    expect(codec.encode({ n: 1_700_000_000_123_456, list: [], obj: {}, f: 0.1, t: 'ä', z: null })).toBe(
      '{"n":1700000000123456,"list":[],"obj":{},"f":0.1,"t":"ä","z":null}',
    );
  });

  test.each([
    ['bytes', new Uint8Array([0x31]), /stored data is bytes/],
    ['text that is no JSON', '{"a":', /not tagged JSON/],
    ['nothing', '', /not tagged JSON/],
    ['a tag with a wrong value', '{"$rs":"bigint","v":"ten"}', /not tagged JSON/],
    ['a tag without its value', '{"$rs":"map"}', /not tagged JSON/],
    ['the tag of a newer version', '[{"$rs":"temporal","v":"x"}]', /unknown type tag 'temporal'/],
  ])('refuses %s', (_, data, message) => {
    expect(() => codec.decode(data)).toThrow(expect.objectContaining({ code: 'RS_INVALID_VALUE' }));
    expect(() => codec.decode(data)).toThrow(message);
  });

  test('names the error that JSON.parse gave as the cause', () => {
    expect(() => codec.decode('{')).toThrow(expect.objectContaining({ cause: expect.any(SyntaxError) }));
  });
});

test('jsonCodec is one codec, with the name that manifests record', () => {
  expect(jsonCodec<string>()).toBe(codec);
  expect(codec.name).toBe('json');
});
