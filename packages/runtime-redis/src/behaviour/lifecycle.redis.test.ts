import { describe, expect, test } from '@jest/globals';
import { type StreamEnvironment, valueState } from '@rs/core';
import { useRedis } from '@rs/redis-server/jest';
import { redisStream } from '../sink/slot/redis-stream.ts';
import { Door } from '../test-support/door.ts';
import { complaints, type JobProcess, numbers, numbersOf, until, useJobs } from '../test-support/use-jobs.ts';

const jobs = useJobs(useRedis());
const COUNT = valueState('count', { default: () => 0 });

/** Counts the messages of each key, with a result for each; all in the commit. */
function counting(topic: string, before: () => unknown = () => undefined) {
  return (env: StreamEnvironment): void => {
    env
      .fromMqTopicWithId('source', topic, 'g')
      .keyByMessageKey({ uid: 'by-key' })
      .process<string>(
        {
          open: (ctx) => void ctx.state(COUNT),
          async processElement(key, _value, ctx, out) {
            await before();
            const count = ctx.state(COUNT);
            count.update(count.value() + 1);
            out.collect(`${key} ${count.value()}`);
          },
        },
        { uid: 'count' },
      )
      .addSink(redisStream('counts', { fields: (value) => ({ value }) }), { uid: 'out' });
  };
}

/** What the sinks of all partitions have. */
async function counts(topic: string, partitions: number): Promise<string[]> {
  const keys = Array.from(
    { length: partitions },
    (_, p) => `${jobs.prefix}:{${topic}#${p}}:p${p}:k:${jobs.jobName}:counts`,
  );
  const streams = await Promise.all(keys.map((key) => jobs.redis.xrange(key, '-', '+')));
  return streams.flat().map(([, fields]) => String(fields[1]));
}

function keyed(keys: number, each: number): { key: string; value: number }[] {
  return Array.from({ length: keys * each }, (_, n) => ({ key: `k${n % keys}`, value: n }));
}

/** Every key's counts from 1 to `each`. */
function expected(keys: number, each: number): string[] {
  return keyed(keys, each)
    .map((_, n) => `k${n % keys} ${Math.floor(n / keys) + 1}`)
    .sort();
}

function owned({ client }: JobProcess): number {
  return client.diagnostics().pipelines.flatMap(({ owned: partitions }) => partitions).length;
}

test('partitions are shared fairly, by those who come and by those who stay', async () => {
  const topic = await jobs.topic(8);
  const first = await jobs.start(counting(topic));
  await until('the first has all', () => owned(first) === 8);
  const second = await jobs.start(counting(topic));
  const third = await jobs.start(counting(topic));
  await until(
    'each has its share',
    () => [first, second, third].map(owned).sort().join() === '2,3,3'.split(',').sort().join(),
  );
  await jobs.send(topic, keyed(20, 10));
  await until('all', async () => (await counts(topic, 8)).length === 200);
  expect((await counts(topic, 8)).sort()).toEqual(expected(20, 10));
  await second.client.stop();
  await until('the others have the rest', () => owned(first) + owned(third) === 8);
  expect(Math.abs(owned(first) - owned(third))).toBe(0);
});

test('a rolling restart stops nothing, and counts nothing twice', async () => {
  const topic = await jobs.topic(8);
  let processes = [await jobs.start(counting(topic)), await jobs.start(counting(topic))];
  let sent = 0;
  for (let round = 0; round < 4; round++) {
    await jobs.send(topic, keyed(20, 5));
    sent += 100;
    const [old, ...others] = processes;
    const fresh = await jobs.start(counting(topic));
    await fresh.client.ready();
    await jobs.send(topic, keyed(20, 5));
    sent += 100;
    await old?.client.stop({ drain: round % 2 === 0 });
    processes = [...others, fresh];
  }
  await until('all', async () => (await counts(topic, 8)).length === sent);
  expect((await counts(topic, 8)).sort()).toEqual(expected(20, sent / 20));
}, 30_000);

describe('a function that never ends', () => {
  test('does not keep the partition from another process', async () => {
    const topic = await jobs.topic(2);
    const never = new Door();
    const first = await jobs.start(counting(topic, () => never.opened));
    await until('it has both', () => owned(first) === 2);
    await jobs.send(topic, [
      { key: 'a', value: 1 },
      { key: 'b', value: 1 },
    ]);
    await until('both are stuck', () => first.client.inFlight() === 2);
    const second = await jobs.start(counting(topic));
    await until('one goes on', async () => (await counts(topic, 2)).length === 1);
    expect(owned(second)).toBe(1);
  });

  test('does not keep cancel from ending in its time', async () => {
    const topic = await jobs.topic();
    const never = new Door();
    const { client } = await jobs.start(counting(topic, () => never.opened));
    await jobs.send(topic, numbers(1));
    await until('it is stuck', () => client.inFlight() === 1);
    await expect(client.cancel({ timeout: '3s' })).resolves.toEqual({ unreleased: 0, drained: false });
    expect(complaints(jobs.log)).toEqual([]);
    const second = await jobs.start(counting(topic));
    await until('another one has it at once', async () => (await counts(topic, 1)).length === 1);
    expect(second.client.diagnostics().tasks[0]).toMatchObject({ epoch: 2 });
  });
});

test('stop processes what was read and delivers what was made, and gives back the rest', async () => {
  const topic = await jobs.topic();
  const seen: number[] = [];
  const door = new Door();
  const { client } = await jobs.start((env) => {
    env
      .fromTopic(numbersOf(topic), 'g')
      .map(async (value) => {
        await door.opened;
        return value;
      })
      .addSink((value) => void seen.push(value));
  });
  await jobs.send(topic, numbers(1, 2, 3));
  await until('they are under way', () => client.inFlight() === 3);
  const stopping = client.stop();
  door.open();
  await expect(stopping).resolves.toEqual({ unreleased: 0, drained: true });
  expect(seen).toEqual([1, 2, 3]);
  expect(client.state).toBe('cancelled');
  await expect(client.awaitTermination()).resolves.toBe(true);
});

test('while it is paused nothing is processed, and the partitions stay', async () => {
  const topic = await jobs.topic();
  const { client } = await jobs.start(counting(topic));
  await jobs.send(topic, numbers(1));
  await until('the first', async () => (await counts(topic, 1)).length === 1);
  client.pause();
  expect(client.state).toBe('paused');
  await jobs.send(topic, numbers(2, 3));
  const other = await jobs.start(counting(topic));
  await until('the other one is a member', () => other.client.diagnostics().members.length === 2);
  expect(await counts(topic, 1)).toHaveLength(1);
  client.resume();
  await until('the rest', async () => (await counts(topic, 1)).length === 3);
});

describe('a sink that never takes what it is given', () => {
  const define = (topic: string, sink: (value: string) => unknown) => (env: StreamEnvironment) => {
    env
      .fromMqTopicWithId('source', topic, 'g')
      .map(({ id }) => id)
      .addSink(redisStream('counts', { fields: (value) => ({ value }) }), { uid: 'out' })
      .addSink(async (value) => void (await sink(value)), { uid: 'stuck' });
  };

  test('does not keep a lost partition from being worked on again', async () => {
    const topic = await jobs.topic();
    const never = new Door();
    const first = await jobs.start(define(topic, () => never.opened));
    await jobs.send(topic, numbers(1));
    await until('its first result is stored', async () => (await counts(topic, 1)).length === 1);
    first.network.set({ kind: 'refuse' });
    first.network.cut();
    await until('the lease is lost', () => first.client.diagnostics().runnerCount === 0);
    first.network.heal();
    await jobs.send(topic, numbers(2));
    await until('it goes on', async () => (await counts(topic, 1)).length === 2, 20_000);
  }, 40_000);

  test.each(['5s', '100ms', 0] as const)(
    'does not keep the partition from another process, which is given the same result, when the first one may take %s to stop',
    async (timeout) => {
      const topic = await jobs.topic();
      const never = new Door();
      const seen: string[] = [];
      const first = await jobs.start(
        define(topic, () => never.opened),
        { lease: '1m' },
      );
      await jobs.send(topic, numbers(1));
      await until('its first result is stored', async () => (await counts(topic, 1)).length === 1);
      await expect(first.client.stop({ timeout })).resolves.toEqual({ unreleased: 0, drained: false });
      await jobs.start(
        define(topic, (value) => seen.push(value)),
        { lease: '1m' },
      );
      await until('it is delivered', () => seen.length === 1);
      expect(await counts(topic, 1)).toEqual(seen);
      expect(complaints(jobs.log)).toEqual([]);
    },
    40_000,
  );

  test('that stops the job and waits for it ends when the time is up', async () => {
    const topic = await jobs.topic();
    let stopping: Promise<unknown> | undefined;
    const first: JobProcess = await jobs.start(
      define(topic, () => (stopping = first.client.stop({ timeout: '500ms' }))),
    );
    await jobs.send(topic, numbers(1));
    await until('it is asked to', () => stopping !== undefined);
    await expect(stopping).resolves.toEqual({ unreleased: 0, drained: false });
  });
});

test('the group of the job is there from the start, comes back when it is removed, and tells the lag while nothing moves', async () => {
  const topic = await jobs.topic();
  const { client } = await jobs.start(counting(topic));
  const log = `${jobs.prefix}:{${topic}#0}:p0`;
  const groups = async (): Promise<unknown[][]> =>
    (await jobs.redis.xinfo('GROUPS', log).catch(() => [])) as unknown[][];
  await until('the group', async () => (await groups()).length === 1);
  await jobs.send(topic, numbers(1));
  await until('it is counted', async () => (await counts(topic, 1)).length === 1);
  client.pause();
  await jobs.redis.xgroup('DESTROY', log, 'g');
  await jobs.send(topic, numbers(2, 3));
  await until('it is back, and the lag is told', async () => {
    const [group] = await groups();
    return group !== undefined && client.diagnostics().tasks[0]?.lag === 2;
  });
}, 20_000);

test('closing while Redis is away ends in its time, and complains of nothing but that', async () => {
  const topic = await jobs.topic();
  const { client, network } = await jobs.start(counting(topic), { lease: '1m' });
  await jobs.send(topic, numbers(1));
  await until('it is counted', async () => (await counts(topic, 1)).length === 1);
  network.set({ kind: 'refuse' });
  network.cut();
  expect(await client.close({ timeout: '300ms' })).toEqual({ unreleased: 1, drained: true });
  expect(complaints(jobs.log)).toContain('what was held could not be given back; it ends by itself');
  expect(complaints(jobs.log).filter((text) => text.includes('partition'))).toEqual([]);
});
