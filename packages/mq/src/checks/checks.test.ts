import { describe, expect, test } from '@jest/globals';
import { checkChoice, checkFunction, checkPositiveInteger } from './checks.ts';

describe('checkPositiveInteger', () => {
  test.each([1, 2 ** 53 - 1])('%p passes', (value) => {
    checkPositiveInteger(value, 'count');
  });

  test.each([0, -1, 1.5, 2 ** 53, NaN, Infinity, '1', 1n, null, undefined])('%p is refused', (value) => {
    expect(() => {
      checkPositiveInteger(value, 'count');
    }).toThrow(
      expect.objectContaining({ code: 'RS_INVALID_ARGUMENT', details: { what: 'count', received: value } }),
    );
  });
});

test.each([
  ['text', "'text'"],
  [() => 1, 'a function'],
  [[1], 'an array'],
  [Promise.resolve(), 'a promise'],
  [{}, 'an object'],
  [null, 'null'],
  [Symbol('s'), 'Symbol(s)'],
])('%p is shown as %s', (value, shown) => {
  expect(() => {
    checkChoice(value, ['a', 1], 'it');
  }).toThrow(`it must be 'a' or 1, got ${shown}`);
});

test('checkFunction', () => {
  checkFunction(() => 1, 'handler');
  expect(() => {
    checkFunction({}, 'handler');
  }).toThrow('handler must be a function, got an object');
});
