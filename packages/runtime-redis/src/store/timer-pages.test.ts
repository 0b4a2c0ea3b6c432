import { describe, expect, test } from '@jest/globals';
import type { StoredTimer } from '@rs/runtime';
import fc from 'fast-check';
import { decodeTimer, memberBytes, scoreOf, timerMember } from './timer-member.ts';
import { countPerShard, mergeTimers } from './timer-pages.ts';

const timer = (time: number, key: string, namespace = ''): StoredTimer => ({ time, key, namespace });
const bytesOf = (each: StoredTimer): Buffer => Buffer.from(memberBytes(timerMember(each)) as string);

describe('a member', () => {
  test.each([
    timer(5, 's:a'),
    timer(-5, 's:a', '10'),
    timer(1_700_000_000_000, 's:é,\u001f', '5|9'),
    timer(Infinity, ''),
  ])('gives %p back', (each) => {
    expect(decodeTimer(bytesOf(each))).toEqual(each);
  });

  test.each([
    [5, '5'],
    [-1.5, '-1.5'],
    [Infinity, '+inf'],
    [-Infinity, '-inf'],
  ])('has the time %p as the score %p', (time, score) => {
    expect(scoreOf(time)).toBe(score);
  });
});

describe('a page', () => {
  const key = fc.string({
    unit: fc.constantFrom('a', 'b', '\u001e', '😀', '\ud83d', '\uffff'),
    maxLength: 3,
  });
  const timers = fc.uniqueArray(
    fc.record({ time: fc.integer({ min: -3, max: 3 }), key, namespace: fc.constantFrom('', '1', '10') }),
    {
      maxLength: 30,
      selector: (each) => JSON.stringify(each),
    },
  );

  /** As Redis orders a sorted set. */
  const inOrder = (a: StoredTimer, b: StoredTimer): number =>
    a.time - b.time || bytesOf(a).compare(bytesOf(b));

  test('is what comes first of all shards, as far as that is known', () => {
    fc.assert(
      fc.property(
        timers,
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 1, max: 4 }),
        (all, count, shards) => {
          const sorted = [...all].sort(inOrder);
          const read = Array.from({ length: shards }, (_, shard) =>
            sorted
              .filter((each) => (each.key.length + each.time + 9) % shards === shard)
              .slice(0, count)
              .map(bytesOf),
          );
          const page = mergeTimers(read, count);
          expect(page.timers).toEqual(sorted.slice(0, page.timers.length));
          expect(page.timers.length).toBeGreaterThanOrEqual(Math.min(count, all.length));
          if (!page.more) expect(page.timers).toHaveLength(all.length);
        },
      ),
      { numRuns: 500 },
    );
  });

  test.each([
    [100, 1, 100],
    [10_000, 16, 725],
    [1, 16, 2],
  ])('of %i timers on %i shards reads %i of each', (limit, shards, count) => {
    expect(countPerShard(limit, shards)).toBe(count);
  });
});
