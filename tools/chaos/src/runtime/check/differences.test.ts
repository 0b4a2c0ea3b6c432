import { expect, test } from '@jest/globals';
import { differences } from './differences.ts';

const [a, b, c] = [{ n: 1 }, { n: 2 }, { n: 3 }];
const told = (actual: object[], expected: object[], ordered = true): string[] =>
  differences(actual, expected, { ordered }).map(({ what }) => what);

test('the same', () => {
  expect(told([a, b, a], [a, b, a])).toEqual([]);
  expect(told([], [])).toEqual([]);
});

test('missing, too often, nobody’s', () => {
  expect(told([a], [a, b])).toEqual(['missing: {"n":2}']);
  expect(told([a, b], [a, a, b])).toEqual(['1 of 2: {"n":1}']);
  expect(told([a, b, b], [a, b])).toEqual(['2 times instead of 1: {"n":2}']);
  expect(told([a, c, b], [a, b])).toEqual(['nobody\'s: {"n":3}']);
});

test('out of order, where order counts', () => {
  expect(told([b, a, c], [a, b, c])).toEqual(['out of order: {"n":2} in the place of {"n":1}']);
  expect(told([b, a, c], [a, b, c], false)).toEqual([]);
});
