import { describe, expect, test } from '@jest/globals';
import { PatternBuilder } from './pattern-builder.ts';
import { Pattern } from './pattern.ts';

const even = Pattern.of((n: number) => n % 2 === 0);
const large = Pattern.of((n: number) => n > 10);
const never = Pattern.of<number>(() => {
  throw new Error('asked');
});

const accepted = (pattern: Pattern<number>): number[] => [1, 2, 11, 12].filter((n) => pattern.matches(n));

describe('Pattern', () => {
  test.each<[string, Pattern<number>, number[]]>([
    ['of', even, [2, 12]],
    ['and', even.and(large), [12]],
    ['or', even.or(large), [2, 11, 12]],
    ['negate', even.negate(), [1, 11]],
    ['not both', even.and(large).negate(), [1, 2, 11]],
  ])('%s', (_name, pattern, expected) => {
    expect(accepted(pattern)).toEqual(expected);
  });

  test('does not ask the other one without need', () => {
    expect(even.and(never).matches(1)).toBe(false);
    expect(even.or(never).matches(2)).toBe(true);
    expect(() => even.and(never).matches(2)).toThrow('asked');
  });

  test('counts anything truthy, but no promise', () => {
    expect(Pattern.of((text: string) => text.length as never).matches('x')).toBe(true);
    expect(() => Pattern.of(() => Promise.resolve(false) as never).matches(1)).toThrow(
      expect.objectContaining({ code: 'RS_ASYNC_NOT_ALLOWED' }),
    );
  });

  test.each([undefined, null, 'even', { matches: () => true }])('of refuses %p', (test) => {
    expect(() => Pattern.of(test as never)).toThrow(expect.objectContaining({ code: 'RS_INVALID_ARGUMENT' }));
  });

  test.each([undefined, null, () => true])('and, or and the builder refuse %p', (other) => {
    const invalid = expect.objectContaining({ code: 'RS_INVALID_ARGUMENT' });
    expect(() => even.and(other as never)).toThrow(invalid);
    expect(() => even.or(other as never)).toThrow(invalid);
    expect(() => new PatternBuilder().where(other as never)).toThrow(invalid);
  });
});

describe('PatternBuilder', () => {
  const both = () => new PatternBuilder<number>().where(even).followedBy(large);

  test.each<[string, Pattern<number>, number[]]>([
    ['any is or', both().any(), [2, 11, 12]],
    ['all is and', both().all(), [12]],
    ['build is all', both().build(), [12]],
    ['any of nothing never holds', new PatternBuilder<number>().any(), []],
    ['all of nothing always holds', new PatternBuilder<number>().all(), [1, 2, 11, 12]],
  ])('%s', (_name, pattern, expected) => {
    expect(accepted(pattern)).toEqual(expected);
  });

  test('a pattern that was built does not change with the builder', () => {
    const builder = new PatternBuilder<number>().where(even);
    const [any, all] = [builder.any(), builder.all()];
    builder.where(large);
    expect([accepted(any), accepted(all)]).toEqual([
      [2, 12],
      [2, 12],
    ]);
  });

  test('makes settings with all conditions and a time window', () => {
    expect(both().withTimeWindow('5s')).toMatchObject({ timeWindow: '5s', contiguous: false });
    expect(both().withContiguousTimeWindow(7)).toMatchObject({ timeWindow: 7, contiguous: true });
    expect(accepted(both().withTimeWindow('5s').pattern)).toEqual([12]);
  });
});
