import { describe, expect, test } from '@jest/globals';
import { isRsError } from '@rs/core';
import { PatternMatcher } from '../matcher/pattern-matcher.ts';
import { is, letter, seen } from '../test-support/letters.ts';
import { Pattern } from './pattern.ts';

const any = (): boolean => true;

/** What was thrown, which must be an `RsError`. */
function failure(build: () => unknown): { code: string; message: string; details: object } {
  try {
    build();
  } catch (error) {
    if (isRsError(error)) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

const ab = letter('a').followedBy('b', is('b'));
/** What the types refuse, and a program without types may do all the same. */
const untyped = letter('a') as object as {
  readonly [method: string]: (...args: readonly unknown[]) => unknown;
};

describe('a pattern that cannot be is refused where it is built, with the name of the stage', () => {
  test.each<[string, () => unknown, string]>([
    ['a name twice', () => untyped['next']?.('a'), "'a'"],
    ['a name twice, through a group', () => untyped['next']?.(letter('b').next('a')), "'a'"],
    ['a negation behind an optional stage', () => ab.optional().notNext(any), "'b'"],
    ['a negation behind an optional group', () => letter('x').next(ab).optional().notNext(any), "'a', 'b'"],
    ['a quantifier of a negation', () => ab.notNext(any).times(2), "'b'"],
    ['two quantifiers', () => ab.times(2).oneOrMore(), "'b'"],
    ['consecutive without a loop', () => ab.consecutive(), "'b'"],
    ['combinations without a loop', () => ab.optional().allowCombinations(), "'b'"],
    ['both at once', () => ab.oneOrMore().consecutive().allowCombinations(), "'b'"],
    ['greedy without a loop', () => ab.greedy(), "'b'"],
    ['greedy of a group', () => letter('x').next(ab).oneOrMore().greedy(), "'a', 'b'"],
    ['until without an endless loop', () => ab.times(2, 3).until(any), "'b'"],
    ['until twice', () => ab.oneOrMore().until(any).until(any), "'b'"],
    ['until of a group', () => letter('x').next(ab).oneOrMore().until(any), "'a', 'b'"],
    ['where of a group', () => letter('x').next(ab).where(any), "'a', 'b'"],
    ['a group with within', () => letter('x').next(ab.within('1s')), "'a', 'b'"],
    ['a group with a strategy', () => letter('x').next(ab.skipToNext()), "'a', 'b'"],
    ['a group that ends with a negation', () => letter('x').next(ab.notNext(any)), "'a', 'b'"],
    ['a group that could be empty', () => letter('x').next(letter('a').optional()), "'a'"],
    ['a strategy to a stage that is not there', () => untyped['skipToFirst']?.('later'), "'later'"],
    [
      'an end that waits for ever',
      () => new PatternMatcher(ab.notFollowedBy(any)),
      "notFollowedBy behind stage 'b'",
    ],
  ])('%s', (_, build, names) => {
    const { code, message } = failure(build);
    expect(code).toBe('RS_INVALID_PATTERN');
    expect(message).toContain(names);
  });

  test.each<[string, () => unknown, string]>([
    ['times(0)', () => ab.times(0), 'RS_INVALID_ARGUMENT'],
    ['times(3, 2)', () => ab.times(3, 2), 'RS_INVALID_ARGUMENT'],
    ['times(1.5)', () => ab.times(1.5), 'RS_INVALID_ARGUMENT'],
    ['timesOrMore(-1)', () => ab.timesOrMore(-1), 'RS_INVALID_ARGUMENT'],
    ['a condition that is none', () => untyped['next']?.('b', 'yes'), 'RS_INVALID_ARGUMENT'],
    ['a group that is none', () => untyped['next']?.({}), 'RS_INVALID_ARGUMENT'],
    ['a name with a colon', () => ab.next('x:y'), 'RS_INVALID_NAME'],
    ['a name that is no text', () => untyped['next']?.(5), 'RS_INVALID_NAME'],
    ['a name that objects have', () => ab.next('__proto__'), 'RS_INVALID_NAME'],
    ['no time', () => ab.within(0), 'RS_INVALID_DURATION'],
    ['another scope', () => untyped['within']?.('1s', 'first'), 'RS_INVALID_ARGUMENT'],
  ])('%s', (_, build, code) => {
    expect(failure(build).code).toBe(code);
  });
});

test('a pattern does not change when it is built on', () => {
  const start = letter('a');
  const one = start.next('b', is('b'));
  const two = start.next('c', is('c')).within(5);
  expect(seen(start, 'a b').matches).toEqual(['{a}']);
  expect(seen(one, 'a b a c').matches).toEqual(['{a b}']);
  expect(seen(two, 'a b a c').matches).toEqual(['{a c}']);
});

test.each([
  ['times(0, 2)', ab.times(0, 2), ab.times(1, 2).optional()],
  ['timesOrMore(0)', ab.timesOrMore(0), ab.zeroOrMore()],
  ['optional first', ab.optional().times(2), ab.times(2).optional()],
])('%s is the same as the other way', (_, left, right) => {
  const input = 'a b1 b2 b3';
  expect(seen(left, input).matches).toEqual(seen(right, input).matches);
  expect(new PatternMatcher(left).export()).toEqual(new PatternMatcher(right).export());
});

describe('conditions', () => {
  const number = Pattern.of<number>();
  const found = (pattern: Pattern<number, { n: number }, 'n'>, ...events: readonly number[]): number[] => {
    const matcher = new PatternMatcher(pattern);
    return events.flatMap((event, i) => matcher.process(event, i)).flatMap(({ sequence }) => sequence);
  };

  test('where joins with and, or with or, from left to right', () => {
    const even = (n: number): boolean => n % 2 === 0;
    const large = (n: number): boolean => n > 4;
    const pattern = number.begin('n', even).where(large);
    expect(found(pattern, 2, 5, 6)).toEqual([6]);
    expect(
      found(
        pattern.or((n) => n === 1),
        1,
        2,
        5,
        6,
      ),
    ).toEqual([1, 6]);
    expect(
      found(
        pattern.or((n) => n === 1).where((n) => n < 3),
        1,
        2,
        5,
        6,
      ),
    ).toEqual([1]);
    expect(found(number.begin('n'), 1, 2)).toEqual([1, 2]);
    expect(found(number.begin('n').or(even), 1, 2)).toEqual([2]);
    // Anything truthy holds.
    expect(found(number.begin('n', ((n: number) => n & 1) as never), 1, 2)).toEqual([1]);
  });

  test('see the events of their own run, and the time', () => {
    const asked: unknown[] = [];
    const pattern = number
      .begin('n', (n) => n < 10)
      .followedBy('m', (m, context) => {
        if (m < 10) return false;
        asked.push([context.last('n'), context.events, context.timestamp]);
        return m === 10 * (context.last('n') ?? 0);
      });
    const matcher = new PatternMatcher(pattern);
    matcher.process(1, 100);
    matcher.process(2, 200);
    expect(matcher.process(20, 300)).toMatchObject([{ events: { n: [2], m: [20] } }]);
    expect(asked).toEqual([
      [1, { n: [1], m: [] }, 300],
      [2, { n: [2], m: [] }, 300],
    ]);
  });

  test('may take parts of the context out', () => {
    const rising = number.begin('n').next('m', (m, { last, events, timestamp }) => {
      return m > (last('n') ?? 0) && events.n.length === 1 && timestamp > 0;
    });
    const matcher = new PatternMatcher(rising);
    expect([1, 3, 2].flatMap((n, time) => matcher.process(n, time + 1))).toMatchObject([
      { sequence: [1, 3] },
    ]);
  });

  test('may look at what is bound without saying so in their parameters', () => {
    const hidden = (...asked: readonly unknown[]): boolean => {
      const context = asked[1] as { last(stage: string): string | undefined };
      const last = context.last('a');
      return last !== undefined && asked[0] === `b${last.slice(1)}`;
    };
    const matcher = new PatternMatcher(letter('a').followedBy('b', hidden));
    for (let i = 0; i < 50; i++) matcher.process(`a${i}`, i);
    expect(matcher.process('b7', 50).map(({ sequence }) => sequence)).toEqual([['a7', 'b7']]);
  });

  test('are asked once per event when they do not look at what is bound', () => {
    let calls = 0;
    const matcher = new PatternMatcher(
      letter('a').followedBy('b', (event) => {
        calls++;
        return event === 'b';
      }),
    );
    for (let i = 0; i < 50; i++) matcher.process('a', i);
    expect(calls).toBe(49);
    expect(matcher.process('b', 50)).toHaveLength(50);
    expect(calls).toBe(50);
  });
});
