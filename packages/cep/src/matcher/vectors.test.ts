import { describe, expect, test } from '@jest/globals';
import { Pattern, type PatternLike } from '../pattern/pattern.ts';
import { is, letter, seen, shown } from '../test-support/letters.ts';
import { PatternMatcher } from './pattern-matcher.ts';

type Letters = PatternLike<string, object>;

/** `{a} {a b}` as a list of matches, whatever their order. */
function sorted(text: string): string[] {
  return (text.match(/\{[^}]*\}/g) ?? []).sort();
}

const cab = (): Pattern<string, { c: string; a: string }, 'a'> => letter('c').followedBy('a', is('a'));
const ab = letter('a').followedBy('b', is('b'));

test.each<[string, Letters, string, string]>([
  ['C1 next', letter('a').next('b', is('b')), 'a x b1 b2', ''],
  ['C1 followedBy', ab, 'a x b1 b2', '{a b1}'],
  ['C1 followedByAny', letter('a').followedByAny('b', is('b')), 'a x b1 b2', '{a b1} {a b2}'],
  [
    'C2 relaxed',
    cab().oneOrMore().followedBy('b', is('b')),
    'c a1 a2 x a3 b',
    '{c a1 b} {c a1 a2 b} {c a1 a2 a3 b}',
  ],
  [
    'C2 consecutive',
    cab().oneOrMore().consecutive().followedBy('b', is('b')),
    'c a1 a2 x a3 b',
    '{c a1 b} {c a1 a2 b}',
  ],
  [
    'C2 combinations',
    cab().oneOrMore().allowCombinations().followedBy('b', is('b')),
    'c a1 a2 x a3 b',
    '{c a1 b} {c a1 a2 b} {c a1 a2 a3 b} {c a1 a3 b}',
  ],
  ['C3', letter('a').oneOrMore().followedBy('b', is('b')), 'a1 x a2 b', '{a1 a2 b} {a1 b} {a2 b}'],
  ['C4 a{3}', letter('a').times(3), 'a1 a2 a3 a4', '{a1 a2 a3} {a2 a3 a4}'],
  ['C4 a{2,3}', letter('a').times(2, 3), 'a1 a2 a3 a4', '{a1 a2} {a1 a2 a3} {a2 a3} {a2 a3 a4} {a3 a4}'],
  [
    'C5 a b? c',
    letter('a').followedBy('b', is('b')).optional().followedBy('c', is('c')),
    'a b c',
    '{a b c} {a c}',
  ],
  ['C5 a b?', ab.optional(), 'a x b', '{a} {a b}'],
  ['C5 a* b', letter('a').zeroOrMore().followedBy('b', is('b')), 'a1 a2 b', '{a1 a2 b} {a1 b} {a2 b} {b}'],
  ['C5 a next b? c', letter('a').next('b', is('b')).optional().followedBy('c', is('c')), 'a x c', '{a c}'],
  [
    'C6 greedy',
    letter('c').followedBy('a', is('a')).zeroOrMore().greedy().followedBy('d', is('d')),
    'c a1 x a2 d',
    '{c a1 a2 d}',
  ],
  [
    'C6 not greedy',
    letter('c').followedBy('a', is('a')).zeroOrMore().followedBy('d', is('d')),
    'c a1 x a2 d',
    '{c a1 a2 d} {c a1 d} {c d}',
  ],
  ['C7', letter('a').oneOrMore().until(is('b')), 'a1 x a2 b a3', '{a1} {a1 a2} {a2} {a3}'],
  [
    'C8 notNext',
    letter('a').notNext(is('b')).followedByAny('c', is('c')).followedBy('d', is('d')),
    'a1 c1 b1 c2 d',
    '{a1 c1 d} {a1 c2 d}',
  ],
  [
    'C8 notFollowedBy',
    letter('a').notFollowedBy(is('b')).followedByAny('c', is('c')).followedBy('d', is('d')),
    'a1 c1 b1 c2 d',
    '{a1 c1 d}',
  ],
  [
    'C8 notNext, b first',
    letter('a').notNext(is('b')).followedByAny('c', is('c')).followedBy('d', is('d')),
    'a1 b1 c1 c2 d',
    '',
  ],
  ['C9 inside', ab.within(10), 'a@0 b@9', '{a b}'],
  ['C9 outside', ab.within(10), 'a@0 b@10', ''],
  [
    'C10 no skip',
    letter('b').oneOrMore().consecutive().next('c', is('c')),
    'b1 b2 b3 c',
    '{b1 b2 b3 c} {b2 b3 c} {b3 c}',
  ],
  [
    'C10 to next',
    letter('b').oneOrMore().consecutive().next('c', is('c')).skipToNext(),
    'b1 b2 b3 c',
    '{b1 b2 b3 c} {b2 b3 c} {b3 c}',
  ],
  [
    'C10 to first',
    letter('b').oneOrMore().consecutive().next('c', is('c')).skipToFirst('b'),
    'b1 b2 b3 c',
    '{b1 b2 b3 c} {b2 b3 c} {b3 c}',
  ],
  [
    'C10 past last',
    letter('b').oneOrMore().consecutive().next('c', is('c')).skipPastLastEvent(),
    'b1 b2 b3 c',
    '{b1 b2 b3 c}',
  ],
  [
    'C10 to last',
    letter('b').oneOrMore().consecutive().next('c', is('c')).skipToLast('b'),
    'b1 b2 b3 c',
    '{b1 b2 b3 c} {b3 c}',
  ],
  [
    'C10 a next b+',
    letter('a').next('b', is('b')).oneOrMore(),
    'a b1 b2 b3',
    '{a b1} {a b1 b2} {a b1 b2 b3}',
  ],
  ['C10 a next b+, to next', letter('a').next('b', is('b')).oneOrMore().skipToNext(), 'a b1 b2 b3', '{a b1}'],
  ['C10 a{3}', letter('a').times(3), 'a1 a2 a3 a4 a5 a6', '{a1 a2 a3} {a2 a3 a4} {a3 a4 a5} {a4 a5 a6}'],
  [
    'C10 a{3} past last',
    letter('a').times(3).skipPastLastEvent(),
    'a1 a2 a3 a4 a5 a6',
    '{a1 a2 a3} {a4 a5 a6}',
  ],
  ['two starts', ab, 'a1 a2 b1 b2', '{a1 b1} {a2 b1}'],
  [
    'the same condition twice',
    Pattern.of<string>().begin('first', is('x')).followedBy('second', is('x')),
    'x1 x2 x3',
    '{x1 x2} {x2 x3}',
  ],
  ['any b{2}', letter('a').followedByAny('b', is('b')).times(2), 'a b1 b2 b3', '{a b1 b2} {a b2 b3}'],
  [
    'any b{2} with combinations',
    letter('a').followedByAny('b', is('b')).times(2).allowCombinations(),
    'a b1 b2 b3',
    '{a b1 b2} {a b2 b3} {a b1 b3}',
  ],
  [
    'a negation guards the loop before it',
    letter('s').followedByAny('a', is('a')).times(2).notFollowedBy(is('c')).followedBy('d', is('d')),
    's a1 c a2 d',
    '',
  ],
  [
    'a negation before an optional end',
    letter('a').notFollowedBy(is('b')).followedByAny('c', is('c')).optional(),
    'a1 c1 b1 c2',
    '{a1} {a1 c1}',
  ],
  [
    "Flink's page prints 15, the semantics give 8",
    letter('c').followedBy('a', is('a')).oneOrMore().allowCombinations().followedBy('b', is('b')),
    'c d a1 a2 a3 d a4 b',
    '{c a1 b} {c a1 a2 b} {c a1 a3 b} {c a1 a4 b} {c a1 a2 a3 b} {c a1 a2 a4 b} {c a1 a3 a4 b} {c a1 a2 a3 a4 b}',
  ],
  [
    'C61 consecutive',
    letter('a').followedByAny('b', is('b')).oneOrMore().consecutive().followedBy('c', is('c')),
    'a b1 d1 b2 d2 b3 c',
    '{a b1 c} {a b2 c} {a b3 c}',
  ],
  [
    'C61 relaxed',
    letter('a').followedByAny('b', is('b')).oneOrMore().followedBy('c', is('c')),
    'a b1 d1 b2 d2 b3 c',
    '{a b1 c} {a b1 b2 c} {a b1 b2 b3 c} {a b2 c} {a b2 b3 c} {a b3 c}',
  ],
  [
    'C61 combinations',
    letter('a').followedByAny('b', is('b')).oneOrMore().allowCombinations().followedBy('c', is('c')),
    'a b1 d1 b2 d2 b3 c',
    '{a b1 c} {a b1 b2 c} {a b1 b2 b3 c} {a b2 c} {a b2 b3 c} {a b3 c} {a b1 b3 c}',
  ],
  ['C64 b', letter('a').optional().followedBy('b', is('b')), 'b1', '{b1}'],
  ['C64 a b', letter('a').optional().followedBy('b', is('b')), 'a1 b1', '{a1 b1} {b1}'],
  ['C64 a x b', letter('a').optional().followedBy('b', is('b')), 'a1 x b1', '{a1 b1} {b1}'],
  ['C64 a', letter('a').optional().followedBy('b', is('b')), 'a1', ''],
  ['C64 a c', ab.optional().followedBy('c', is('c')), 'a c', '{a c}'],
  ['C64 b c', ab.optional().followedBy('c', is('c')), 'b c', ''],
  [
    'C66',
    letter('a').times(2).consecutive().next('b', is('b')).times(2).consecutive().within('10s'),
    'a1@0 a2@1000 b1@2000 b2@3000 a3@4000 a4@5000 b3@6000 b4@7000',
    '{a1 a2 b1 b2} {a3 a4 b3 b4}',
  ],
  ['C68 equal times', ab.within('1s'), 'a@1000 b@1000', '{a b}'],
  ['C68 backwards', ab.within('1s'), 'a@1000 b@500', ''],
  ['C68 two starts', ab.within('1s'), 'a1@1000 a2@1000 b@1200', '{a1 b} {a2 b}'],
])('%s', (_, pattern, input, expected) => {
  const { matches, steps } = seen(pattern, input);
  expect([...matches].sort()).toEqual(sorted(expected));
  // Each comes with its last event.
  const events = input.split(' ').map((word) => word.split('@')[0]);
  steps.forEach((found, i) => {
    for (const match of found) expect(match.slice(1, -1).split(' ').at(-1)).toBe(events[i]);
  });
});

describe('time', () => {
  test('C9 what is not whole in time is reported once, at the end of its time', () => {
    expect(seen(ab.within(10), 'a@0 b@10').timedOut).toEqual(['{a}@10']);
    expect(seen(ab.within(10), 'a@0 x@3 |9').timedOut).toEqual([]);
    expect(seen(ab.within(10), 'a@0 x@3 |9 |10').timedOut).toEqual(['{a}@10']);
  });

  test('C9 a negation at the end is a match when time is over', () => {
    const absent = letter('a').notFollowedBy(is('b')).within(10);
    expect(seen(absent, 'a@0 x@5 |9 |10').steps).toEqual([[], [], [], ['{a}']]);
    expect(seen(absent, 'a@0 b@5 |100').matches).toEqual([]);
    expect(seen(absent, 'a@0 b@10').matches).toEqual(['{a}']);
    const matcher = new PatternMatcher(absent);
    matcher.process('a', 0);
    expect(matcher.nextDeadline()).toBe(10);
    expect(matcher.advanceTime(10)).toMatchObject([{ start: 0, end: 0, timestamp: 10 }]);
    expect(matcher.nextDeadline()).toBeUndefined();
  });

  test('an event that time has passed takes no part', () => {
    const late: unknown[] = [];
    const matcher = new PatternMatcher(ab, { onLate: (event, timestamp) => late.push([event, timestamp]) });
    expect(matcher.process('a', 1)).toEqual([]);
    expect(matcher.advanceTime(3)).toEqual([]);
    expect(matcher.process('b', 2)).toEqual([]);
    expect(matcher.process('b', 3)).toEqual([]);
    expect(late).toEqual([
      ['b', 2],
      ['b', 3],
    ]);
    expect(matcher.counters.late).toBe(2);
    expect(matcher.process('b', 4).map(shown)).toEqual(['{a b}']);
  });
});

test('V-shape', () => {
  const pattern = Pattern.of<number>()
    .begin('start')
    .next('down', (price, context) => price < (context.last('down') ?? context.last('start') ?? 0))
    .oneOrMore()
    .consecutive()
    .next('up', (price, context) => price > (context.last('down') ?? 0));
  const run = (of: typeof pattern) => {
    const matcher = new PatternMatcher(of);
    return [10, 8, 6, 7].flatMap((price, i) => matcher.process(price, i).map(({ sequence }) => sequence));
  };
  expect(run(pattern)).toEqual([
    [10, 8, 6, 7],
    [8, 6, 7],
  ]);
  expect(run(pattern.skipPastLastEvent())).toEqual([[10, 8, 6, 7]]);
});

test('restored in the middle', () => {
  const pattern = cab().oneOrMore().followedBy('b', is('b'));
  const first = new PatternMatcher(pattern);
  first.process('c', 1);
  first.process('a1', 2);
  const second = new PatternMatcher(pattern);
  expect(second.restore(JSON.parse(JSON.stringify(first.export())) as ReturnType<typeof first.export>)).toBe(
    true,
  );
  expect(second.process('b', 3)).toEqual([
    {
      events: { c: ['c'], a: ['a1'], b: ['b'] },
      sequence: ['c', 'a1', 'b'],
      start: 1,
      end: 3,
      timestamp: 3,
    },
  ]);
});
