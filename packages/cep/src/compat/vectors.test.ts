import { expect, test } from '@jest/globals';
import type { PatternSequence } from './pattern-sequence.ts';
import { is, letter, seen } from './test-support/letters.ts';

/** `{a b} {a}` with the matches in any order. */
const sorted = (matches: string): string[] => (matches.match(/\{[^}]*\}/g) ?? []).sort();

const relaxedLoop = () => letter('c').followedBy('a', is('a')).oneOrMore().followedBy('b', is('b'));
const aThenB = () => letter('a').followedBy('b', is('b'));

test.each<[string, PatternSequence<string>, string, string]>([
  ['C1 next', letter('a').next('b', is('b')), 'a x b1 b2', ''],
  ['C1 followedBy', aThenB(), 'a x b1 b2', '{a b1}'],
  ['C1 followedByAny', letter('a').followedByAny('b', is('b')), 'a x b1 b2', '{a b1} {a b2}'],
  ['C2', relaxedLoop(), 'c a1 a2 x a3 b', '{c a1 b} {c a1 a2 b} {c a1 a2 a3 b}'],
  ['C3', letter('a').oneOrMore().followedBy('b', is('b')), 'a1 x a2 b', '{a1 a2 b} {a1 b}'],
  ['C4 a{3}', letter('a').times(3), 'a1 a2 a3 a4', '{a1 a2 a3}'],
  ['C4 a{2,3}', letter('a').times(2, 3), 'a1 a2 a3 a4', '{a1 a2} {a1 a2 a3}'],
  ['C5 a b? c', aThenB().optional().followedBy('c', is('c')), 'a b c', '{a b c}'],
  ['C5 a b?', aThenB().optional(), 'a x b', '{a b}'],
  ['C5 a* b', letter('a').zeroOrMore().followedBy('b', is('b')), 'a1 a2 b', '{a1 a2 b} {a1 b}'],
  ['C5 a next b? c', letter('a').next('b', is('b')).optional().followedBy('c', is('c')), 'a x c', ''],
  [
    'C6',
    letter('c').followedBy('a', is('a')).zeroOrMore().followedBy('d', is('d')),
    'c a1 x a2 d',
    '{c a1 a2 d} {c a1 d}',
  ],
  ['C9 at the end of within', aThenB().within(10), 'a@0 b@10', '{a b}'],
  ['C9 behind it', aThenB().within(10), 'a@0 b@11', ''],
  ['a followedBy b', aThenB(), 'a1 a2 b1 b2', '{a1 b1} {a2 b1}'],
  ['the same condition twice', letter('x').next('again', is('x')), 'x1 x2 x3', '{x1 x2}'],
])('section 6: %s', (_name, sequence, input, expected) => {
  expect(sorted(seen(sequence, input).matches)).toEqual(sorted(expected));
});

test('section 6: followedByAny leaves one partial match', () => {
  expect(seen(letter('a').followedByAny('b', is('b')), 'a x b1 b2').partials).toBe(1);
});

test.each<[string, PatternSequence<string>, string, string, number]>([
  ['Q1: what goes on begins nothing', letter('a').times(3), 'a1 a2 a3 a4', '{a1 a2 a3}', 1],
  ['Q1: also where a match ends', letter('x').next('again', is('x')), 'x1 x2 x3', '{x1 x2}', 1],
  [
    'Q2: an optional step that can take is not skipped',
    aThenB().optional().followedBy('c', is('c')),
    'a b c',
    '{a b c}',
    0,
  ],
  ['Q3: an optional step at the end is waited for', aThenB().optional(), 'a x', '', 1],
  ['Q3: and is over with its event', aThenB().optional(), 'a x b', '{a b}', 0],
  [
    'Q4: relaxed into the loop and in it',
    relaxedLoop(),
    'c a1 a2 x a3 b',
    '{c a1 a2 a3 b} {c a1 a2 b} {c a1 b}',
    1,
  ],
  [
    'Q4: strict into the loop and in it',
    letter('c').next('a', is('a')).oneOrMore().followedBy('b', is('b')),
    'c a1 a2 x a3 b',
    '{c a1 a2 b} {c a1 b}',
    0,
  ],
  [
    'Q5: a strict step is waited for even when it is optional',
    letter('a').next('b', is('b')).optional().followedBy('c', is('c')),
    'a x c',
    '',
    0,
  ],
  [
    'Q6: a strict step behind an optional relaxed one is relaxed',
    aThenB().optional().next('c', is('c')),
    'a x c',
    '{a c}',
    0,
  ],
  ['Q7: a loop stays', letter('a').oneOrMore().followedBy('b', is('b')), 'a b', '{a b}', 1],
  [
    'Q7: and takes later events',
    letter('a').oneOrMore().followedBy('b', is('b')),
    'a1 b1 a2 b2',
    '{a1 b1} {a1 a2 b2}',
    1,
  ],
  [
    'Q8: a loop with anything between multiplies',
    letter('a').followedByAny('b', is('b')).times(2),
    'a b1 b2 b3',
    '{a b1 b2} {a b1 b3} {a b2 b3}',
    4,
  ],
  ['Q9: within is inclusive', aThenB().within(10), 'a@0 b@10', '{a b}', 0],
  ['Q9: one millisecond more is outside', aThenB().within(10), 'a@0 b@11', '', 0],
  ['Q10: events count in the order of their coming', letter('a').next('b', is('b')), 'b@3 a@1', '', 1],
  ['Q10: time goes back without an error', aThenB().within(10), 'a@5 b@1', '{a b}', 0],
  ['Q10: nothing ends before an event comes', aThenB().within(10), 'a@0', '', 1],
  ['Q11: what is over goes silently', aThenB().within(10), 'a@0 x@20', '', 0],
  [
    'a step of {0,0} refuses what it meets, and everything else passes it',
    letter('a').followedBy('b', is('b')).times(0, 0).followedBy('c', is('c')),
    'a b c',
    '{a c}',
    0,
  ],
  ['a {0,0} at the end is never over', aThenB().times(0, 0), 'a b x', '', 1],
  [
    'only optional steps begin nothing without an event',
    letter('a').optional().followedBy('b', is('b')).optional(),
    'x y',
    '',
    0,
  ],
])('%s', (_name, sequence, input, matches, partials) => {
  expect(seen(sequence, input)).toEqual({ matches, partials });
});

test('Q4: anything into the loop and in it gives seven matches', () => {
  const sequence = letter('c').followedByAny('a', is('a')).oneOrMore().followedBy('b', is('b'));
  expect(sorted(seen(sequence, 'c a1 a2 x a3 b').matches)).toEqual(
    sorted('{c a1 a2 a3 b} {c a1 a2 b} {c a1 a3 b} {c a1 b} {c a2 a3 b} {c a2 b} {c a3 b}'),
  );
});
