import { describe, expect, test } from '@jest/globals';
import { jsonCodec, type StreamEnvironment, valueState } from '@rs/core';
import { topologyOf } from '../test-support/declared.ts';
import { compareManifests } from './compare-manifests.ts';
import { type Manifest, manifestOf, migrating, storedManifest } from './manifest.ts';

const ignore = (): undefined => undefined;

interface Variant {
  readonly topic?: string;
  readonly group?: string;
  readonly source?: string;
  readonly by?: string;
  readonly sum?: string;
  readonly sink?: string;
  readonly bounded?: boolean;
  readonly state?: ReturnType<typeof valueState<number>>;
  readonly keyed?: boolean;
  readonly more?: boolean;
}

const count = valueState<number>('count');

/** A job that counts, with whatever is different about it. */
function counting({
  topic = 'orders',
  group = 'g',
  source = 'orders',
  by = 'by',
  sum = 'sum',
  sink = 'out',
  bounded = false,
  state = count,
  keyed = true,
  more = false,
}: Variant = {}): (env: StreamEnvironment) => void {
  return (env) => {
    const messages = env.fromMqTopicWithId(source, topic, group, bounded ? { until: 'now' } : {});
    if (!keyed) {
      messages.addSink(ignore, { uid: sink });
      return;
    }
    const stream = messages.keyByMessageKey({ uid: by });
    stream.getState(state);
    const sums = stream.map(() => 1).reduce((a, b) => a + b, { uid: sum });
    sums.addSink(ignore, { uid: sink });
    if (more)
      messages
        .keyByMessageKey({ uid: 'more' })
        .map(() => 1)
        .sum(undefined, { uid: 'also' })
        .addSink(ignore);
  };
}

const manifest = (variant: Variant = {}, partitions = 4, shards = 16): Manifest =>
  manifestOf(topologyOf(counting(variant), partitions), shards);

function differences(
  before: Manifest,
  now: Manifest,
  options: { schemaMismatch?: 'fail' | 'clear' | 'ignore'; migrating?: readonly string[] } = {},
): readonly string[] {
  return compareManifests(before, now, {
    schemaMismatch: options.schemaMismatch ?? 'fail',
    migrating: new Set(options.migrating ?? []),
  });
}

describe('a manifest', () => {
  test('has what stored state depends on', () => {
    const coded = valueState<number>('count', {
      codec: { ...jsonCodec<number>(), name: 'mine' },
      schemaVersion: 2,
    });
    expect(manifest({ state: coded })).toEqual({
      version: 1,
      stateShards: 16,
      sources: { orders: { topic: 'orders', group: 'g', partitions: 4, keyed: true, bounded: false } },
      operators: {
        by: { kind: 'keyBy', states: { count: { kind: 'value', schemaVersion: 2, codec: 'mine' } } },
        out: { kind: 'sink', states: {} },
        sum: { kind: 'reduce', states: { accumulator: { kind: 'value', schemaVersion: 1 } } },
      },
    });
  });

  test('is the same text for the same job, and another one for another', () => {
    const hashes = [manifest(), manifest(), manifest({ sum: 'total' })].map(
      (each) => storedManifest(each).hash,
    );
    expect(hashes[0]).toBe(hashes[1]);
    expect(hashes[0]).not.toBe(hashes[2]);
  });

  test('leaves out what is stateless, and sinks without a uid', () => {
    const { operators } = manifestOf(
      topologyOf((env) => {
        env
          .fromMqTopic('orders', 'g')
          .map((message) => message)
          .filter(() => true)
          .addSink(ignore);
      }),
      16,
    );
    expect(operators).toEqual({});
  });
});

describe('nothing stands in the way of', () => {
  test.each<[string, Variant, Variant]>([
    ['the same', {}, {}],
    ['more operators', {}, { more: true }],
    ['state where there was none', { keyed: false, sink: 'out' }, {}],
  ])('%s', (_, before, now) => {
    expect(differences(manifest(before), manifest(now))).toEqual([]);
  });

  test('more partitions of a job that keeps nothing by key', () => {
    expect(differences(manifest({ keyed: false }, 4), manifest({ keyed: false }, 6))).toEqual([]);
  });

  test('a newer version that can read the older one', () => {
    const newer = manifest({ state: valueState<number>('count', { schemaVersion: 2 }) });
    expect(differences(manifest(), newer, { migrating: ['by:count'] })).toEqual([]);
    expect(differences(manifest(), newer, { schemaMismatch: 'clear' })).toEqual([]);
    expect(differences(newer, manifest(), { schemaMismatch: 'ignore' })).toEqual([]);
  });
});

describe('told is', () => {
  test.each<[string, Manifest, Manifest, readonly RegExp[]]>([
    [
      'a source that is gone',
      manifest(),
      manifest({ source: 'other' }),
      [/^source 'orders' is gone.*topic 'orders'.*'g'/],
    ],
    ['another topic', manifest(), manifest({ topic: 'trades' }), [/reads topic 'trades'.*topic 'orders'/]],
    ['another group', manifest(), manifest({ group: 'h' }), [/reads as group 'h'.*'g'/]],
    [
      'more partitions under keyed state',
      manifest({}, 4),
      manifest({}, 8),
      [/has 8 partitions.*kept with 4/],
    ],
    [
      'fewer partitions',
      manifest({ keyed: false }, 4),
      manifest({ keyed: false }, 2),
      [/has 2 partitions.*had 4.*anew/],
    ],
    ['an end that is new', manifest(), manifest({ bounded: true }), [/ends now/]],
    ['an end that is gone', manifest({ bounded: true }), manifest(), [/has no end any more/]],
    ['other shards', manifest({}, 4, 16), manifest({}, 4, 8), [/keyedStateShardCount is 8.*16 shards/]],
    ['a uid that is gone', manifest(), manifest({ sum: 'total' }), [/^reduce 'sum' is gone/]],
    ['a sink that is gone', manifest(), manifest({ sink: 'elsewhere' }), [/^sink 'out' is gone/]],
    [
      'another kind',
      manifest(),
      manifest({ by: 'sum', sum: 'by' }),
      [/^'by' is a reduce.*of a keyBy/, /^'sum' is a keyBy.*of a reduce/],
    ],
    [
      'a version without migrate',
      manifest(),
      manifest({ state: valueState<number>('count', { schemaVersion: 3 }) }),
      [/^state 'count' of keyBy 'by' has schemaVersion 3 and no migrate.*version 1/],
    ],
    [
      'an older version',
      manifest({ state: valueState<number>('count', { schemaVersion: 3 }) }),
      manifest(),
      [/has schemaVersion 1, but values of version 3/],
    ],
    [
      'another codec',
      manifest(),
      manifest({ state: valueState<number>('count', { codec: { ...jsonCodec<number>(), name: 'mine' } }) }),
      [/is written by the codec 'mine', but was written by the default codec/],
    ],
  ])('%s', (_, before, now, expected) => {
    expect(differences(before, now)).toEqual(expected.map((each) => expect.stringMatching(each)));
  });

  test('all of them, together', () => {
    expect(differences(manifest({}, 4, 16), manifest({ topic: 'trades', sum: 'total' }, 4, 8))).toHaveLength(
      3,
    );
  });
});

test('which states can read older versions of theirs', () => {
  const state = valueState<number>('count', { schemaVersion: 2, migrate: (old) => Number(old) });
  expect([...migrating(topologyOf(counting({ state })).graph)]).toEqual(['by:count']);
});
