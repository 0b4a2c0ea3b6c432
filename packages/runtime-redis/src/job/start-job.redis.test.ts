import { describe, expect, test } from '@jest/globals';
import { defineJob, type StreamEnvironment, valueState } from '@rs/core';
import { TopicKeys } from '@rs/redis';
import { useRedis } from '@rs/redis-server/jest';
import { Redis } from 'ioredis';
import { RedisStreamExecutionEnvironment } from '../environment/environment.ts';
import { JobKeys } from '../keys/job-keys.ts';
import { coded, rejectionOf } from '../test-support/coded.ts';
import { numbers, numbersOf, until, useJobs } from '../test-support/use-jobs.ts';

const server = useRedis();
const jobs = useJobs(server);

const ignore = (): undefined => undefined;

/** A job that counts the messages of each key. */
const counting =
  (topic: string, uid = 'count', more: { group?: string; schemaVersion?: number } = {}) =>
  (env: StreamEnvironment): void => {
    const { group = 'g', schemaVersion = 1 } = more;
    const keyed = env.fromMqTopicWithId('numbers', topic, group).keyByMessageKey({ uid: 'by' });
    keyed.getState(valueState<number>('last', { schemaVersion }));
    keyed
      .map(() => 1)
      .sum(undefined, { uid })
      .addSink(ignore, { uid: 'sink' });
  };

/** Members that are there, as Redis sees it. */
const members = (): Promise<string[]> =>
  jobs.redis.hkeys(new JobKeys({ prefix: jobs.prefix, job: jobs.jobName }).members);

describe('refused, and nothing is left behind', () => {
  test('a topic that does not exist', async () => {
    await expect(jobs.start(counting('nowhere'))).rejects.toEqual(coded('RS_UNKNOWN_TOPIC'));
    expect(await members()).toEqual([]);
  });

  test('what cannot be run, with the operator', async () => {
    const topic = await jobs.topic(2);
    const error = await rejectionOf(
      jobs.start((env) =>
        env
          .fromTopic(numbersOf(topic), 'g')
          .keyBy((n) => n, { uid: 'spread' })
          .sum((n) => n)
          .addSink(ignore),
      ),
      'RS_UNSUPPORTED',
    );
    expect(error.details).toMatchObject({ operator: "keyBy 'spread'" });
  });

  test('ids of a partition that the topic has not', async () => {
    const topic = await jobs.topic(2);
    await expect(
      jobs.start((env) => env.fromMqTopic(topic, 'g', { until: { 2: '1-0' } }).addSink(ignore)),
    ).rejects.toThrow('until names partition 2');
  });

  test('operators without a uid, where that is wanted', async () => {
    const topic = await jobs.topic();
    const define = (env: StreamEnvironment) => env.fromMqTopic(topic, 'g').addSink(ignore);
    await expect(jobs.start(define, { requireUids: true })).rejects.toEqual(coded('RS_INVALID_ARGUMENT'));
    await jobs.start(define);
    expect(jobs.log.filter(({ message }) => message.includes('without a uid'))).toHaveLength(1);
  });

  test('a group in which a consumer is, until it is gone', async () => {
    const topic = await jobs.topic();
    const consumer = jobs.mq.consumer({ group: 'g' });
    consumer.subscribe(topic, () => undefined);
    await consumer.start();
    const error = await rejectionOf(jobs.start(counting(topic)), 'RS_GROUP_IN_USE');
    expect(error.details).toMatchObject({ topic, group: 'g', members: [expect.any(String)] });
    await consumer.close();
    const { client } = await jobs.start(counting(topic));
    await client.ready();

    const late = jobs.mq.consumer({ group: 'g' });
    late.subscribe(topic, () => undefined);
    await expect(late.start()).rejects.toEqual(coded('RS_GROUP_OF_JOB'));
    await late.close();
  });

  test('a group of another job', async () => {
    const topic = await jobs.topic();
    await jobs.start(counting(topic), { jobName: 'first' });
    await expect(jobs.start(counting(topic), { jobName: 'second' })).rejects.toEqual(
      coded('RS_GROUP_OF_JOB', { details: { topic, group: 'g', job: 'first' } }),
    );
  });

  test('a signal that is aborted already, and one that comes while it starts', async () => {
    const topic = await jobs.topic();
    const redis = new Redis(server().url, { lazyConnect: true });
    const make = () =>
      RedisStreamExecutionEnvironment.create(redis, { prefix: jobs.prefix, jobName: jobs.jobName });
    const job = defineJob(counting(topic));
    await expect(make().run(job, { signal: AbortSignal.abort('enough') })).rejects.toBe('enough');
    const controller = new AbortController();
    const starting = make().run(job, { signal: controller.signal });
    controller.abort('later');
    await expect(starting).rejects.toBe('later');
    expect(await members()).toEqual([]);
  });
});

describe('a job that was started before', () => {
  test('goes on, also with more operators', async () => {
    const topic = await jobs.topic();
    const first = await jobs.start(counting(topic));
    await first.client.cancel();
    const second = await jobs.start((env) => {
      counting(topic)(env);
      env.fromMqTopicWithId('other', topic, 'h').addSink(ignore, { uid: 'other-sink' });
    });
    await second.client.ready();
  });

  test('is refused with all that does not fit', async () => {
    const topic = await jobs.topic();
    const first = await jobs.start(counting(topic, 'count'));
    await first.client.cancel();
    const error = await rejectionOf(
      jobs.start(counting(topic, 'total', { schemaVersion: 2 }), { keyedStateShardCount: 4 }),
      'RS_MANIFEST_MISMATCH',
    );
    expect(error.details['differences']).toEqual([
      expect.stringMatching(/keyedStateShardCount is 4/),
      expect.stringMatching(/schemaVersion 2 and no migrate/),
      expect.stringMatching(/^sum 'count' is gone/),
    ]);
    expect(await members()).toEqual([]);
    // What it was is untouched.
    const again = await jobs.start(counting(topic, 'count'));
    await again.client.ready();
  });

  test('is not changed while processes run it as it was', async () => {
    const topic = await jobs.topic();
    const first = await jobs.start(counting(topic));
    const more = (env: StreamEnvironment): void => {
      counting(topic)(env);
      env.fromMqTopicWithId('other', topic, 'h').addSink(ignore);
    };
    const error = await rejectionOf(jobs.start(more), 'RS_MANIFEST_MISMATCH');
    expect(error.details).toMatchObject({ reason: 'members', members: [first.client.jobInstanceId] });
    await first.client.cancel();
    await jobs.start(more);
  });

  test('by another definition, ends in a process that was out of touch meanwhile', async () => {
    const topic = await jobs.topic();
    const first = await jobs.start(counting(topic));
    await first.client.ready();
    await jobs.redis.hset(
      new JobKeys({ prefix: jobs.prefix, job: jobs.jobName }).manifest,
      'hash',
      'another',
    );
    await expect(first.client.awaitTermination('10s')).rejects.toEqual(coded('RS_MANIFEST_MISMATCH'));
    expect([first.client.state, first.client.health().ok]).toEqual(['failed', false]);
  });
});

describe('a bounded job', () => {
  test('finishes in every process when all that there was has been processed, and starting it again returns at once', async () => {
    const topic = await jobs.topic(3);
    const results: number[] = [];
    const bounded = (env: StreamEnvironment): void => {
      env
        .fromMqTopicWithId('numbers', topic, 'g', { until: 'now' })
        .map(({ value }) => Number(value))
        .addSink((value) => void results.push(value), { uid: 'out' });
    };
    await jobs.send(
      topic,
      Array.from({ length: 30 }, (_, value) => ({ key: `k${value}`, value })),
    );
    const [one, two] = [await jobs.start(bounded), await jobs.start(bounded)];
    // What comes after the first start is not part of it.
    await jobs.send(topic, numbers(1_000));
    expect(await one.client.awaitTermination('20s')).toBe(true);
    expect(await two.client.awaitTermination('20s')).toBe(true);
    expect([one.client.state, two.client.state]).toEqual(['finished', 'finished']);
    expect(results.sort((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, value) => value));

    const again = await jobs.start(bounded);
    expect(await again.client.awaitTermination('5s')).toBe(true);
    expect(again.client.state).toBe('finished');
    expect(results).toHaveLength(30);
  });

  test('with ids ends at them, and reads nothing of partitions without one', async () => {
    const topic = await jobs.topic(2);
    const producer = jobs.mq.producer();
    const first = await producer.send(topic, { key: 'a', value: 1 });
    const second = await producer.send(topic, { key: 'a', value: 2 });
    await producer.send(topic, { key: 'a', value: 3 });
    const other = await producer.send(topic, { key: 'b', value: 9 });
    expect(other.partition).not.toBe(first.partition);
    const results: unknown[] = [];
    const { client } = await jobs.start((env) => {
      env
        .fromMqTopic(topic, 'g', { until: { [first.partition]: second.id } })
        .addSink(({ value }) => void results.push(value));
    });
    expect(await client.awaitTermination('20s')).toBe(true);
    expect(results).toEqual([1, 2]);
  });
});

test('the mark of a job stays on its groups, also when the job does not run', async () => {
  const topic = await jobs.topic();
  const { client } = await jobs.start(counting(topic));
  await client.cancel();
  const { meta } = new TopicKeys({ topic, shards: 1, prefix: jobs.prefix });
  expect(await jobs.redis.hget(meta, 'job:g')).toBe(jobs.jobName);
  await until('it has left', async () => (await members()).length === 0);
});
