import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { keyText } from './key-text.ts';

test('equal keys have one text', () => {
  expect(keyText({ a: 1, b: [2, { c: 'd', e: 3n }] })).toBe(keyText({ b: [2, { e: 3n, c: 'd' }], a: 1 }));
  expect(keyText(-0)).toBe(keyText(0));
  expect(keyText(new Uint8Array([1, 2]))).toBe(keyText(Buffer.from([1, 2])));
});

test('other keys have other texts', () => {
  const keys = [
    '',
    '1',
    '1n',
    'true',
    'null',
    '[1]',
    'bytes 1',
    'a,b',
    '"',
    '\\',
    0,
    1,
    -1,
    0.5,
    1n,
    -1n,
    true,
    false,
    null,
    [],
    [1],
    ['1'],
    [[1]],
    [1, 2],
    ['1,2'],
    [12],
    [[], []],
    [[[]]],
    ['a', 'b'],
    ['a,b'],
    {},
    { a: 1 },
    { a: '1' },
    { 'a:1': 1 },
    { a: { b: 1 } },
    { a: 1, b: 1 },
    { a: '1,"b":1' },
    new Uint8Array([]),
    new Uint8Array([1]),
    new Uint8Array([1, 2]),
    new Uint8Array([12]),
  ];
  expect(new Set(keys.map(keyText)).size).toBe(keys.length);
});

test('a text is that of one key only', () => {
  // As JSON, which has no -0.
  const key = fc.jsonValue({ maxDepth: 2 }).map((value): unknown => JSON.parse(JSON.stringify(value)));
  fc.assert(
    fc.property(key, key, (a, b) => {
      const parsed: unknown = JSON.parse(keyText(a));
      expect(parsed).toEqual(a);
      expect(keyText(a) === keyText(b)).toBe(JSON.stringify(sorted(a)) === JSON.stringify(sorted(b)));
    }),
    { numRuns: 1_000, seed: 20_265 },
  );
});

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, part]) => [name, sorted(part)]);
}
