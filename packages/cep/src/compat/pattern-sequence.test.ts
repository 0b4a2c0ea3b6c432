import { describe, expect, test } from '@jest/globals';
import { PatternQuantifier } from './pattern-quantifier.ts';
import { PatternSequence } from './pattern-sequence.ts';
import { PatternSequenceMatcher } from './pattern-sequence-matcher.ts';
import { is, letter } from './test-support/letters.ts';

const begin = () => PatternSequence.begin<string>();
const invalidPattern = expect.objectContaining({ code: 'RS_INVALID_PATTERN' });
const invalidArgument = expect.objectContaining({ code: 'RS_INVALID_ARGUMENT' });

function shown(sequence: PatternSequence<string>): string {
  return sequence.steps
    .map(({ name, contiguity, quantifier }) => `${name} ${contiguity} ${quantifier.notation}`)
    .join(', ');
}

describe('steps', () => {
  test('have the contiguity of the method that adds them, and are taken once', () => {
    const sequence = letter('a')
      .where('b', is('b'))
      .next('c', is('c'))
      .followedBy('d', is('d'))
      .followedByAny('e', is('e'));
    expect(shown(sequence)).toBe(
      'a RELAXED {1}, b RELAXED {1}, c STRICT {1}, d RELAXED {1}, e NON_DETERMINISTIC {1}',
    );
    expect(sequence.contiguous).toBe(false);
  });

  test('where may be the first', () => {
    expect(shown(begin().where('a', is('a')))).toBe('a RELAXED {1}');
  });

  test.each(['next', 'followedBy', 'followedByAny'] as const)('%s may not be the first', (method) => {
    expect(() => begin()[method]('a', is('a'))).toThrow(invalidPattern);
  });

  test('are found by name, the first of each', () => {
    const sequence = letter('a').next('b', is('b')).next('b', is('c'));
    expect(sequence.getStep('b')?.pattern.matches('b')).toBe(true);
    expect(sequence.getStep('x')).toBeUndefined();
  });

  test('need a name and a pattern', () => {
    expect(() => begin().where(1 as never, is('a'))).toThrow(invalidArgument);
    expect(() => begin().where('a', (() => true) as never)).toThrow(invalidArgument);
    expect(() => PatternSequence.begin('a', undefined as never)).toThrow(invalidArgument);
  });

  test('the list is a copy', () => {
    const sequence = letter('a');
    sequence.steps.pop();
    expect(sequence.steps).toHaveLength(1);
  });
});

describe('quantifiers', () => {
  test.each<[string, PatternSequence<string>, string]>([
    ['times(n)', letter('a').times(3), '{3}'],
    ['times(min, max)', letter('a').times(0, 3), '{0,3}'],
    ['times(quantifier)', letter('a').times(PatternQuantifier.atLeast(2)), '{2,}'],
    ['oneOrMore', letter('a').oneOrMore(), '+'],
    ['zeroOrMore', letter('a').zeroOrMore(), '*'],
    ['optional', letter('a').optional(), '?'],
    ['the last one holds', letter('a').times(3).oneOrMore().optional(), '?'],
  ])('%s', (_name, sequence, notation) => {
    expect(shown(sequence)).toBe(`a RELAXED ${notation}`);
  });

  test('are about the last step', () => {
    expect(shown(letter('a').oneOrMore().next('b', is('b')).optional())).toBe('a RELAXED +, b STRICT ?');
  });

  test.each<[string, () => unknown]>([
    ['times', () => begin().times(1)],
    ['oneOrMore', () => begin().oneOrMore()],
    ['zeroOrMore', () => begin().zeroOrMore()],
    ['optional', () => begin().optional()],
  ])('%s needs a step', (_name, call) => {
    expect(call).toThrow(invalidPattern);
  });

  test('that cannot be are refused, and leave the step as it was', () => {
    const sequence = letter('a').oneOrMore();
    expect(() => sequence.times(0)).toThrow(invalidArgument);
    expect(() => sequence.times(3, 2)).toThrow(invalidArgument);
    expect(() => sequence.times('2' as never)).toThrow(invalidArgument);
    expect(shown(sequence)).toBe('a RELAXED +');
  });
});

describe('within', () => {
  test('the last call holds', () => {
    expect(letter('a').timeLimit).toBeUndefined();
    expect(letter('a').within('1s').within('2s').timeLimit).toBe(2_000);
  });

  test.each([0, -1, null, undefined, 'soon'])('refuses %p', (duration) => {
    expect(() => letter('a').within(duration as never)).toThrow(
      expect.objectContaining({ code: 'RS_INVALID_DURATION' }),
    );
  });
});

test('validate wants a step, and matchers validate', () => {
  expect(() => letter('a').validate()).not.toThrow();
  expect(() => begin().validate()).toThrow(invalidPattern);
  expect(() => new PatternSequenceMatcher(begin())).toThrow(invalidPattern);
  expect(() => new PatternSequenceMatcher({} as never)).toThrow(invalidArgument);
});

test('a copy goes its own way', () => {
  const first = letter('a').within(5);
  const second = first.copy().next('b', is('b')).within(6);
  expect([shown(first), first.timeLimit]).toEqual(['a RELAXED {1}', 5]);
  expect([shown(second), second.timeLimit]).toEqual(['a RELAXED {1}, b STRICT {1}', 6]);
});
