import { expect, test } from '@jest/globals';
import { useRedis } from '@rs/redis-server/jest';
import { until } from '../test-support/until.ts';
import { useMq } from '../test-support/use-mq.ts';

// Its memory is used up here.
const redis = useRedis({ own: true });
const bench = useMq(redis);

const FAST = { lease: 800, rebalanceInterval: 100, pollTimeout: 500 } as const;

test('a Redis without memory: sending is refused until there is room, consumers keep what they own and work on', async () => {
  const topic = await bench.topic(2);
  const producer = bench.mq().producer();
  await producer.sendBatch(
    topic,
    Array.from({ length: 50 }, (_, value) => ({ value })),
  );
  await bench.redis.config('SET', 'maxmemory', '1mb');
  try {
    await expect(bench.redis.set('other', 'x')).rejects.toThrow('OOM');
    let sent = false;
    const sending = producer.send(topic, { value: 'later' }).then(() => (sent = true));

    // It has to acquire, to meet, to fetch, to mark retries and to write dead letters.
    const handled = new Map<unknown, number>();
    const consumer = bench.mq().consumer({ group: 'g', ...FAST });
    consumer.subscribe(
      topic,
      ({ value }) => {
        handled.set(value, (handled.get(value) ?? 0) + 1);
        if (value === 7) throw new Error('poison');
      },
      { retry: { maxAttempts: 2, initialBackoff: 1 } },
    );
    await consumer.start();
    await until('all to be handled', () => handled.size === 50 && handled.get(7) === 2);
    const pending = async () => (await bench.pending(topic, 'g', 0)) + (await bench.pending(topic, 'g', 1));
    await until('all to be settled', async () => (await pending()) === 0);
    // Longer than a lease lasts without being renewed.
    const acquired = await Promise.all([0, 1].map((partition) => bench.lease(topic, 'g', partition)));
    const soon = Math.max(...acquired.map((lease) => Number(lease['until'])));
    await until('the leases to be renewed', async () => {
      const leases = await Promise.all([0, 1].map((partition) => bench.lease(topic, 'g', partition)));
      return leases.every((lease) => Number(lease['until']) > soon + 1_000);
    });
    expect(consumer.status().partitions).toHaveLength(2);
    expect(bench.log.filter(({ level }) => level === 'warn' || level === 'error')).not.toContainEqual(
      expect.objectContaining({ message: expect.stringMatching(/lost/) as unknown }),
    );
    expect(sent).toBe(false);

    await bench.redis.config('SET', 'maxmemory', '0');
    await sending;
    await until('what was sent then', () => handled.has('later'));
    const dead = [...(await bench.dead(topic, 0)), ...(await bench.dead(topic, 1))];
    expect(dead).toMatchObject([{ d: '7' }]);
    await consumer.close();
  } finally {
    await bench.redis.config('SET', 'maxmemory', '0');
  }
});

test('messages become large after many small ones: no more is read than may be in flight, and one portion', async () => {
  const topic = await bench.topic(1);
  const producer = bench.mq().producer();
  const small = Array.from({ length: 3_000 }, (_, value) => ({ value }));
  await producer.sendBatch(topic, small);
  const LARGE = 100_000;
  await producer.sendBatch(
    topic,
    Array.from({ length: 300 }, () => ({ value: 'x'.repeat(LARGE) })),
  );
  let [handled, most] = [0, 0];
  const consumer = bench.mq().consumer({ group: 'g', ...FAST });
  consumer.subscribe(
    topic,
    ({ value }) => {
      handled++;
      if (typeof value === 'string') most = Math.max(most, consumer.status().partitions[0]?.inFlight ?? 0);
    },
    { maxInFlightBytes: 10 * LARGE },
  );
  await consumer.start();
  await until('all to be handled', () => handled === 3_300, 20_000);
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(10 + 64);
});

test('the clock of the server goes back: a lease lasts no longer than it was taken for', async () => {
  const topic = await bench.topic(1);
  await bench.mq().producer().send(topic, { value: 1 });
  const lease = bench.keys(topic).group('g').lease;
  // An owner that crashed, as a server sees it whose clock is an hour behind.
  await bench.redis.hset(lease, {
    ...{ token: 'gone', owner: 'gone', epoch: 1, seq: 0, low: '0-0', fetched: '0-0' },
    ...{ until: Number((await bench.redis.time())[0]) * 1_000 + 3_600_000, ttl: 500 },
  });
  const handled: unknown[] = [];
  const consumer = bench.mq().consumer({ group: 'g', ...FAST });
  consumer.subscribe(topic, ({ value }) => void handled.push(value));
  await consumer.start();
  await until('the message', () => handled.length === 1, 5_000);
});

test('a key of another type is noticed before anything is settled', async () => {
  const topic = await bench.topic(1);
  const handled: unknown[] = [];
  const consumer = bench.mq().consumer({ group: 'g', ...FAST });
  consumer.subscribe(topic, ({ value }) => void handled.push(value));
  await consumer.start();
  await until('the partition', () => consumer.status().partitions.length === 1);
  const { holds } = bench.keys(topic);
  await bench.redis.del(holds);
  await bench.redis.set(holds, 'of others');
  await bench.mq().producer().send(topic, { value: 1 });
  await until('the message', () => handled.length > 0);
  await until('the refusal', () => bench.log.some(({ level }) => level === 'warn' || level === 'error'));
  expect(await bench.pending(topic, 'g')).toBe(1);
  await bench.redis.del(holds);
  await until('it to be settled', async () => (await bench.pending(topic, 'g')) === 0);
});
