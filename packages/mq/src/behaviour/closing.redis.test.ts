import { describe, expect, test } from '@jest/globals';
import { useRedis } from '@rs/redis-server/jest';
import { Redis } from 'ioredis';
import type { Consumer } from '../consumer/consumer.ts';
import type { HandlerContext } from '../consumer/handler.ts';
import type { ConsumerSubscriptionOptions } from '../consumer/subscription-options.ts';
import { createMq } from '../mq.ts';
import { systemTimers } from '../time/timers.ts';
import { coded } from '../test-support/coded.ts';
import { Door, until } from '../test-support/until.ts';
import { useMq } from '../test-support/use-mq.ts';
import { typed } from '../test-support/typed.ts';

const redis = useRedis({ own: true });
const bench = useMq(redis);

/** Nobody in these tests could wait for the end of such a lease. */
const PATIENT = { lease: '60s', rebalanceInterval: 100, pollTimeout: 1_000 } as const;
/** What `close` may take beyond its timeout. */
const GRACE = 500;

const numbers = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

async function consume(
  topic: string,
  handle: (value: number, context: HandlerContext) => unknown,
  options: ConsumerSubscriptionOptions = {},
): Promise<Consumer> {
  const consumer = bench.mq().consumer({ group: 'g', ...PATIENT });
  consumer.subscribe(
    typed<number>(topic),
    async ({ value }, context) => {
      await handle(value, context);
    },
    options,
  );
  await consumer.start();
  return consumer;
}

const send = (topic: string, ...values: number[]) =>
  bench
    .mq()
    .producer()
    .sendBatch(
      topic,
      values.map((value) => ({ value, partition: value % bench.partitions(topic) })),
    );

const settled = (topic: string) =>
  until('nothing to be pending', async () => (await bench.pending(topic, 'g')) === 0);

async function timed<T>(work: Promise<T>): Promise<{ ms: number; value: T }> {
  const at = systemTimers.monotonic();
  const value = await work;
  return { ms: systemTimers.monotonic() - at, value };
}

describe('pause', () => {
  test('MQ-23: is fulfilled when the last handler has ended; none starts until resume', async () => {
    const topic = await bench.topic(2);
    const door = new Door();
    const begun: number[] = [];
    const ended: number[] = [];
    const consumer = await consume(topic, async (value) => {
      begun.push(value);
      await door.opened;
      ended.push(value);
    });
    await send(topic, ...numbers(40));
    await until('a handler per partition', () => begun.length === 2);
    let paused = false;
    const pausing = consumer.pause().then(() => {
      paused = true;
    });
    // Handlers of others go on meanwhile.
    const witness: number[] = [];
    const other = bench.mq().consumer({ group: 'other', ...PATIENT });
    other.subscribe(typed<number>(topic), ({ value }) => {
      witness.push(value);
    });
    await other.start();
    await until('the other group to have all', () => witness.length === 40);
    expect([paused, begun.length, consumer.status().state]).toEqual([false, 2, 'paused']);
    door.open();
    await pausing;
    expect([begun.length, ended.length]).toEqual([2, 2]);
    await send(topic, 40, 41);
    await until('the other group to have the new ones', () => witness.length === 42);
    expect(begun).toHaveLength(2);
    expect(consumer.status().partitions.map(({ state, handling }) => [state, handling])).toEqual([
      ['paused', 0],
      ['paused', 0],
    ]);
    consumer.resume();
    await until('everything', () => ended.length === 42);
    expect(new Set(ended).size).toBe(42);
  });

  test('a retry that is due waits for resume too', async () => {
    const topic = await bench.topic(1);
    const attempts: number[] = [];
    const consumer = await consume(
      topic,
      (_, { attempt }) => {
        attempts.push(attempt);
        if (attempt === 1) throw new Error('not yet');
      },
      { retry: { initialBackoff: 30, jitter: 'none' } },
    );
    await send(topic, 1);
    await until('the first attempt', () => attempts.length === 1);
    await consumer.pause();
    const { retries } = bench.keys(topic).group('g');
    await until('it to be due', async () => {
      const [, due] = await bench.redis.zrange(retries, 0, -1, 'WITHSCORES');
      const [seconds, micros] = await bench.redis.time();
      return due !== undefined && Number(due) + 50 < Number(seconds) * 1_000 + Number(micros) / 1_000;
    });
    expect(attempts).toEqual([1]);
    consumer.resume();
    await until('the second attempt', () => attempts.length === 2);
  });

  test('a consumer that is paused before it starts has its partitions and handles nothing', async () => {
    const topic = await bench.topic(1);
    const handled: number[] = [];
    const consumer = bench.mq().consumer({ group: 'g', ...PATIENT });
    consumer.subscribe(typed<number>(topic), ({ value }) => {
      handled.push(value);
    });
    await consumer.pause();
    await consumer.start();
    expect(consumer.status()).toMatchObject({ state: 'paused', partitions: [{ state: 'paused' }] });
    consumer.resume();
    await send(topic, 1);
    await until('the message', () => handled.length === 1);
    expect(consumer.status()).toMatchObject({ state: 'running', partitions: [{ state: 'running' }] });
  });
});

describe('close', () => {
  test('lets handlers end, stores what they say, and the next owner goes on at once', async () => {
    const topic = await bench.topic(1);
    const door = new Door();
    const begun: number[] = [];
    const consumer = await consume(topic, async (value) => {
      begun.push(value);
      await door.opened;
    });
    await send(topic, ...numbers(5));
    await until('the first handler', () => begun.length === 1);
    const closing = consumer.close();
    // Read ahead by the first one, and not begun: it costs no attempt.
    const attempts: string[] = [];
    await consume(topic, (value, { attempt }) => {
      attempts.push(`${value}/${attempt}`);
    });
    expect(attempts).toEqual([]);
    door.open();
    await expect(closing).resolves.toEqual({ abandoned: 0, unreleased: 0 });
    await until('the rest', () => attempts.length === 4, 3_000);
    expect([begun, attempts]).toEqual([[0], ['1/1', '2/1', '3/1', '4/1']]);
    await settled(topic);
    const acquired = bench.log.filter(({ message }) => message === 'partition acquired');
    expect(acquired.map(({ facts }) => facts['crashed'])).toEqual([false, false]);
  });

  test('signals are aborted in the last fifth of its time, and that costs no attempt', async () => {
    const topic = await bench.topic(1);
    const reasons: unknown[] = [];
    const consumer = await consume(topic, async (_, { signal }) => {
      await new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          reasons.push(signal.reason);
          reject(signal.reason as Error);
        });
      });
    });
    await send(topic, 1);
    await until('the handler', () => consumer.status().partitions[0]?.handling === 1);
    const { ms, value } = await timed(consumer.close({ timeout: 500 }));
    expect(value).toEqual({ abandoned: 0, unreleased: 0 });
    expect(ms).toBeGreaterThanOrEqual(395);
    expect(ms).toBeLessThan(500 + GRACE);
    expect(reasons).toEqual([coded('RS_CLOSED')]);
    const attempts: number[] = [];
    await consume(topic, (_, { attempt }) => attempts.push(attempt));
    await until('it to come again', () => attempts.length === 1, 3_000);
    expect(attempts).toEqual([1]);
  });

  test('handlers that hear of nothing are left behind in time, and their message is another’s', async () => {
    const topic = await bench.topic(2);
    const door = new Door();
    const mq = bench.mq();
    const consumer = mq.consumer({ group: 'g', lease: 500, rebalanceInterval: 100 });
    consumer.subscribe(topic, () => door.opened);
    await consumer.start();
    await bench.mq().producer().send(topic, { value: 1, partition: 0 });
    await until('the handler', () => consumer.status().partitions.some(({ handling }) => handling === 1));
    const { ms, value } = await timed(consumer.close({ timeout: 300 }));
    expect(value).toEqual({ abandoned: 1, unreleased: 1 });
    expect(ms).toBeLessThan(300 + GRACE);
    // Of what it gave back, the other partition is free.
    expect((await bench.lease(topic, 'g', 1))['token']).toBeUndefined();
    const attempts: number[] = [];
    await consume(topic, (_, { attempt }) => attempts.push(attempt));
    await until('it to come again', () => attempts.length === 1);
    expect(attempts).toEqual([1]);
    await settled(topic);
    door.open();
  });

  test('C88: without Redis it ends in its time all the same', async () => {
    const topic = await bench.topic(1);
    const door = new Door();
    const consumer = await consume(topic, () => door.opened);
    await send(topic, 1);
    await until('the handler', () => consumer.status().partitions[0]?.handling === 1);
    await redis().pause();
    try {
      door.open();
      const { ms, value } = await timed(consumer.close({ timeout: 400 }));
      expect(ms).toBeLessThan(400 + GRACE);
      expect(value).toEqual({ abandoned: 0, unreleased: 1 });
    } finally {
      await redis().resume();
    }
  });

  test('C88: with nothing listening, while it starts, at once, and twice', async () => {
    const connection = new Redis({ host: '127.0.0.1', port: 1, lazyConnect: true });
    const mq = createMq({ redis: connection });
    const consumer = mq.consumer({ group: 'g' });
    consumer.subscribe('nowhere', () => undefined);
    const starting = consumer.start();
    const failed = expect(starting).rejects.toMatchObject({ name: 'RsError' });
    const { ms } = await timed(consumer.close({ timeout: 300 }));
    expect(ms).toBeLessThan(300 + GRACE);
    const all = await timed(Promise.all([mq.close({ timeout: 300 }), mq.close(), consumer.close()]));
    expect(all.ms).toBeLessThan(300 + GRACE);
    await failed;
    const unused = createMq({ redis: connection });
    unused.consumer({ group: 'g' });
    unused.producer();
    await unused.close();
    // It was never connected.
    expect(connection.status).toBe('wait');
  });

  test('C90: nothing is left on the connection that was given, and nobody is warned of listeners', async () => {
    const shared = new Redis(redis().url, { lazyConnect: true });
    const warnings: string[] = [];
    const warn = ({ name }: Error) => warnings.push(name);
    process.on('warning', warn);
    const listeners = () => shared.eventNames().map((name) => [name, shared.listenerCount(name)]);
    const before = listeners();
    const topic = await bench.topic(1);
    const clients = async () => String(await bench.redis.client('LIST')).split('\n').length;
    const connected = await clients();
    for (let round = 0; round < 2; round++) {
      const mq = createMq({ redis: shared });
      let handled = 0;
      const consumers = numbers(20).map((n) => {
        const consumer = mq.consumer({ group: `g${n}`, ...PATIENT });
        consumer.subscribe(topic, () => {
          handled++;
        });
        return consumer;
      });
      await Promise.all(consumers.map((consumer) => consumer.start()));
      const producers = numbers(20).map(() => mq.producer());
      await Promise.all(
        producers.flatMap((producer) => numbers(10).map((value) => producer.send(topic, { value }))),
      );
      for (let n = 0; n < 20; n++) {
        await consumers[0]?.pause();
        consumers[0]?.resume();
      }
      await until('all groups to have all', () => handled === 4_000);
      await mq.close();
    }
    process.off('warning', warn);
    expect(warnings).toEqual([]);
    expect(listeners()).toEqual(before);
    await until('all connections to be closed', async () => (await clients()) === connected);
  });
});
