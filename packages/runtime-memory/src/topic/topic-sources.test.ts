import { beforeEach, describe, expect, test } from '@jest/globals';
import { defineJob, type Message, type StreamEnvironment, type SubscriptionOptions } from '@rs/core';
import { MemoryTopics, StreamExecutionEnvironment } from '../index.ts';
import { coded, thrownBy } from '../test-support/coded.ts';
import { run } from '../test-support/run.ts';
import { settle } from '../test-support/settle.ts';

let topics: MemoryTopics;

beforeEach(() => {
  topics = new MemoryTopics({ clock: { now: () => 0 } });
  topics.create('words', { partitions: 2 });
});

const send = (value: string, partition: number, timestamp = 0) =>
  topics.send('words', { value, partition, timestamp });

/** What a subscription reads, as `<partition>:<value>`. */
async function readBy(options: SubscriptionOptions, mode: 'eager' | 'async' = 'async'): Promise<string[]> {
  const read: string[] = [];
  await run(
    mode,
    (env) => env.fromMqTopic('words', 'g', options).addSink((message) => void read.push(at(message))),
    { topics },
  );
  return read;
}

const at = ({ partition, value }: Message<unknown>) => `${partition}:${String(value)}`;

/** Runs a job that waits for messages; what its sinks get is in `results`. */
function live(define: (env: StreamEnvironment, results: string[]) => void) {
  const results: string[] = [];
  const stop = new AbortController();
  const env = StreamExecutionEnvironment.getExecutionEnvironment({ topics });
  const done = env.executeAsync(
    defineJob((inner) => define(inner, results)),
    { signal: stop.signal },
  );
  return { results, stop, done };
}

describe('a record of a topic', () => {
  test('is the message, with its time', async () => {
    const sent = topics.send('words', { key: 'k', value: 'a', timestamp: 17, headers: { trace: 'x' } });
    const seen: unknown[] = [];
    await run(
      'eager',
      (env) =>
        env
          .fromMqTopic('words', 'g', { until: 'now' })
          .keyBy(({ value }) => value as string)
          .process<unknown>((_key, message, ctx, out) => out.collect([message, ctx.currentEventTime()]))
          .addSink((result) => void seen.push(result)),
      { topics },
    );
    expect(seen).toEqual([[sent, 17]]);
  });

  test('comes in the order of its partition', async () => {
    for (let n = 0; n < 600; n++) send(String(n), n % 2);
    const read = await readBy({ until: 'now' });
    expect(read).toHaveLength(600);
    for (const partition of [0, 1]) {
      const own = read.filter((one) => one.startsWith(`${partition}:`)).map((one) => Number(one.slice(2)));
      expect(own).toEqual([...own].sort((a, b) => a - b));
    }
  });
});

describe('until', () => {
  test.each(['eager', 'async'] as const)("'now' reads what is there (%s)", async (mode) => {
    send('a', 0);
    send('b', 1);
    send('c', 1);
    expect((await readBy({ until: 'now' }, mode)).sort()).toEqual(['0:a', '1:b', '1:c']);
  });

  test("'now' is the start of the run, for all partitions and topics", async () => {
    topics.create('more', { partitions: 3 });
    send('a', 0);
    const read: string[] = [];
    await run(
      'async',
      (env) =>
        env
          .fromMqTopic('words', 'g', { until: 'now' })
          .union(env.fromMqTopic('more', 'g', { until: 'now' }))
          .addSink((message) => {
            read.push(`${message.topic} ${at(message)}`);
            for (const partition of [0, 1]) send('too late', partition);
            for (const partition of [0, 1, 2]) topics.send('more', { value: 'too late', partition });
          }),
      { topics },
    );
    expect(read).toEqual(['words 0:a']);
  });

  test("'now' of an empty topic ends at once", async () => {
    expect(await readBy({ until: 'now' }, 'eager')).toEqual([]);
  });

  test('ids: up to and including them, and nothing of a partition without one', async () => {
    for (const value of ['a', 'b', 'c']) for (const partition of [0, 1]) send(value, partition);
    expect(await readBy({ until: { 1: '2-0' } }, 'eager')).toEqual(['1:a', '1:b']);
    expect(await readBy({ until: { 0: '1-7', 1: '1-0' } })).toEqual(['0:a', '1:a']);
    expect(await readBy({ until: { 0: '0-0' } })).toEqual([]);
    expect(await readBy({ until: {} })).toEqual([]);
  });

  test('an id that was not sent yet is waited for', async () => {
    const { results, done } = live((env, out) =>
      env.fromMqTopic('words', 'g', { until: { 0: '2-0' } }).addSink((message) => void out.push(at(message))),
    );
    send('a', 0);
    await settle();
    expect(results).toEqual(['0:a']);
    send('b', 0);
    send('c', 0);
    await expect(done).resolves.toMatchObject({ status: 'finished' });
    expect(results).toEqual(['0:a', '0:b']);
  });

  test('an id that was not sent yet cannot be waited for by an eager run', () => {
    const env = StreamExecutionEnvironment.getExecutionEnvironment({ topics });
    const stream = env.fromMqTopic('words', 'g', { until: { 0: '1-0' } });
    const error = thrownBy(() => stream.addSink(() => undefined), 'RS_ASYNC_IN_EAGER_RUN');
    expect(error.message).toContain("source 'words', partition 0");
  });

  test('a partition that the topic does not have is refused when the run starts', () => {
    const env = StreamExecutionEnvironment.getExecutionEnvironment({ topics });
    const stream = env.fromMqTopic('words', 'g', { until: { 1: '1-0', 2: '1-0' } });
    const error = thrownBy(() => stream.addSink(() => undefined), 'RS_INVALID_ARGUMENT');
    expect(error.message).toBe(
      "source 'words': until names partition 2, but the topic's partitions are 0 to 1",
    );
  });
});

describe('without until', () => {
  test('messages are read as they are sent, and cancelling ends it', async () => {
    send('before', 0);
    const { results, stop, done } = live((env, out) =>
      env.fromMqTopic('words', 'g').addSink((message) => void out.push(at(message))),
    );
    await settle();
    expect(results).toEqual(['0:before']);
    send('after', 1);
    await settle();
    expect(results).toEqual(['0:before', '1:after']);
    stop.abort();
    await expect(done).resolves.toMatchObject({ status: 'cancelled' });
    send('too late', 1);
    await settle();
    expect(results).toHaveLength(2);
  });

  test('a message that a sink sends is read as well', async () => {
    send('3', 0);
    const { results, stop, done } = live((env, out) =>
      env.fromMqTopic('words', 'g').addSink(({ value }) => {
        out.push(value as string);
        if (value !== '0') send(String(Number(value) - 1), Number(value) % 2);
      }),
    );
    await settle();
    expect(results).toEqual(['3', '2', '1', '0']);
    stop.abort();
    await done;
  });

  test('messages that come while a record waits for a promise are read after it', async () => {
    const { results, stop, done } = live((env, out) =>
      env
        .fromMqTopic('words', 'g')
        .map(async (message) => {
          await settle();
          return at(message);
        })
        .addSink((value) => void out.push(value)),
    );
    for (const value of ['a', 'b', 'c']) {
      send(value, 0);
      await Promise.resolve();
    }
    for (let turn = 0; turn < 8; turn++) await settle();
    expect(results).toEqual(['0:a', '0:b', '0:c']);
    stop.abort();
    await done;
  });

  test('an eager environment leaves it to executeAsync', async () => {
    const env = StreamExecutionEnvironment.getExecutionEnvironment({ topics });
    const stop = new AbortController();
    const results: string[] = [];
    send('a', 0);
    env.fromMqTopic('words', 'g').addSink((message) => {
      results.push(at(message));
      stop.abort();
    });
    expect(results).toEqual([]);
    await env.executeAsync({ signal: stop.signal });
    expect(results).toEqual(['0:a']);
  });
});

describe('runs', () => {
  test('each reads from the beginning', async () => {
    send('a', 0);
    expect(await readBy({ until: 'now' })).toEqual(['0:a']);
    send('b', 0);
    expect(await readBy({ until: 'now' })).toEqual(['0:a', '0:b']);
  });

  test('two groups read the same topic, and one group two topics', async () => {
    topics.create('more', { partitions: 1 });
    send('a', 0);
    topics.send('more', { value: 'x' });
    const read: string[] = [];
    await run(
      'async',
      (env) => {
        for (const [name, group] of [
          ['words', 'g'],
          ['words', 'h'],
          ['more', 'g'],
        ] as const)
          env
            .fromMqTopic(name, group, { until: 'now' })
            .addSink((one) => void read.push(`${group} ${at(one)}`));
      },
      { topics },
    );
    expect(read.sort()).toEqual(['g 0:a', 'g 0:x', 'h 0:a']);
  });

  test('a topic that was not created fails the run that reads it', async () => {
    await expect(
      run('async', (env) => env.fromMqTopic('order', 'g').addSink(() => undefined), { topics }),
    ).rejects.toThrow(coded('RS_UNKNOWN_TOPIC'));
    const env = StreamExecutionEnvironment.getExecutionEnvironment();
    const stream = env.fromMqTopic('late', 'g', { until: 'now' });
    env.topics.create('late', { partitions: 1 });
    env.topics.send('late', { value: 'created after the declaration' });
    expect([...stream]).toHaveLength(1);
  });

  test('an environment has topics of its own, which its jobs read too', async () => {
    const env = StreamExecutionEnvironment.getExecutionEnvironment({ clock: { now: () => 7 } });
    env.topics.create('own', { partitions: 1 });
    expect(env.topics.send('own', { value: 'x' }).timestamp).toBe(7);
    const read: unknown[] = [];
    const job = defineJob((inner) =>
      inner.fromMqTopic('own', 'g', { until: 'now' }).addSink(({ value }) => void read.push(value)),
    );
    await env.executeAsync(job);
    expect(read).toEqual(['x']);
    const other = StreamExecutionEnvironment.getExecutionEnvironment();
    await expect(other.executeAsync(job)).rejects.toThrow(coded('RS_UNKNOWN_TOPIC'));
  });

  test('what are no topics is refused', () => {
    for (const bad of [null, {}, 'orders', { create: () => undefined }]) {
      expect(() => StreamExecutionEnvironment.getExecutionEnvironment({ topics: bad as never })).toThrow(
        coded('RS_INVALID_ARGUMENT'),
      );
    }
  });

  test('a loop over a topic that ends stops reading when it is left', () => {
    for (const value of ['a', 'b', 'c']) send(value, 0);
    const env = StreamExecutionEnvironment.getExecutionEnvironment({ topics });
    const seen: string[] = [];
    for (const message of env.fromMqTopic('words', 'g', { until: 'now' })) {
      seen.push(at(message));
      if (seen.length === 2) break;
    }
    expect(seen).toEqual(['0:a', '0:b']);
  });
});
