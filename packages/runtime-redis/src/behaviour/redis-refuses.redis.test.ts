import { describe, expect, test } from '@jest/globals';
import { defineJob, silentLogger } from '@rs/core';
import { useRedis } from '@rs/redis-server/jest';
import { Redis } from 'ioredis';
import { RedisStreamExecutionEnvironment } from '../environment/environment.ts';
import { redisHash } from '../sink/slot/redis-hash.ts';
import { rejectionOf } from '../test-support/coded.ts';
import { complaints, numbers, numbersOf, until, useJobs } from '../test-support/use-jobs.ts';

const server = useRedis({
  acl: [
    { user: 'allowed', password: 'secret', rules: ['~*', '+@all'] },
    { user: 'no-hset', password: 'secret', rules: ['~*', '+@all', '-hset'] },
    { user: 'no-xread', password: 'secret', rules: ['~*', '+@all', '-xread'] },
    { user: 'elsewhere', password: 'secret', rules: ['~other:*', '+@all'] },
  ],
});
const jobs = useJobs(server);

function startAs(username: string, topic: string, take: (value: number) => void = () => undefined) {
  const { host, port } = server();
  const redis = new Redis({ host, port, username, password: 'secret', lazyConnect: true });
  return RedisStreamExecutionEnvironment.create(redis, {
    jobName: jobs.jobName,
    prefix: jobs.prefix,
    lease: 1_000,
    logger: silentLogger,
  }).run(
    defineJob((env) => {
      env.fromTopic(numbersOf(topic), 'g').addSink(take, { uid: 'out' });
    }),
  );
}

describe('what the rules of the user forbid', () => {
  test('a command: with the script, the command and its keys', async () => {
    const topic = await jobs.topic();
    const { message } = await rejectionOf(startAs('no-hset', topic), 'RS_REDIS_AUTH');
    expect(message).toMatch(/^script [a-z-]+ is not allowed: /);
    expect(message).toMatch(/hset/i);
    expect(message).toContain(`${jobs.prefix}:{`);
  });

  test('a key: with its name', async () => {
    const topic = await jobs.topic();
    const { message } = await rejectionOf(startAs('elsewhere', topic), 'RS_REDIS_AUTH');
    expect(message).toContain(`${jobs.prefix}:{${topic}}:meta`);
  });

  test('to read, from one moment to the next: the job of an idle process fails, and does not stand still', async () => {
    const topic = await jobs.topic();
    const client = await startAs('allowed', topic);
    const end = rejectionOf(client.awaitTermination(), 'RS_REDIS_AUTH');
    try {
      await client.ready();
      await jobs.redis.call('ACL', 'SETUSER', 'allowed', '-xrange');
      await jobs.send(topic, numbers(1));
      expect((await end).message).toMatch(/xrange/i);
      expect(client.health().reasons).toEqual([expect.stringMatching(/^the job has failed: .*xrange/i)]);
    } finally {
      await client.cancel();
    }
  });

  test('to wait for messages: the job runs, finds them late, and its health says what is wrong', async () => {
    const topic = await jobs.topic();
    const found: number[] = [];
    const client = await startAs('no-xread', topic, (value) => found.push(value));
    try {
      for (const number of [1, 2, 3]) {
        await jobs.send(topic, numbers(number));
        await until(`${number} to be found`, () => found.includes(number));
      }
      await until('it is told', () => !client.health().ok);
      expect(client.health().reasons).toEqual([
        expect.stringMatching(/^new messages cannot be waited for, and are found late: .*xread/i),
      ]);
    } finally {
      await client.cancel();
    }
  });
});

test('no memory for a commit: told once at the first refusal, with what to do; and it goes on when there is some', async () => {
  const topic = await jobs.topic();
  await jobs.send(topic, numbers(1));
  const { client } = await jobs.start((env) => {
    env
      .fromTopic(numbersOf(topic), 'g')
      .addSink(redisHash('out', { field: String, value: String }), { uid: 'out' });
  });
  await until('the first', () => client.diagnostics().tasks[0]?.commits === 1);
  await jobs.send(topic, numbers(2));
  await until('the second', () => client.diagnostics().tasks[0]?.commits === 2);
  client.pause();
  await jobs.send(topic, numbers(3));
  try {
    await jobs.redis.config('SET', 'maxmemory', 1);
    client.resume();
    await until('it is told', () => !client.health().ok, 2_000);
    const advice =
      /raise maxmemory, or make room; it is made again until it succeeds\. .*OOM command not allowed/;
    expect(client.health().reasons).toContainEqual(expect.stringMatching(advice));
    expect(client.diagnostics().tasks[0]?.lastError?.message).toMatch(advice);
    const refused = jobs.log.filter(({ facts }) => String(facts['error']).includes('OOM'));
    expect(refused).toHaveLength(1);
    expect(complaints(jobs.log)).toHaveLength(1);
  } finally {
    await jobs.redis.config('SET', 'maxmemory', 0);
  }
  await until('the third', () => client.diagnostics().tasks[0]?.commits === 3);
  await until('all is well', () => client.health().ok);
});

describe('Redis that is away', () => {
  test.each(['frozen', 'gone'])(
    '%s: health says so within a second, and that partitions are not worked on',
    async (how) => {
      const topic = await jobs.topic();
      const { client, network } = await jobs.start((env) => {
        env.fromTopic(numbersOf(topic), 'g').addSink(() => undefined, { uid: 'out' });
      });
      expect(client.health()).toEqual({ ok: true, reasons: [] });
      if (how === 'gone') await network.close();
      else network.freeze();
      await until('health to say so', () => !client.health().ok, 1_500);
      await until('the lease to be lost', () => client.diagnostics().runnerCount === 0);
      expect(client.health().reasons).toContainEqual(
        expect.stringMatching(
          `partition 0 of topic '${topic}' is not worked on by this process: .*lease .* was lost`,
        ),
      );
      if (how === 'gone') return;
      network.cut();
      await until('it to be back', () => client.health().ok);
    },
  );
});
