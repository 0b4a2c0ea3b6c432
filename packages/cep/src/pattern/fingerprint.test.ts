import { expect, test } from '@jest/globals';
import { is, letter } from '../test-support/letters.ts';
import { fingerprintOf } from './fingerprint.ts';
import type { Pattern } from './pattern.ts';
import { type PatternLike } from './pattern.ts';

const b = is('b');
const base = (): Pattern<string, { a: string; b: string }, 'b'> => letter('a').followedBy('b', b);
const loop = () => base().oneOrMore();

const patterns: Readonly<Record<string, PatternLike<string, object>>> = {
  base: base(),
  'another name': letter('a').followedBy('c', b),
  'another order': letter('b').followedBy('a', b),
  'one more stage': base().followedBy('c'),
  next: letter('a').next('b', b),
  followedByAny: letter('a').followedByAny('b', b),
  'no condition': letter('a').followedBy('b'),
  optional: base().optional(),
  'times 2': base().times(2),
  'times 1 to 2': base().times(1, 2),
  loop: loop(),
  'loop, consecutive': loop().consecutive(),
  'loop, combinations': loop().allowCombinations(),
  'loop, greedy': loop().greedy(),
  'loop, until': loop().until(is('c')),
  notNext: letter('a').notNext(is('c')).followedBy('b', b),
  notFollowedBy: letter('a').notFollowedBy(is('c')).followedBy('b', b),
  'within 10': base().within(10),
  'within 20': base().within(20),
  'within 10 of each': base().within(10, 'previous-to-current'),
  'skip to next': base().skipToNext(),
  'skip past last': base().skipPastLastEvent(),
  'skip to first a': base().skipToFirst('a'),
  'skip to last a': base().skipToLast('a'),
  'skip to last b': base().skipToLast('b'),
  group: letter('a').followedBy(letter('b')).oneOrMore(),
  'group, twice': letter('a').followedBy(letter('b')).times(2),
};

test('patterns that differ in anything but code have fingerprints of their own', () => {
  const byFingerprint = new Map<string, string>();
  for (const [name, pattern] of Object.entries(patterns)) {
    const fingerprint = fingerprintOf(pattern.spec);
    expect([name, byFingerprint.get(fingerprint)]).toEqual([name, undefined]);
    byFingerprint.set(fingerprint, name);
  }
});

test('code makes no difference', () => {
  const other = letter('a').followedBy('b', (event) => event.length > 3);
  expect(fingerprintOf(other.spec)).toBe(fingerprintOf(base().spec));
});

test('stored state of today is found tomorrow', () => {
  expect(fingerprintOf(base().within(10).skipToNext().spec)).toBe('cb3e635dc98d631d');
});
