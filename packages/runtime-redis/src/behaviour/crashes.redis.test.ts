import { describe, expect, test } from '@jest/globals';
import { type StreamEnvironment, valueState } from '@rs/core';
import { useRedis } from '@rs/redis-server/jest';
import { redisStream } from '../sink/slot/redis-stream.ts';
import { Door } from '../test-support/door.ts';
import { numbers, until, useJobs } from '../test-support/use-jobs.ts';

const jobs = useJobs(useRedis());
const SUM = valueState('sum', { default: () => 0 });

/** A sum over everything, whose results are part of the commit. `before` is called for each record. */
function summing(topic: string, before: (value: number) => unknown = () => undefined) {
  return (env: StreamEnvironment): void => {
    env
      .fromMqTopicWithId('numbers', topic, 'g')
      .map(({ value }) => value as number)
      .keyBy(() => 'all', { uid: 'by-nothing' })
      .process<number>(
        {
          open: (ctx) => void ctx.state(SUM),
          async processElement(_key, value, ctx, out) {
            await before(value);
            const sum = ctx.state(SUM);
            sum.update(sum.value() + value);
            out.collect(sum.value());
          },
        },
        { uid: 'sums' },
      )
      .addSink(redisStream('sums', { fields: (sum) => ({ sum: String(sum) }) }), { uid: 'out' });
  };
}

/** What is in the sink, in its order. */
async function sums(topic: string): Promise<number[]> {
  const entries = await jobs.redis.xrange(`${jobs.prefix}:{${topic}#0}:p0:k:${jobs.jobName}:sums`, '-', '+');
  return entries.map(([, fields]) => Number(fields[1]));
}

test('a process that dies in the middle of a batch: another one goes on within the lease, and nothing counts twice', async () => {
  const topic = await jobs.topic();
  const door = new Door();
  await jobs.send(topic, numbers(1, 2));
  const first = await jobs.start(summing(topic, (value) => (value === 3 ? door.opened : undefined)));
  await until('the first two', async () => (await sums(topic)).length === 2);
  await jobs.send(topic, numbers(3, 4));
  await until('the third is under way', () => first.client.inFlight() > 0);
  await first.kill();
  const second = await jobs.start(summing(topic));
  await until('the rest', async () => (await sums(topic)).length === 4);
  expect(await sums(topic)).toEqual([1, 3, 6, 10]);
  door.open(); // The first goes on, and finds that nobody wants to know.
  await until('the first has noticed', () => first.client.diagnostics().runnerCount === 0);
  expect(await sums(topic)).toEqual([1, 3, 6, 10]);
  expect(second.client.diagnostics().tasks[0]).toMatchObject({ epoch: 2, deadLetters: 0 });
});

test('a process that was cut off comes back as a stranger: what it had under way changes nothing', async () => {
  const topic = await jobs.topic();
  const door = new Door();
  await jobs.send(topic, numbers(1));
  const first = await jobs.start(summing(topic, () => door.opened));
  await until('it is under way', () => first.client.inFlight() > 0);
  first.network.set({ kind: 'refuse' });
  first.network.cut();
  const second = await jobs.start(summing(topic));
  await until('the second has it', async () => (await sums(topic)).length === 1);
  first.network.heal();
  door.open();
  await jobs.send(topic, numbers(2, 3));
  await until('all', async () => (await sums(topic)).length === 3);
  expect(await sums(topic)).toEqual([1, 3, 6]);
  await second.client.stop();
  await jobs.send(topic, numbers(4));
  await until('the first is of use again', async () => (await sums(topic)).length === 4);
  expect(await sums(topic)).toEqual([1, 3, 6, 10]);
});

test('lost replies and connections: every commit is made once', async () => {
  const topic = await jobs.topic();
  const { network } = await jobs.start(summing(topic), { batch: { records: 2 } });
  const all = Array.from({ length: 60 }, (_unused, n) => n + 1);
  for (const value of all) {
    await jobs.send(topic, numbers(value));
    if (value % 5 === 0) network.loseNextReply();
    if (value % 13 === 0) network.cut();
  }
  await until('all', async () => (await sums(topic)).length === all.length, 20_000);
  expect(await sums(topic)).toEqual(all.map((value) => (value * (value + 1)) / 2));
});

test('a script cache that is emptied changes nothing', async () => {
  const topic = await jobs.topic();
  await jobs.start(summing(topic));
  for (const value of [1, 2, 3, 4]) {
    await jobs.send(topic, numbers(value));
    await until(`sum ${value}`, async () => (await sums(topic)).length === value);
    await jobs.redis.script('FLUSH');
  }
  expect(await sums(topic)).toEqual([1, 3, 6, 10]);
});

describe('a record that kills its process', () => {
  test('is found out and becomes a dead letter, and those around it count once', async () => {
    const topic = await jobs.topic();
    const config = { maxDeliveries: 4, lease: 500 };
    await jobs.send(topic, numbers(1, 2, 3, 4, 5));
    const never = new Door();
    let deaths = 0;
    for (; deaths < 10; deaths++) {
      let dying = false;
      const process = await jobs.start(
        summing(topic, (value) => {
          if (value !== 3) return undefined;
          dying = true;
          return never.opened;
        }),
        config,
      );
      await until('it dies or is through', async () => dying || (await sums(topic)).length === 4);
      if (!dying) break;
      await process.kill();
    }
    // The first two, in the middle of a batch, might be anybody's; one of them counts.
    expect(deaths).toBe(5);
    expect(await sums(topic)).toEqual([1, 3, 7, 12]);
    const letters = [];
    for await (const letter of jobs.mq.deadLetters(topic).list()) letters.push(letter);
    expect(letters).toMatchObject([{ reason: 'crashed', attempts: 4 }]);
    await expect(letters[0]?.decode()).resolves.toMatchObject({ value: 3 });
    never.open();
  });
});
