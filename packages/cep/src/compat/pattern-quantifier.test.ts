import { expect, test } from '@jest/globals';
import { PatternQuantifier } from './pattern-quantifier.ts';

const { UNBOUNDED } = PatternQuantifier;

test.each([
  [PatternQuantifier.exactly(1), '{1}', 1, 1],
  [PatternQuantifier.exactly(3), '{3}', 3, 3],
  [PatternQuantifier.oneOrMore(), '+', 1, UNBOUNDED],
  [PatternQuantifier.zeroOrMore(), '*', 0, UNBOUNDED],
  [PatternQuantifier.optional(), '?', 0, 1],
  [PatternQuantifier.times(2, 4), '{2,4}', 2, 4],
  [PatternQuantifier.times(2, 2), '{2,2}', 2, 2],
  [PatternQuantifier.times(0, 0), '{0,0}', 0, 0],
  [PatternQuantifier.atLeast(0), '{0,}', 0, UNBOUNDED],
  [PatternQuantifier.atLeast(2), '{2,}', 2, UNBOUNDED],
])('%s', (quantifier, notation, min, max) => {
  expect(quantifier).toMatchObject({ notation, min, max });
  expect(String(quantifier)).toBe(notation);
  expect([min - 1, min, max, max + 1].map((count) => quantifier.matches(count))).toEqual([
    false,
    true,
    true,
    false,
  ]);
});

test('without a limit is the largest integer of 32 bits', () => {
  expect(UNBOUNDED).toBe(2 ** 31 - 1);
});

test.each([
  ['exactly(0)', () => PatternQuantifier.exactly(0)],
  ['exactly(-1)', () => PatternQuantifier.exactly(-1)],
  ['exactly(1.5)', () => PatternQuantifier.exactly(1.5)],
  ['times(-1, 2)', () => PatternQuantifier.times(-1, 2)],
  ['times(3, 2)', () => PatternQuantifier.times(3, 2)],
  ['times(1, Infinity)', () => PatternQuantifier.times(1, Infinity)],
  ['atLeast(-1)', () => PatternQuantifier.atLeast(-1)],
])('refuses %s', (_name, make) => {
  expect(make).toThrow(expect.objectContaining({ code: 'RS_INVALID_ARGUMENT' }));
});
