import { afterEach, describe, expect, test } from '@jest/globals';
import {
  defineJob,
  type Message,
  partitionOf,
  silentLogger,
  type StreamEnvironment,
  topic,
  toTopic,
} from '@rs/core';
import { createMq, type Mq, systemIds } from '@rs/mq';
import { eventually } from '@rs/redis-server';
import { useRedis } from '@rs/redis-server/jest';
import { Redis } from 'ioredis';
import {
  redisHash,
  redisSortedSet,
  redisStream,
  type RedisRuntimeConfig,
  RedisStreamExecutionEnvironment,
  sinkKeys,
} from '../index.ts';
import { coded } from '../test-support/coded.ts';

const server = useRedis();
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface Order {
  readonly customer: string;
  readonly amount: number;
}

interface Bench {
  readonly redis: Redis;
  readonly mq: Mq;
  readonly prefix: string;
  readonly send: (...orders: readonly Order[]) => Promise<void>;
  readonly run: (
    define: (env: StreamEnvironment) => void,
    config?: RedisRuntimeConfig,
  ) => Promise<{ close(): Promise<unknown> }>;
}

async function bench(): Promise<Bench> {
  const redis = new Redis(server().url, { lazyConnect: true });
  const prefix = `sinks.${systemIds()}`;
  const mq = createMq({ redis, prefix });
  closing.push(
    () => redis.disconnect(),
    () => mq.close(),
  );
  await mq.topics.ensure('orders', { partitions: 3 });
  const producer = mq.producer();
  return {
    redis,
    mq,
    prefix,
    send: async (...orders) => {
      await producer.sendBatch(
        'orders',
        orders.map((value) => ({ key: value.customer, value, timestamp: value.amount })),
      );
    },
    run: async (define, config = {}) => {
      const env = RedisStreamExecutionEnvironment.create(redis, {
        prefix,
        jobName: 'sinks',
        logger: silentLogger,
        ...config,
      });
      const client = await env.run(defineJob(define));
      closing.push(() => client.close());
      return client;
    },
  };
}

const orders = (env: StreamEnvironment) => env.fromTopic(topic<Order>('orders'), 'g');
const order = (customer: string, amount: number): Order => ({ customer, amount });

const until = (what: string, isSo: () => boolean): Promise<unknown> =>
  eventually(what, () => Promise.resolve(isSo() ? true : undefined));

/** Messages of a topic, partition by partition, as a plain consumer reads them. */
async function read(mq: Mq, name: string, count: number): Promise<Message<unknown>[]> {
  const found: Message<unknown>[] = [];
  const consumer = mq.consumer({ group: `readers-${systemIds()}` });
  consumer.subscribe(name, (message) => void found.push(message), { from: 'earliest' });
  await consumer.start();
  await until(`${count} messages of ${name}`, () => found.length >= count);
  await consumer.close();
  return found.sort((a, b) => a.partition - b.partition);
}

describe('sinks in the slot', () => {
  test('have the results of each partition as soon as they are committed', async () => {
    const { redis, mq, prefix, send, run } = await bench();
    await run((env) => {
      const totals = orders(env)
        .keyByMessageKey()
        .reduce((a, b) => ({ customer: a.customer, amount: a.amount + b.amount }), { uid: 'totals' });
      totals.addSink(
        redisHash('totals', { field: ({ customer }) => customer, value: ({ amount }) => amount }),
      );
      totals.addSink(
        redisSortedSet('best', { member: ({ customer }) => customer, score: ({ amount }) => amount }),
      );
      totals.addSink(redisStream('log', { fields: ({ amount }) => ({ amount }) }));
    });
    await send(order('ada', 1), order('bob', 2), order('ada', 3), order('cleo', 4));
    const info = await mq.topics.describe('orders');
    const keysOf = (sink: string) => sinkKeys(info, { job: 'sinks', sink, prefix });
    const at = (customer: string) => partitionOf(customer, 3);
    await eventually('all totals', async () => {
      const stored = await Promise.all(keysOf('totals').map((key) => redis.hgetall(key)));
      const all = Object.assign({}, ...stored) as Record<string, string>;
      return all['ada'] === '4' && all['bob'] === '2' && all['cleo'] === '4' ? true : undefined;
    });
    expect(await redis.hget(keysOf('totals')[at('ada')] ?? '', 'ada')).toBe('4');
    expect(await redis.zscore(keysOf('best')[at('bob')] ?? '', 'bob')).toBe('2');
    const logs = await Promise.all(keysOf('log').map((key) => redis.xrange(key, '-', '+')));
    expect(
      logs
        .flat()
        .map(([, fields]) => fields[1])
        .sort(),
    ).toEqual(['1', '2', '4', '4']);
  });
});

describe('toTopic', () => {
  test('sends each result once, in order for each key, with its time', async () => {
    const { mq, send, run } = await bench();
    await mq.topics.ensure('doubled', { partitions: 2 });
    await run((env) => {
      orders(env)
        .map(({ customer, amount }) => ({ customer, amount: amount * 2 }))
        .addSink(toTopic(topic<Order>('doubled'), { key: ({ customer }) => customer }));
    });
    const sent = Array.from({ length: 60 }, (_, n) => order(['ada', 'bob', 'cleo'][n % 3] ?? '', n));
    await send(...sent);
    const found = await read(mq, 'doubled', 60);
    for (const customer of ['ada', 'bob', 'cleo']) {
      const own = found.filter(({ key }) => key === customer);
      expect(own.map(({ value, timestamp, partition }) => [value, timestamp, partition])).toEqual(
        sent
          .filter((one) => one.customer === customer)
          .map(({ amount }) => [order(customer, amount * 2), amount, partitionOf(customer, 2)]),
      );
    }
    expect(found).toHaveLength(60);
  });

  test('goes on where another process has stopped', async () => {
    const { mq, send, run } = await bench();
    await mq.topics.ensure('copies', { partitions: 1 });
    const define = (env: StreamEnvironment) => {
      orders(env).addSink(toTopic('copies'));
    };
    const first = await run(define);
    await send(order('ada', 1), order('ada', 2));
    expect(await read(mq, 'copies', 2)).toHaveLength(2);
    await first.close();
    await send(order('ada', 3));
    await run(define);
    const amounts = (await read(mq, 'copies', 3)).map(({ value }) => (value as Order).amount);
    expect(amounts).toEqual([1, 2, 3]);
  });

  test('needs a topic that exists when the job starts', async () => {
    const { run } = await bench();
    const nowhere = run((env) => {
      orders(env).addSink(toTopic('nowhere'));
    });
    await expect(nowhere).rejects.toEqual(coded('RS_UNKNOWN_TOPIC'));
  });
});

describe('function sinks', () => {
  test('are opened once, given every result in order, and closed once', async () => {
    const { send, run } = await bench();
    const log: unknown[] = [];
    const client = await run((env) => {
      orders(env).addSink({
        open: () => void log.push('open'),
        invoke: async (value: Order) => {
          await Promise.resolve();
          log.push(value);
        },
        close: () => void log.push('close'),
      });
    });
    const sent = Array.from({ length: 30 }, (_, n) => order(n % 2 === 0 ? 'ada' : 'bob', n));
    await send(...sent);
    await until('all results', () => log.length >= 31);
    await client.close();
    expect([log[0], log.at(-1), log.length]).toEqual(['open', 'close', 32]);
    for (const name of ['ada', 'bob']) {
      expect(log.filter((one) => (one as Partial<Order>).customer === name)).toEqual(
        sent.filter(({ customer }) => customer === name),
      );
    }
  });

  test('that fail hold up nothing else, and get everything in the end', async () => {
    const { send, run } = await bench();
    const seen: number[] = [];
    const saved: number[] = [];
    let down = true;
    await run(
      (env) => {
        const all = orders(env);
        all.addSink(({ amount }: Order) => void seen.push(amount));
        all.addSink(({ amount }: Order) => {
          if (down) throw new Error('down');
          saved.push(amount);
        });
      },
      { retry: { initialBackoff: 5, maxBackoff: 20 } },
    );
    await send(order('ada', 1), order('ada', 2), order('ada', 3));
    await until('the other sink to have all', () => seen.length === 3);
    expect(saved).toEqual([]);
    down = false;
    await until('the sink to have all', () => saved.length === 3);
    expect([seen, saved]).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
  });

  test('print shows values that could not be stored', async () => {
    const { send, run } = await bench();
    const shown: string[] = [];
    const logger = {
      ...silentLogger,
      info: (facts: object, message = '') => {
        if ((facts as { component?: string }).component === 'print') shown.push(message);
      },
    };
    await run(
      (env) => {
        orders(env)
          .map(({ amount }) => ({ amount, half: () => amount / 2 }))
          .print('> ');
      },
      { logger },
    );
    await send(order('ada', 1));
    await until('it is shown', () => shown.length === 1);
    expect(shown).toEqual(['> { amount: 1, half: [Function: half] }']);
  });

  test('with transactions are refused at the start, and two sinks with one name', async () => {
    const { run } = await bench();
    const transactional = {
      beginTxn: () => 0,
      invoke: () => undefined,
      preCommit: () => undefined,
      commit: () => undefined,
      recoverAndCommit: () => undefined,
      recoverAndAbort: () => undefined,
    };
    const refused = run((env) => {
      orders(env).addSink(transactional);
    });
    await expect(refused).rejects.toEqual(coded('RS_UNSUPPORTED'));
    const twice = run((env) => {
      for (const uid of ['a', 'b']) orders2(env, uid).addSink(redisStream('same'), { uid });
    });
    await expect(twice).rejects.toEqual(coded('RS_INVALID_ARGUMENT'));
  });
});

const orders2 = (env: StreamEnvironment, group: string) => env.fromTopic(topic<Order>('orders'), group);
