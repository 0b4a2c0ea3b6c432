import { afterEach, describe, expect, test } from '@jest/globals';
import { type RedisClient, TopicKeys, createRedisClient } from '@rs/redis';
import { useRedis } from '@rs/redis-server/jest';
import { Redis } from 'ioredis';
import { PartitionScripts, text } from '../consumer/partition/partition-scripts.ts';
import { RETRY, die, fails, handle, listed, total } from '../test-support/dead-letters.ts';
import { Door, until } from '../test-support/until.ts';
import { useMq } from '../test-support/use-mq.ts';

const redis = useRedis();
const bench = useMq(redis);
const clients: RedisClient[] = [];
afterEach(() => Promise.all(clients.splice(0).map((client) => client.close())));

/** The scripts of an owner of partition 0, for doing by hand what an owner does. */
function owner(topic: string, group = 'billing'): PartitionScripts {
  const client = createRedisClient(new Redis(redis().url, { lazyConnect: true }));
  clients.push(client);
  const { log: stream, holds, deadLetters: dead, group: keysOf } = bench.keys(topic);
  const { lease, retries, attempts, redelivery } = keysOf.call(bench.keys(topic), group);
  const keys = { stream, holds, dead, lease, retries, attempts, redelivery };
  return new PartitionScripts(client, { topic, partition: 0, group, tag: '', keys });
}

/** Two owners that went without a word, the last one with the token `ghost`: enough for suspicion. */
async function haunt(topic: string): Promise<void> {
  for (const token of ['first', 'ghost']) {
    await until(`${token} to own the partition`, async () => {
      const reply = await owner(topic).acquire({ token, owner: token, ttl: 1, from: '0-0' });
      return reply.type === 'acquired';
    });
  }
}

describe('a replayed message in the hands of consumers', () => {
  test('counts among the messages in flight', async () => {
    const topic = await bench.topic();
    const mq = bench.mq();
    await die(mq, topic, 5);
    await mq.deadLetters(topic).replay({ group: 'billing' });
    await mq.producer().sendBatch(
      topic,
      [5, 6, 7, 8, 9].map((value) => ({ value })),
    );
    let most = 0;
    const { consumer, calls } = await handle(
      mq,
      topic,
      () => {
        most = Math.max(most, ...consumerStatus().map(({ inFlight }) => inFlight));
      },
      { maxInFlight: 1 },
    );
    function consumerStatus(): readonly { readonly inFlight: number }[] {
      return consumer?.status().partitions ?? [];
    }
    await until('all to be handled', () => calls.length === 10);
    expect(most).toBe(1);
    expect(calls.map(({ message }) => message.value).sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test('many are handled, in order, while new ones come', async () => {
    const topic = await bench.topic();
    const mq = bench.mq();
    await die(mq, topic, 700);
    const { calls } = await handle(mq, topic, () => undefined);
    const fresh = Array.from({ length: 300 }, (_, at) => ({ value: 1_000 + at }));
    await Promise.all([
      mq.deadLetters(topic).replay({ group: 'billing' }),
      mq.producer().sendBatch(topic, fresh),
    ]);
    await until('all to be handled', () => calls.length === 1_000);
    const values = calls.map(({ message }) => message.value);
    expect(values.filter((value) => value < 1_000)).toEqual(Array.from({ length: 700 }, (_, at) => at));
    expect(values.filter((value) => value >= 1_000)).toEqual(fresh.map(({ value }) => value));
    expect(await total(mq, topic)).toBe(0);
  });

  test('waiting for its retry it goes to the next owner, with its attempts', async () => {
    const topic = await bench.topic();
    const mq = bench.mq();
    await die(mq, topic, 1);
    await mq.deadLetters(topic).replay({ group: 'billing' });
    const retry = { maxAttempts: 3, initialBackoff: 300, jitter: 'none' } as const;
    const first = await handle(mq, topic, fails, { retry });
    await until(
      'it to fail',
      async () => Number(await bench.redis.hlen(bench.keys(topic).group('billing').attempts)) > 0,
    );
    await first.consumer.close();
    expect(first.calls.map(({ attempt }) => attempt)).toEqual([1]);
    const second = await handle(bench.mq(), topic, fails, { retry });
    await until('it to die again', async () => (await total(mq, topic)) === 1);
    expect(second.calls.map(({ attempt }) => attempt)).toEqual([2, 3]);
    expect(await listed(mq.deadLetters(topic))).toMatchObject([{ attempts: 3 }]);
  });

  test('its owner is lost with it in hand: the next one gets it, and its late end changes nothing', async () => {
    const topic = await bench.topic();
    const mq = bench.mq();
    await die(mq, topic, 1);
    await mq.deadLetters(topic).replay({ group: 'billing' });
    const door = new Door();
    const first = await handle(bench.mq(), topic, () => door.opened, { rebalanceInterval: 60_000 });
    await until('it to be in hand', () => first.calls.length === 1);
    // Somebody else is made the owner, as after a pause that outlasts the lease.
    await bench.redis.hset(bench.keys(topic).group('billing').lease, 'token', 'other', 'until', '0');
    await bench.redis.del(new TopicKeys({ topic, shards: 1 }).members('billing'));
    const second = await handle(bench.mq(), topic, fails);
    await until('it to die again', async () => (await total(mq, topic)) === 1);
    door.open();
    await first.consumer.close();
    expect(second.calls.map(({ attempt }) => attempt)).toEqual([1, 2]);
    expect(await total(mq, topic)).toBe(1);
  });

  test('a crash while it was handled is an attempt, counted with those before; without a mark it is none', async () => {
    const topic = await bench.topic();
    const mq = bench.mq();
    await die(mq, topic, 2);
    await mq.deadLetters(topic).replay({ group: 'billing' });

    // An owner whose first attempt at one has failed, and which goes while it tries it again.
    const ghost = owner(topic);
    await haunt(topic);
    const fetched = await ghost.fetch('ghost', {
      after: '0-0',
      again: '0-0',
      count: 10,
      budget: 1_000,
      step: 1,
      confirmed: 0,
    });
    if (typeof fetched === 'string') throw new Error(fetched);
    const [crashing] = fetched.redelivered;
    const name = `r${text(crashing?.id)}`;
    const settle = (seq: number, started: string, outcomes: (string | number)[]) =>
      ghost.runSettle(ghost.settle('ghost', seq, { low: '0-0', started }, outcomes));
    expect(await settle(1, name, [0, 0, 0, 1, name, 1, 0, 0])).toBe('OK');

    const { calls } = await handle(mq, topic, () => undefined, { retry: { ...RETRY, maxAttempts: 5 } });
    await until('both to be handled', () => calls.length === 2);
    expect(calls.map(({ message, attempt }) => [message.value, attempt])).toEqual([
      [0, 3],
      [1, 1],
    ]);
    const { lease } = bench.keys(topic).group('billing');
    await until(
      'the crash to be dealt with',
      async () => (await bench.redis.hexists(lease, 'crashes')) === 0,
    );
    expect(await bench.redis.hexists(lease, 'started')).toBe(0);
  });

  test('a crash that left nothing behind is dealt with, and what is replayed then is no suspect', async () => {
    const topic = await bench.topic();
    const mq = bench.mq();
    const ids = await die(mq, topic, 1);
    await haunt(topic);
    const { calls } = await handle(mq, topic, () => undefined);
    const { lease } = bench.keys(topic).group('billing');
    await until(
      'the crash to be dealt with',
      async () => (await bench.redis.hexists(lease, 'crashes')) === 0,
    );
    await mq.deadLetters(topic).replay({ group: 'billing', ids });
    await until('it to be handled', () => calls.length === 1);
    expect(await bench.redis.hexists(lease, 'started')).toBe(0);
  });

  test('one whose handler brings down every process ends as a dead letter', async () => {
    const topic = await bench.topic();
    const mq = bench.mq();
    await die(mq, topic, 1);
    await mq.deadLetters(topic).replay({ group: 'billing' });
    const door = new Door();
    const { lease } = bench.keys(topic).group('billing');
    const attempts: number[] = [];
    for (let life = 0; life < 4; life++) {
      if (life === 0) await haunt(topic);
      const process = bench.mq();
      const { consumer, calls } = await handle(process, topic, () => door.opened, {
        retry: { ...RETRY, maxAttempts: 3 },
      });
      await until('it to be started, or dead', async () => calls.length > 0 || (await total(mq, topic)) > 0);
      attempts.push(...calls.map(({ attempt }) => attempt));
      if (calls.length === 0) break;
      // Nothing of this process reaches Redis any more: another token stands there, of an owner that is gone too.
      await bench.redis.hset(lease, 'token', `gone-${life}`, 'until', '0');
      await until('the loss to be noticed', () =>
        consumer.status().partitions.every(({ state }) => state === 'ended'),
      );
      await consumer.close({ timeout: 0 });
    }
    door.open();
    expect(attempts).toEqual([1, 2, 3]);
    expect(await listed(mq.deadLetters(topic))).toMatchObject([
      { reason: 'crashed', attempts: 3, error: { signature: '' } },
    ]);
    expect(await bench.redis.xlen(bench.keys(topic).group('billing').redelivery)).toBe(0);
  });
});
