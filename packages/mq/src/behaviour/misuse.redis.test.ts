import { describe, expect, test } from '@jest/globals';
import { useRedis } from '@rs/redis-server/jest';
import { until } from '../test-support/until.ts';
import { useMq } from '../test-support/use-mq.ts';

const redis = useRedis();
const bench = useMq(redis);

/** Nobody in these tests could wait for the end of such a lease. */
const PATIENT = { lease: '60s', rebalanceInterval: 100, pollTimeout: 1_000 } as const;

describe('misuse', () => {
  test('is refused with typed errors, at once', async () => {
    const topic = await bench.topic(1);
    const mq = bench.mq();
    const consumer = mq.consumer({ group: 'g' });
    await expect(consumer.start()).rejects.toMatchObject({ code: 'RS_INVALID_ARGUMENT' });
    consumer.subscribe(topic, () => undefined);
    expect(() => consumer.subscribe(topic, () => undefined)).toThrow(
      expect.objectContaining({ code: 'RS_DUPLICATE_SUBSCRIPTION' }),
    );
    await consumer.start();
    await consumer.start();
    await consumer.close();
    for (const use of [() => consumer.subscribe('other', () => undefined), () => consumer.resume()]) {
      expect(use).toThrow(expect.objectContaining({ code: 'RS_CLOSED' }));
    }
    for (const use of [() => consumer.start(), () => consumer.pause()]) {
      await expect(use()).rejects.toMatchObject({ code: 'RS_CLOSED' });
    }
    await mq.close();
    expect(() => mq.consumer({ group: 'g' })).toThrow(expect.objectContaining({ code: 'RS_CLOSED' }));
  });

  test('a topic that does not exist: start fails, leaves nothing, and may be tried again', async () => {
    const topic = await bench.topic(1);
    const mq = bench.mq();
    const unknown = `${topic}-unknown`;
    const handled: string[] = [];
    const consumer = mq.consumer({ group: 'g', ...PATIENT });
    for (const name of [topic, unknown]) {
      consumer.subscribe(name, ({ topic: from }) => {
        handled.push(from);
      });
    }
    await expect(consumer.start()).rejects.toMatchObject({
      code: 'RS_UNKNOWN_TOPIC',
      details: { topic: unknown },
    });
    expect(consumer.status()).toEqual({ state: 'new', partitions: [] });
    expect(await bench.redis.keys(`rs:{${topic}*}:m:*`)).toEqual([]);
    expect(await bench.redis.keys(`rs:{${topic}#*}:*`)).toEqual([]);
    await mq.topics.ensure(unknown, { partitions: 1 });
    await consumer.start();
    await mq.producer().send(topic, { value: 1 });
    await mq.producer().send(unknown, { value: 1 });
    await until('both topics', () => handled.length === 2);
    expect(handled.sort()).toEqual([topic, unknown]);
  });

  test('a topic may be subscribed to while the consumer runs, or before it exists then', async () => {
    const topic = await bench.topic(1);
    const mq = bench.mq();
    const handled: string[] = [];
    const consumer = mq.consumer({ group: 'g', lease: 600, rebalanceInterval: 100 });
    const handler = ({ topic: from }: { topic: string }) => {
      handled.push(from);
    };
    consumer.subscribe(topic, handler);
    await consumer.start();
    consumer.subscribe(`${topic}-later`, handler);
    await mq.topics.ensure(`${topic}-later`, { partitions: 1 });
    await mq.producer().send(`${topic}-later`, { value: 1 });
    await until('the message', () => handled.length === 1);
    expect(handled).toEqual([`${topic}-later`]);
  });
});
