import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { slotOf } from '../slot/slot-of.ts';
import type { PartitionKeys } from './partition-keys.ts';
import { TopicKeys, topicsKey } from './topic-keys.ts';

/** Every key of a partition with what it is for, so that two uses of one key can be told apart. */
function usesOf(
  keys: PartitionKeys,
  groups: readonly string[],
  requests: readonly string[],
): [string, string][] {
  const { log, holds, producers, sources, deadLetters } = keys;
  return [
    ...Object.entries({ log, holds, producers, sources, deadLetters }),
    ...requests.map((id): [string, string] => [`request ${id}`, keys.request(id)]),
    ...groups.flatMap((group) =>
      Object.entries<string>({ ...keys.group(group) }).map(([use, key]): [string, string] => [
        `${use} ${group}`,
        key,
      ]),
    ),
  ];
}

test('the keys of a partition', () => {
  const keys = new TopicKeys({ topic: 'orders', shards: 4 }).partition(6);
  expect(Object.fromEntries(usesOf(keys, ['billing'], ['1700000000000-0']))).toEqual({
    log: 'rs:{orders#2}:p6',
    holds: 'rs:{orders#2}:p6:holds',
    producers: 'rs:{orders#2}:p6:pid',
    sources: 'rs:{orders#2}:p6:src',
    deadLetters: 'rs:{orders#2}:p6:dlq',
    'request 1700000000000-0': 'rs:{orders#2}:p6:rq:1700000000000-0',
    'lease billing': 'rs:{orders#2}:p6:g:billing',
    'retries billing': 'rs:{orders#2}:p6:r:billing',
    'attempts billing': 'rs:{orders#2}:p6:a:billing',
    'redelivery billing': 'rs:{orders#2}:p6:rd:billing',
  });
});

test('the keys of a topic, and of all topics', () => {
  const keys = new TopicKeys({ topic: 'orders', shards: 1, prefix: 'app:eu' });
  expect(keys.meta).toBe('app:eu:{orders}:meta');
  expect(keys.members('billing')).toBe('app:eu:{orders}:m:billing');
  expect(keys.partition(3).log).toBe('app:eu:{orders#0}:p3');
  expect(topicsKey('app:eu')).toBe('app:eu:topics');
  expect(topicsKey()).toBe('rs:topics');
});

test('are built once', () => {
  const keys = new TopicKeys({ topic: 't', shards: 2 });
  expect(keys.partition(1)).toBe(keys.partition(1));
  expect(keys.partition(1).group('g')).toBe(keys.partition(1).group('g'));
});

describe('refused', () => {
  test.each(['a{b', 'a}b', '{x}y', '', 'a:b', 't*', 'a\nb', 'x'.repeat(129), 'a#1', 'é', null])(
    'name %p',
    (name) => {
      const keys = new TopicKeys({ topic: 't', shards: 1 });
      const refusal = expect.objectContaining({ code: 'RS_INVALID_NAME' });
      expect(() => new TopicKeys({ topic: name as string, shards: 1 })).toThrow(refusal);
      expect(() => keys.members(name as string)).toThrow(refusal);
      expect(() => keys.partition(0).group(name as string)).toThrow(refusal);
      expect(() => keys.partition(0).request(name as string)).toThrow(refusal);
    },
  );

  test.each(['', '{a}', 'a b', 'x'.repeat(65), 7])('prefix %p', (prefix) => {
    const refusal = expect.objectContaining({ code: 'RS_INVALID_NAME' });
    expect(() => new TopicKeys({ topic: 't', shards: 1, prefix: prefix as string })).toThrow(refusal);
    expect(() => topicsKey(prefix as string)).toThrow(refusal);
  });

  test.each([-1, 0.5, NaN, '0', Infinity])('partition %p, and as many shards', (count) => {
    const refusal = expect.objectContaining({ code: 'RS_INVALID_ARGUMENT' });
    expect(() => new TopicKeys({ topic: 't', shards: 1 }).partition(count as number)).toThrow(refusal);
    expect(() => new TopicKeys({ topic: 't', shards: count as number })).toThrow(refusal);
    expect(() => new TopicKeys({ topic: 't', shards: 0 })).toThrow(refusal);
  });
});

describe('properties', () => {
  // Names that look like the parts of keys are the ones that could meet.
  const name = fc.oneof(
    fc.constantFrom(
      'g',
      'r',
      'a',
      'rd',
      'rq',
      'p1',
      'dlq',
      'pid',
      'src',
      'meta',
      'topics',
      'rs',
      'm',
      'holds',
    ),
    fc.stringMatching(/^[A-Za-z0-9._-]{1,12}$/),
  );
  const prefix = fc.oneof(
    fc.constantFrom('rs', 'rs:rs', 'a:topics'),
    fc.stringMatching(/^[A-Za-z0-9._:-]{1,8}$/),
  );
  const names = fc.uniqueArray(name, { minLength: 1, maxLength: 3 });

  test('two uses never share a key', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(prefix, { minLength: 1, maxLength: 2 }),
        names,
        fc.uniqueArray(fc.nat({ max: 200 }), { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 12 }),
        names,
        (prefixes, topics, partitions, shards, groups) => {
          const uses = prefixes.flatMap((own) => [
            topicsKey(own),
            ...topics.flatMap((topic) => {
              const keys = new TopicKeys({ topic, shards, prefix: own });
              return [
                keys.meta,
                ...groups.map((group) => keys.members(group)),
                ...partitions.flatMap((p) => usesOf(keys.partition(p), groups, groups).map(([, key]) => key)),
              ];
            }),
          ]);
          expect(new Set(uses).size).toBe(uses.length);
        },
      ),
    );
  });

  test('all keys of a partition share a slot, and all partitions of a shard', () => {
    fc.assert(
      fc.property(
        prefix,
        name,
        fc.nat({ max: 1000 }),
        fc.integer({ min: 1, max: 12 }),
        names,
        (own, topic, p, shards, groups) => {
          const keys = new TopicKeys({ topic, shards, prefix: own });
          const slots = [p, p + shards].flatMap((each) =>
            usesOf(keys.partition(each), groups, groups).map(([, key]) => slotOf(key)),
          );
          expect(new Set(slots).size).toBe(1);
        },
      ),
    );
  });
});
