import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { topic } from '@rs/core';
import { FaultProxy } from '@rs/redis-server';
import { useRedis } from '@rs/redis-server/jest';
import { Redis } from 'ioredis';
import { type Mq, createMq } from '../mq.ts';
import { rejectionOf } from '../test-support/coded.ts';

const redis = useRedis();
let ioredis: Redis;
let count = 0;
let prefix: string;
let mq: Mq;

beforeAll(() => {
  const { host, port } = redis();
  ioredis = new Redis({ host, port, lazyConnect: true });
});

beforeEach(() => {
  prefix = `topics.${process.pid}.${count++}`;
  mq = createMq({ redis: ioredis, prefix });
});

afterAll(() => ioredis.disconnect());

describe('ensure', () => {
  test('creates a topic once, and says what it has', async () => {
    const [before] = (await redis().cli('TIME')) as string[];
    const info = await mq.topics.ensure('orders', { partitions: 8 });
    expect(info).toEqual({
      name: 'orders',
      partitions: 8,
      shards: 8,
      version: 1,
      createdAt: expect.any(Number),
    });
    expect(info.createdAt).toBeGreaterThanOrEqual(Number(before) * 1_000);
    expect(await mq.topics.ensure(topic('orders'), { partitions: 8, shards: 8 })).toEqual(info);
    expect(await mq.topics.describe('orders')).toEqual(info);
    expect(await redis().cli('HGETALL', `${prefix}:{orders}:meta`)).toEqual([
      ...['partitions', '8', 'shards', '8', 'version', '1', 'createdAt', String(info.createdAt)],
    ]);
    await mq.close();
  });

  test('refuses other counts with both and the way on', async () => {
    await mq.topics.ensure('orders', { partitions: 8, shards: 2 });
    const more = await rejectionOf(mq.topics.ensure('orders', { partitions: 16 }), 'RS_TOPIC_MISMATCH');
    expect(more.message).toBe(
      "topic 'orders' has 8 partitions in 2 shards, not 16 partitions: mq.topics.grow('orders', { partitions: 16 }) gives it more; keys then move to other partitions",
    );
    expect(more.details).toMatchObject({ partitions: 8, shards: 2, received: { partitions: 16 } });
    const fewer = await rejectionOf(mq.topics.ensure('orders', { partitions: 4 }), 'RS_TOPIC_MISMATCH');
    expect(fewer.message).toContain('a topic never gets fewer partitions');
    const shards = mq.topics.ensure('orders', { partitions: 8, shards: 4 });
    expect((await rejectionOf(shards, 'RS_TOPIC_MISMATCH')).message).toBe(
      "topic 'orders' has 8 partitions in 2 shards, not 8 partitions in 4 shards: the shards of a topic never change",
    );
    await mq.topics.ensure('orders', { partitions: 8 });
    await mq.close();
  });

  test('by many at once creates one topic: all of them agree on it or are refused', async () => {
    const others = [4, 8, 4, 8, 4, 8].map((partitions) => ({
      partitions,
      own: createMq({ redis: ioredis, prefix }),
    }));
    const results = await Promise.allSettled(
      others.map(({ own, partitions }) => own.topics.ensure('orders', { partitions })),
    );
    const { partitions } = await mq.topics.describe('orders');
    const fulfilled = results.flatMap((one) => (one.status === 'fulfilled' ? [one.value.partitions] : []));
    expect(fulfilled).toEqual([partitions, partitions, partitions]);
    await Promise.all([mq, ...others.map(({ own }) => own)].map((one) => one.close()));
  });
});

describe('grow', () => {
  test('gives more partitions in the same shards, and nothing else', async () => {
    const created = await mq.topics.ensure('orders', { partitions: 2 });
    expect(await mq.topics.grow('orders', { partitions: 5 })).toEqual({
      ...created,
      partitions: 5,
      version: 2,
    });
    for (const partitions of [5, 4, 1]) {
      const error = await rejectionOf(mq.topics.grow('orders', { partitions }), 'RS_TOPIC_MISMATCH');
      expect(error.message).toBe(`topic 'orders' has 5 partitions and can only get more, got ${partitions}`);
    }
    expect(await mq.topics.describe('orders')).toMatchObject({ partitions: 5, shards: 2, version: 2 });
    await mq.close();
  });

  test('by two at once never shrinks', async () => {
    await mq.topics.ensure('orders', { partitions: 2 });
    const others = [8, 6, 8, 3].map((partitions) => ({
      partitions,
      own: createMq({ redis: ioredis, prefix }),
    }));
    const results = await Promise.allSettled(
      others.map(({ own, partitions }) => own.topics.grow('orders', { partitions })),
    );
    const grown = results.filter(({ status }) => status === 'fulfilled');
    expect(await mq.topics.describe('orders')).toMatchObject({ partitions: 8, version: 1 + grown.length });
    await Promise.all([mq, ...others.map(({ own }) => own)].map((one) => one.close()));
  });

  test('whose reply was lost is known again', async () => {
    await mq.topics.ensure('orders', { partitions: 2 });
    const { host, port } = redis();
    const proxy = await FaultProxy.start({ to: { host, port } });
    const behind = new Redis({ host: proxy.host, port: proxy.port, lazyConnect: true });
    const other = createMq({ redis: behind, prefix });
    await other.topics.describe('orders');
    // Loads the script, so that its reply is not the one that is lost.
    await rejectionOf(other.topics.grow('orders', { partitions: 2 }), 'RS_TOPIC_MISMATCH');
    proxy.loseNextReply();
    expect(await other.topics.grow('orders', { partitions: 4 })).toMatchObject({ partitions: 4, version: 2 });
    await Promise.all([mq.close(), other.close()]);
    behind.disconnect();
    await proxy.close();
  });

  test('of a topic that does not exist is refused', async () => {
    await rejectionOf(mq.topics.grow('orders', { partitions: 4 }), 'RS_UNKNOWN_TOPIC');
    expect(await redis().cli('EXISTS', `${prefix}:{orders}:meta`)).toBe(0);
    await mq.close();
  });
});

test('list has the topics of this prefix, sorted', async () => {
  expect(await mq.topics.list()).toEqual([]);
  for (const name of ['b', 'a', 'c.d-e_F']) await mq.topics.ensure(name, { partitions: 1 });
  expect(await mq.topics.list()).toEqual(['a', 'b', 'c.d-e_F']);
  await rejectionOf(mq.topics.describe('d'), 'RS_UNKNOWN_TOPIC');
  await mq.close();
});
