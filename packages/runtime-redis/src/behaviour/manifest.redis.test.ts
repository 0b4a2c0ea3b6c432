import { describe, expect, test } from '@jest/globals';
import { type KeyedStream, listState, type StreamEnvironment, valueState } from '@rs/core';
import { useRedis } from '@rs/redis-server/jest';
import { redisStream } from '../sink/slot/redis-stream.ts';
import { numbers, until, useJobs } from '../test-support/use-jobs.ts';

const jobs = useJobs(useRedis());
const SUM = valueState('sum', { default: () => 0 });
const LIST = listState<number>('sum');

function keyed(env: StreamEnvironment, topic: string, uid = 'by-key'): KeyedStream<string, number> {
  return env
    .fromMqTopicWithId('in', topic, 'g')
    .map(({ value }) => Number(value))
    .keyByMessageKey({ uid });
}

/** A sum by hand, whose state belongs to the operator 'sums'. */
function summing(topic: string) {
  return (env: StreamEnvironment): void => {
    const stream = keyed(env, topic);
    stream.getState(SUM);
    stream
      .process<string>(
        (_key, value, ctx, out) => {
          const sum = ctx.state(SUM);
          sum.update(sum.value() + value);
          out.collect(String(sum.value()));
        },
        { uid: 'sums' },
      )
      .addSink(redisStream('results'), { uid: 'out' });
  };
}

/** The same results, by an operator of another kind. */
function reducing(topic: string, uid: string) {
  return (env: StreamEnvironment): void => {
    keyed(env, topic)
      .reduce((a, b) => a + b, { uid })
      .map(String)
      .addSink(redisStream('results'), { uid: 'out' });
  };
}

async function run(
  define: (env: StreamEnvironment) => void,
  topic: string,
  results: number,
  config = {},
): Promise<void> {
  const { client } = await jobs.start(define, config);
  await until(`${results} results`, async () => (await jobs.results(topic)).length >= results);
  await client.stop();
}

describe('a definition that cannot go on with what is stored is refused, with all that stands in the way', () => {
  test('an operator that is gone, another kind, another number of shards', async () => {
    const topic = await jobs.topic();
    await jobs.send(topic, numbers(1));
    await run(summing(topic), topic, 1);
    const other = (env: StreamEnvironment): void => {
      const stream = keyed(env, topic, 'by-other');
      stream
        .reduce((a, b) => a + b, { uid: 'sums' })
        .map(String)
        .addSink(redisStream('results'), { uid: 'out' });
    };
    await expect(jobs.start(other, { keyedStateShardCount: 3 })).rejects.toMatchObject({
      code: 'RS_MANIFEST_MISMATCH',
      details: {
        reason: 'differences',
        differences: [
          'keyedStateShardCount is 3, but the stored state lies in 16 shards',
          "keyBy 'by-key' is gone, and nobody would read what is stored under its id",
          "'sums' is a reduce, but what is stored under its id is that of a process",
        ],
      },
    });
    // Nothing has changed: the old definition goes on.
    await jobs.send(topic, numbers(2));
    await run(summing(topic), topic, 2);
    expect(await jobs.results(topic)).toEqual(['1', '3']);
  });

  test('a state of another kind under the same name', async () => {
    const topic = await jobs.topic();
    await jobs.send(topic, numbers(1));
    await run(summing(topic), topic, 1);
    const other = (env: StreamEnvironment): void => {
      const stream = keyed(env, topic);
      stream.getListState(LIST);
      stream
        .process<string>(() => undefined, { uid: 'sums' })
        .addSink(redisStream('results'), { uid: 'out' });
    };
    await expect(jobs.start(other)).rejects.toMatchObject({
      code: 'RS_MANIFEST_MISMATCH',
      details: { differences: ["state 'sum' of keyBy 'by-key' is a list state, but was a value state"] },
    });
  });

  test('another topic, another group, an end', async () => {
    const [topic, other] = [await jobs.topic(), await jobs.topic()];
    await jobs.send(topic, numbers(1));
    await run(summing(topic), topic, 1);
    await expect(jobs.start(summing(other))).rejects.toMatchObject({
      details: {
        differences: [`source 'in' reads topic '${other}', but its positions are those of topic '${topic}'`],
      },
    });
  });

  test('more partitions where state is kept by key', async () => {
    const topic = await jobs.topic(2);
    await jobs.send(topic, numbers(1));
    await run(summing(topic), topic, 1);
    await jobs.mq.topics.grow(topic, { partitions: 4 });
    await expect(jobs.start(summing(topic))).rejects.toMatchObject({
      code: 'RS_MANIFEST_MISMATCH',
      message: expect.stringContaining('has 4 partitions, but state was kept with 2') as unknown,
    });
  });

  test('more partitions are fine where none is', async () => {
    const topic = await jobs.topic(2);
    const passing = (env: StreamEnvironment): void => {
      env
        .fromMqTopicWithId('in', topic, 'g')
        .map(({ value }) => String(value))
        .addSink(redisStream('results'), { uid: 'out' });
    };
    await jobs.send(
      topic,
      [1, 2, 3].map((value) => ({ key: `k${value}`, value })),
    );
    await run(passing, topic, 3);
    await jobs.mq.topics.grow(topic, { partitions: 8 });
    await jobs.send(
      topic,
      [4, 5, 6, 7, 8, 9].map((value) => ({ key: `k${value}`, value })),
    );
    await run(passing, topic, 9);
    expect((await jobs.results(topic)).sort()).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9']);
  });
});

test('what a definition adds, and states that it no longer has, need nothing', async () => {
  const topic = await jobs.topic();
  await jobs.send(topic, numbers(1));
  await run(summing(topic), topic, 1);
  const more = (env: StreamEnvironment): void => {
    summing(topic)(env);
    // Its own state begins empty.
    const stream = env.fromMqTopicWithId('in-again', topic, 'h').keyByMessageKey({ uid: 'again' });
    stream
      .process<string>(() => undefined, { uid: 'nothing' })
      .addSink(redisStream('others'), { uid: 'others' });
  };
  await jobs.send(topic, numbers(2));
  await run(more, topic, 2);
  expect(await jobs.results(topic)).toEqual(['1', '3']);
});

test('a changed definition waits for the members that run the old one; those of the same one do not', async () => {
  const topic = await jobs.topic();
  await jobs.send(topic, numbers(1));
  const old = await jobs.start(summing(topic));
  await until('the first', async () => (await jobs.results(topic)).length === 1);
  const changed = (env: StreamEnvironment): void => {
    summing(topic)(env);
    env
      .fromMqTopicWithId('more', topic, 'h')
      .keyByMessageKey({ uid: 'more-keys' })
      .process<string>(() => undefined, { uid: 'more-work' })
      .addSink(redisStream('others'), { uid: 'others' });
  };
  const second = await jobs.start(summing(topic));
  await expect(jobs.start(changed)).rejects.toMatchObject({
    code: 'RS_MANIFEST_MISMATCH',
    details: { reason: 'members', members: [expect.any(String), expect.any(String)] },
  });
  await second.client.stop();
  await old.kill();
  // One that has crashed counts as there until its lease ends.
  await expect(jobs.start(changed)).rejects.toMatchObject({ details: { reason: 'members' } });
  await until('the lease of the one that has crashed to end', async () =>
    jobs.start(changed).then(
      () => true,
      () => false,
    ),
  );
  await jobs.send(topic, numbers(2));
  await until('the second', async () => (await jobs.results(topic)).length === 2);
  expect(await jobs.results(topic)).toEqual(['1', '3']);
  // And now it is the old one that must wait.
  await expect(jobs.start(summing(topic))).rejects.toMatchObject({ code: 'RS_MANIFEST_MISMATCH' });
});

test('operators without a uid: a warning, or none with requireUids', async () => {
  const topic = await jobs.topic();
  const nameless = (env: StreamEnvironment): void => {
    env
      .fromMqTopic(topic, 'g')
      .keyByMessageKey()
      .process<string>(() => undefined)
      .addSink(() => undefined);
  };
  await expect(jobs.start(nameless, { requireUids: true })).rejects.toMatchObject({
    code: 'RS_INVALID_ARGUMENT',
    details: { operators: expect.arrayContaining([expect.stringContaining('process')]) as unknown },
  });
  await jobs.start(nameless);
  expect(jobs.log.filter(({ message }) => message.includes('without a uid'))).toHaveLength(1);
});

test('reduce as well: the same operator goes on where it was', async () => {
  const topic = await jobs.topic();
  await jobs.send(topic, numbers(1, 2));
  await run(reducing(topic, 'sums'), topic, 2);
  await jobs.send(topic, numbers(3));
  await run(reducing(topic, 'sums'), topic, 3);
  expect(await jobs.results(topic)).toEqual(['1', '3', '6']);
  await expect(jobs.start(reducing(topic, 'other'))).rejects.toMatchObject({
    details: {
      differences: [expect.stringContaining("'sums' is gone") as unknown],
    },
  });
});
