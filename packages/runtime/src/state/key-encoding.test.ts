import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { keys, shuffled } from '../test-support/keys.ts';
import { compareText, decodeKey, encodeKey } from './key-encoding.ts';

/** Equality as keys are meant: by value, with property order and the sign of zero left aside. */
function sameKey(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  if (a instanceof Uint8Array || b instanceof Uint8Array) {
    return a instanceof Uint8Array && b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  }
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [left, right] = [Object.entries(a), new Map(Object.entries(b))];
  return (
    left.length === right.size &&
    left.every(([name, part]) => right.has(name) && sameKey(part, right.get(name)))
  );
}

function code(key: unknown): unknown {
  try {
    return encodeKey(key);
  } catch (error) {
    return (error as { code: unknown }).code;
  }
}

describe('encodeKey', () => {
  test.each<[unknown, string]>([
    ['word', 's:word'],
    ['', 's:'],
    [1, 'n:1'],
    [1.0, 'n:1'],
    [-0, 'n:0'],
    [-1.5e300, 'n:-1.5e+300'],
    [10n, 'b:10'],
    [true, 'u:1'],
    [false, 'u:0'],
    [Uint8Array.of(0, 255), 'x:00ff'],
    [Buffer.from([1]), 'x:01'],
    [[], 'a['],
    [['a', 1], 'a[3:s:a3:n:1'],
    [{ b: 1, a: null }, 'o{1:a2:z:1:b3:n:1'],
    [Object.create(null), 'o{'],
  ])('%p is %s', (key, text) => {
    expect(encodeKey(key)).toBe(text);
  });

  test('two keys have one text when they are equal, and only then', () => {
    fc.assert(
      fc.property(keys, keys, (a, b) => {
        expect(encodeKey(a) === encodeKey(b)).toBe(sameKey(a, b));
      }),
      { numRuns: 2000, seed: 1 },
    );
  });

  test('the order of properties does not matter', () => {
    fc.assert(
      fc.property(keys, fc.nat(), (key, seed) => {
        expect(encodeKey(shuffled(key, seed))).toBe(encodeKey(key));
      }),
      { numRuns: 1000, seed: 2 },
    );
  });

  test('keys of different types, or with their parts cut differently, are different', () => {
    const different = [
      1,
      '1',
      1n,
      true,
      'true',
      'n:1',
      's:1',
      [],
      {},
      '',
      [1],
      ['1'],
      [[1]],
      [1, 2],
      ['1,2'],
      ['1', '2'],
    ];
    different.push(
      ['a', ''],
      ['', 'a'],
      { a: 1 },
      ['a', 1],
      { a: 'b' },
      { a: null },
      [null],
      [false],
      Uint8Array.of(1),
    );
    expect(new Set(different.map(encodeKey)).size).toBe(different.length);
  });

  test('words that are properties of Object are keys and property names like others', () => {
    const own = JSON.parse('{ "__proto__": 1, "constructor": 2 }') as object;
    expect(decodeKey(encodeKey(own))).toEqual(own);
    expect(Object.keys(decodeKey(encodeKey(own)) as object).sort()).toEqual(['__proto__', 'constructor']);
    expect(encodeKey(own)).not.toBe(encodeKey({ constructor: 2 }));
    for (const word of ['__proto__', 'constructor', 'toString'])
      expect(decodeKey(encodeKey(word))).toBe(word);
  });

  class Point {}
  const cycle: unknown[] = [];
  cycle.push(cycle);
  const deep = (levels: number): unknown => (levels === 0 ? 'x' : [deep(levels - 1)]);
  const hole: unknown[] = [];
  hole[1] = 'b';

  test.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['NaN', NaN],
    ['Infinity', Infinity],
    ['-Infinity', -Infinity],
    ['a function', () => 1],
    ['a symbol', Symbol('s')],
    ['a Date', new Date(0)],
    ['a Map', new Map()],
    ['a Set', new Set()],
    ['a class instance', new Point()],
    ['a boxed string', Object('text')],
    ['a promise', Promise.resolve('k')],
    ['other typed arrays', Float64Array.of(1)],
    ['a cycle', cycle],
    ['33 levels', deep(33)],
    ['undefined in an array', ['a', undefined]],
    ['a hole in an array', hole],
    ['NaN in an object', { a: { b: NaN } }],
    ['undefined in an object', { a: undefined }],
    ['a Date in an array', [new Date(0)]],
    ['a symbol as property name', { [Symbol('s')]: 1 }],
    ['an object whose class has no name', Object.create(Object.create(null) as object)],
  ])('refuses %s', (_name, key) => {
    expect(code(key)).toBe('RS_INVALID_KEY');
  });

  test('takes 32 levels', () => {
    expect(decodeKey(encodeKey(deep(32)))).toEqual(deep(32));
  });
});

describe('decodeKey', () => {
  test('gives back an equal key', () => {
    fc.assert(
      fc.property(keys, (key) => {
        const decoded = decodeKey(encodeKey(key));
        expect(sameKey(decoded, key)).toBe(true);
        expect(encodeKey(decoded)).toBe(encodeKey(key));
      }),
      { numRuns: 2000, seed: 3 },
    );
  });

  test('bytes come back as plain Uint8Array', () => {
    const decoded = decodeKey(encodeKey(Buffer.from('c32800ff', 'hex')));
    expect(Object.getPrototypeOf(decoded)).toBe(Uint8Array.prototype);
    expect(decoded).toEqual(Uint8Array.of(0xc3, 0x28, 0, 0xff));
  });

  test('refuses text that is no encoded key', () => {
    expect(() => decodeKey('word')).toThrow(expect.objectContaining({ code: 'RS_INVALID_KEY' }));
  });
});

describe('compareText', () => {
  const texts = fc.string({
    unit: fc.constantFrom('a', 'b', '~', 'é', '\u{ffff}', '\u{e000}', '\u{10000}', '\u{1f600}', '\u{1f601}'),
  });

  test('is the order of the UTF-8 bytes', () => {
    fc.assert(
      fc.property(
        fc.oneof(texts, fc.string({ unit: 'binary' })),
        fc.oneof(texts, fc.string({ unit: 'binary' })),
        (a, b) => {
          expect(Math.sign(compareText(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
        },
      ),
      { numRuns: 3000, seed: 4 },
    );
  });

  test('is a total order also with lone surrogates', () => {
    const units = fc.string({ unit: fc.constantFrom('a', '\ud800', '\udc00', '\uffff'), maxLength: 4 });
    fc.assert(
      fc.property(units, units, units, (a, b, c) => {
        expect(Math.sign(compareText(a, b))).toBe(0 - Math.sign(compareText(b, a)));
        expect(compareText(a, b) === 0).toBe(a === b);
        if (compareText(a, b) <= 0 && compareText(b, c) <= 0)
          expect(compareText(a, c)).toBeLessThanOrEqual(0);
      }),
      { numRuns: 2000, seed: 5 },
    );
  });
});
