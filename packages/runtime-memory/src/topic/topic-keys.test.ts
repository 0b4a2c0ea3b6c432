import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  type DataStream,
  type KeyedStream,
  listState,
  partitionOf,
  type StreamEnvironment,
  topic,
  valueState,
} from '@rs/core';
import { TumblingWindow } from '@rs/window';
import { MemoryTopics, type NewMessage, StreamExecutionEnvironment } from '../index.ts';
import { coded, thrownBy } from '../test-support/coded.ts';
import { type Mode, MODES, run } from '../test-support/run.ts';

const lines = topic<string>('lines');

function topicsWith(partitions: number, messages: readonly NewMessage<string>[]): MemoryTopics {
  const topics = new MemoryTopics({ clock: { now: () => 0 } });
  topics.create(lines, { partitions });
  for (const message of messages) topics.send(lines, message);
  return topics;
}

/** Runs a job over the lines that a topic holds, and gives what it makes of them. */
async function results<R>(
  mode: Mode,
  topics: MemoryTopics,
  define: (stream: DataStream<string>, env: StreamEnvironment) => DataStream<R>,
): Promise<R[]> {
  const found: R[] = [];
  await run(
    mode,
    (env) =>
      define(env.fromTopic(lines, 'test', { until: 'now' }), env).addSink(
        (result) => void found.push(result),
      ),
    { topics },
  );
  return found;
}

/** What a record, in a keyed process function with a count per key, tells: `key:count`. */
function counted(stream: DataStream<string>, colocated = false): DataStream<string> {
  const keyed = stream.keyBy((word) => word, { colocated });
  const count = keyed.getState(valueState('count', { default: () => 0 }));
  return keyed.process<string>((word, _value, _ctx, out) => {
    count.update(count.value() + 1);
    out.collect(`${word}:${count.value()}`);
  });
}

/** `word:1 … word:n` for each word, whatever the order between words. */
function countsOf(words: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return words.map((word) => {
    seen.set(word, (seen.get(word) ?? 0) + 1);
    return `${word}:${seen.get(word)}`;
  });
}

describe('keyBy', () => {
  const TEXT = 'to be or not to be that is the question whether tis nobler in the mind to suffer'.split(' ');

  describe.each([1, 8])('over %i partitions', (partitions) => {
    test.each(MODES)('counts each word once, wherever its lines are (%s)', async (mode) => {
      // The message key is the line's number, so that equal words come from all partitions.
      const messages = TEXT.map((value, n) => ({ key: `line ${n}`, value }));
      const found = await results(mode, topicsWith(partitions, messages), (stream) => counted(stream));
      expect(found.sort()).toEqual(countsOf(TEXT).sort());
    });

    test.each(MODES)('a window has one result per key (%s)', async (mode) => {
      const messages = TEXT.map((value, n) => ({ value, timestamp: n }));
      const topics = topicsWith(partitions, messages);
      const lengths = await results(mode, topics, (words) =>
        words
          .keyBy((word) => word.length)
          .window(TumblingWindow.of('1h'))
          .reduce(
            (a, b) => [a, b].sort().join(' '),
            (text, { key }) => `${key}: ${text.split(' ').sort().join(' ')}`,
          ),
      );
      const expected = new Map<number, string[]>();
      for (const word of TEXT) expected.set(word.length, [...(expected.get(word.length) ?? []), word].sort());
      expect(lengths.sort()).toEqual([...expected].map(([n, words]) => `${n}: ${words.join(' ')}`).sort());
    });
  });

  test('any messages on any number of partitions are counted as on one', async () => {
    const word = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
    const message = fc.record(
      { key: fc.string({ maxLength: 2 }), value: word, timestamp: fc.nat(50) },
      { requiredKeys: ['value'] },
    );
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 5 }), fc.array(message), async (partitions, messages) => {
        const found = await results('eager', topicsWith(partitions, messages), (stream) => counted(stream));
        expect(found.sort()).toEqual(countsOf(messages.map(({ value }) => value)).sort());
      }),
      { numRuns: 50 },
    );
  });

  test('of a keyed stream’s results moves them again', async () => {
    const messages = TEXT.map((value) => ({ value }));
    const found = await results('async', topicsWith(4, messages), (words) =>
      words
        .keyBy((word) => word)
        .sum(() => 1)
        .keyBy(() => 'all')
        .sum(() => 1),
    );
    expect(found).toEqual(TEXT.map((_word, n) => n + 1));
  });
});

describe('keyByMessageKey', () => {
  test.each(MODES)('groups by the key of the message, through what keeps it (%s)', async (mode) => {
    const messages = Array.from({ length: 40 }, (_, n) => ({ key: `user ${n % 7}`, value: `${n} ${n + 1}` }));
    const found = await results(mode, topicsWith(8, messages), (stream) =>
      stream
        .filter((line) => line !== '0 1')
        .flatMap((line) => line.split(' '))
        .map(Number)
        .keyByMessageKey()
        .process<string>((key, value, _ctx, out) => out.collect(`${key}: ${value}`)),
    );
    const expected = messages
      .slice(1)
      .flatMap(({ key, value }) => value.split(' ').map((n) => `${key}: ${n}`));
    expect(found.sort()).toEqual(expected.sort());
  });

  test('keeps the key through mapAsync', async () => {
    const messages = Array.from({ length: 40 }, (_, n) => ({ key: `user ${n % 7}`, value: String(n) }));
    const found = await results('async', topicsWith(8, messages), (stream) =>
      stream
        .mapAsync(async (value) => Promise.resolve(`${value}!`), { concurrency: 3 })
        .keyByMessageKey()
        .process<string>((key, value, _ctx, out) => out.collect(`${key}: ${value}`)),
    );
    expect(found.sort()).toEqual(messages.map(({ key, value }) => `${key}: ${value}!`).sort());
  });

  test('a message without a key fails the run', async () => {
    const topics = topicsWith(3, [
      { key: 'a', value: 'x' },
      { value: 'y', partition: 2 },
    ]);
    const failed = results('async', topics, (stream) => stream.keyByMessageKey().reduce((a) => a));
    await expect(failed).rejects.toThrow(coded('RS_INVALID_KEY'));
    await expect(failed).rejects.toThrow('a message in partition 2 has no key');
  });

  test('a message that was sent to another partition than its key’s fails the run', () => {
    const home = partitionOf('ada', 4);
    const away = (home + 1) % 4;
    const env = StreamExecutionEnvironment.getExecutionEnvironment({
      topics: topicsWith(4, [{ key: 'ada', value: 'x', partition: away }]),
    });
    const keyed = env.fromTopic(lines, 'test', { until: 'now' }).keyByMessageKey({ uid: 'by-user' });
    const error = thrownBy(() => keyed.reduce((a) => a).addSink(() => undefined), 'RS_NOT_COLOCATED');
    expect(error.message).toContain(
      `keyBy 'by-user': the key "ada" belongs to partition ${home} of 4, but a record with it is in partition ${away}`,
    );
    expect(error.details).toEqual({
      operator: "keyBy 'by-user'",
      key: 'ada',
      belongsTo: home,
      foundIn: away,
      partitions: 4,
    });
  });

  test('a union of topics needs equal numbers of partitions', async () => {
    const joined = (stream: DataStream<string>, env: StreamEnvironment) =>
      env
        .fromTopic(topic<string>('more'), 'test', { until: 'now' })
        .union(stream)
        .keyByMessageKey({ uid: 'by-user' })
        .reduce((a, b) => `${a}${b}`);
    const topics = topicsWith(4, [
      { key: 'a', value: '1' },
      { key: 'b', value: '2' },
    ]);
    topics.create('more', { partitions: 4 });
    topics.send('more', { key: 'a', value: '3' });
    const found = await results('async', topics, joined);
    expect(found.map((text) => [...text].sort().join('')).sort()).toEqual(
      expect.arrayContaining(['13', '2']),
    );

    const uneven = topicsWith(4, []);
    uneven.create('more', { partitions: 2 });
    const failed = results('async', uneven, joined);
    await expect(failed).rejects.toThrow(coded('RS_NOT_COPARTITIONED'));
    await expect(failed).rejects.toThrow(
      "source 'more' has 2 partitions and source 'lines' has 4 partitions",
    );
  });

  test('a union of uneven topics is no matter to keyBy', async () => {
    const topics = topicsWith(
      4,
      ['a', 'b', 'a', 'c'].map((value) => ({ value })),
    );
    topics.create('more', { partitions: 3 });
    for (const value of ['a', 'c', 'd']) topics.send('more', { value });
    const found = await results('async', topics, (stream, env) =>
      counted(stream.union(env.fromTopic(topic<string>('more'), 'test', { until: 'now' }))),
    );
    expect(found.sort()).toEqual(['a:1', 'a:2', 'a:3', 'b:1', 'c:1', 'c:2', 'd:1']);
  });
});

describe('connected streams', () => {
  const more = topic<string>('more');
  const byFirst = (text: string) => text.slice(0, 1);

  /** Pairs each line with the ones of the other topic that have come before it and have its key. */
  const paired = (left: KeyedStream<string, string>, right: KeyedStream<string, string>) => {
    const both = left.connect(right, { uid: 'both' });
    const lefts = both.getListState(listState<string>('lefts'));
    const rights = both.getListState(listState<string>('rights'));
    return both.process<string>({
      processElement1: (_key, value, _ctx, out) => {
        lefts.add(value);
        for (const other of rights.get()) out.collect(`${value} ${other}`);
      },
      processElement2: (_key, value, _ctx, out) => {
        rights.add(value);
        for (const other of lefts.get()) out.collect(`${other} ${value}`);
      },
    });
  };

  function twoTopics(partitions: number): MemoryTopics {
    const topics = topicsWith(
      4,
      ['a1', 'b2', 'a3', 'c4'].map((value) => ({ key: byFirst(value), value })),
    );
    topics.create(more, { partitions });
    for (const value of ['a5', 'b6', 'd7', 'c8']) topics.send(more, { key: byFirst(value), value });
    return topics;
  }

  const EXPECTED = ['a1 a5', 'a3 a5', 'b2 b6', 'c4 c8'];

  test.each(MODES)('meet by message key in topics with equal numbers of partitions (%s)', async (mode) => {
    const found = await results(mode, twoTopics(4), (stream, env) =>
      paired(stream.keyByMessageKey(), env.fromTopic(more, 'test', { until: 'now' }).keyByMessageKey()),
    );
    expect(found.sort()).toEqual(EXPECTED);
  });

  test.each([1, 2, 4, 7])(
    'a keyBy goes where the messages of the other stream are (%i partitions)',
    async (n) => {
      const found = await results('async', twoTopics(n), (stream, env) =>
        paired(stream.keyBy(byFirst), env.fromTopic(more, 'test', { until: 'now' }).keyByMessageKey()),
      );
      expect(found.sort()).toEqual(EXPECTED);
    },
  );

  test('uneven topics are refused by message key, and no matter to keyBy', async () => {
    const failed = results('async', twoTopics(3), (stream, env) =>
      paired(stream.keyByMessageKey(), env.fromTopic(more, 'test', { until: 'now' }).keyByMessageKey()),
    );
    await expect(failed).rejects.toThrow(coded('RS_NOT_COPARTITIONED'));
    const found = await results('async', twoTopics(3), (stream, env) =>
      paired(stream.keyBy(byFirst), env.fromTopic(more, 'test', { until: 'now' }).keyBy(byFirst)),
    );
    expect(found.sort()).toEqual(EXPECTED);
  });
});

describe('colocated', () => {
  const words = ['a', 'b', 'c', 'a', 'b', 'a'];

  test.each(MODES)('counts what is in the partition of its key already (%s)', async (mode) => {
    const topics = topicsWith(
      8,
      words.map((value) => ({ key: value, value })),
    );
    const found = await results(mode, topics, (stream) => counted(stream, true));
    expect(found.sort()).toEqual(countsOf(words).sort());
  });

  test('keys that are no texts are placed by their text', async () => {
    const topics = topicsWith(
      8,
      [1, 2, 3, 1].map((n) => ({ key: String(n), value: String(n) })),
    );
    const found = await results('async', topics, (stream) =>
      stream
        .map(Number)
        .keyBy((n) => n, { colocated: true })
        .sum(),
    );
    expect(found.sort()).toEqual([1, 2, 2, 3]);
  });

  test('fails the run on the first record that is not', async () => {
    const home = partitionOf('b', 8);
    const topics = topicsWith(8, [
      { key: 'a', value: 'a' },
      { value: 'b', partition: (home + 3) % 8 },
    ]);
    const failed = results('async', topics, (stream) => counted(stream, true));
    await expect(failed).rejects.toThrow(coded('RS_NOT_COLOCATED'));
    await expect(failed).rejects.toThrow(
      `the key "b" belongs to partition ${home} of 8, but a record with it is in partition ${(home + 3) % 8}; leave out`,
    );
  });

  test('is always so on one partition', async () => {
    const found = await results(
      'eager',
      topicsWith(
        1,
        words.map((value) => ({ value })),
      ),
      (stream) => counted(stream, true),
    );
    expect(found).toEqual(countsOf(words));
  });
});
