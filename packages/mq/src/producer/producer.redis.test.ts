import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type Message, partitionOf } from '@rs/core';
import { type RedisClient, createRedisClient } from '@rs/redis';
import { FaultProxy } from '@rs/redis-server';
import { useRedis } from '@rs/redis-server/jest';
import { Redis } from 'ioredis';
import { bytesCodec } from '../codec/bytes-codec.ts';
import { codecsOf } from '../codec/codecs.ts';
import { msgpackCodec } from '../codec/msgpack-codec.ts';
import { decodeEnvelope } from '../envelope/decode-envelope.ts';
import { envelopeOf } from '../envelope/envelope-of.ts';
import { type Mq, createMq } from '../mq.ts';
import { rejectionOf } from '../test-support/coded.ts';
import { systemTimers } from '../time/timers.ts';

const server = useRedis({ own: true });
let proxy: FaultProxy;
let direct: Redis;
/** Past the proxy. */
let observer: RedisClient;
let behind: Redis;
let count = 0;
let prefix: string;
let mq: Mq;

beforeAll(async () => {
  const { host, port } = server();
  proxy = await FaultProxy.start({ to: { host, port } });
  direct = new Redis({ host, port, lazyConnect: true });
  observer = createRedisClient(direct);
  behind = new Redis({ host: proxy.host, port: proxy.port, lazyConnect: true });
});

beforeEach(() => {
  prefix = `producer.${count++}`;
  mq = createMq({ redis: behind, prefix });
});

afterEach(async () => {
  proxy.heal();
  await mq.close();
});

afterAll(async () => {
  await observer.close();
  behind.disconnect();
  direct.disconnect();
  await proxy.close();
});

/** What a partition holds, as a consumer sees it. */
async function messages(topic: string, partition: number): Promise<Message<unknown>[]> {
  const { shards } = await mq.topics.describe(topic);
  const args = [`${prefix}:{${topic}#${partition % shards}}:p${partition}`, '-', '+'];
  const reply = await observer.command({ name: 'XRANGE', args, binary: true });
  return (reply as [Buffer, Buffer[]][]).map(([id, fields]) =>
    decodeEnvelope(id.toString(), topic, partition, envelopeOf(fields), codecsOf()),
  );
}

const values = async (topic: string, partition: number) =>
  (await messages(topic, partition)).map(({ value }) => value);

describe('what is sent', () => {
  test('lies in the partition of its key, with its id, as it was', async () => {
    await mq.topics.ensure('orders', { partitions: 5, shards: 2 });
    const producer = mq.producer();
    const headers = { trace: '中文 🙂', '': '' };
    for (const key of ['a', 'schlüssel', '🙂', '', 'polygenelubricants', 'עברית']) {
      const value = { key, n: 1700000000123456, list: [], obj: {}, f: 0.1 };
      const { partition, id } = await producer.send('orders', { key, value, headers, timestamp: 7 });
      expect(partition).toBe(partitionOf(key, 5));
      expect((await messages('orders', partition)).at(-1)).toEqual({
        id,
        topic: 'orders',
        partition,
        key,
        value,
        timestamp: 7,
        headers,
      });
    }
  });

  test('may be of any codec, also in turn', async () => {
    await mq.topics.ensure('orders', { partitions: 1 });
    const bytes = Buffer.from([0xc3, 0x28, 0x00, 0xff]);
    await mq.producer({ codec: bytesCodec() }).send('orders', { value: bytes });
    await mq.producer({ codec: msgpackCodec() }).send('orders', { value: { at: new Date(5) } });
    await mq.producer().send('orders', { value: 'a\ud800b' });
    expect(await values('orders', 0)).toEqual([bytes, { at: new Date(5) }, 'a\ud800b']);
  });

  test('by many at once is there once, in the order of each key', async () => {
    await mq.topics.ensure('orders', { partitions: 3 });
    const producer = mq.producer({ maxBatch: 7, maxPending: 50 });
    const keys = ['a', 'b', 'c', 'd', 'e'];
    const sent = Array.from({ length: 500 }, (_, n) => {
      const key = keys[n % keys.length] ?? '';
      return producer.send('orders', { key, value: n }).then((receipt) => ({ ...receipt, n }));
    });
    const receipts = await Promise.all(sent);
    const stored = (await Promise.all([0, 1, 2].map((partition) => messages('orders', partition)))).flat();
    expect(stored.map(({ partition, id, value }) => `${partition} ${id} ${String(value)}`).sort()).toEqual(
      receipts.map(({ partition, id, n }) => `${partition} ${id} ${n}`).sort(),
    );
    for (const key of keys) {
      const own = stored.flatMap((one) => (one.key === key ? [Number(one.value)] : []));
      expect(own).toEqual([...own].sort((a, b) => a - b));
    }
  });
});

describe('faults', () => {
  test('a lost reply doubles nothing, and nothing behind it overtakes', async () => {
    await mq.topics.ensure('orders', { partitions: 1 });
    const producer = mq.producer({ maxBatch: 3 });
    await producer.send('orders', { value: 'first' });
    const receipts = [];
    for (let round = 0; round < 5; round++) {
      proxy.loseNextReply();
      const batch = [0, 1, 2, 3, 4].map((n) => ({ value: `${round}.${n}` }));
      receipts.push(...(await producer.sendBatch('orders', batch)));
    }
    const stored = await messages('orders', 0);
    expect(stored.map(({ value }) => value)).toEqual([
      'first',
      ...[0, 1, 2, 3, 4].flatMap((round) => [0, 1, 2, 3, 4].map((n) => `${round}.${n}`)),
    ]);
    expect(stored.slice(1).map(({ id }) => id)).toEqual(receipts.map(({ id }) => id));
  });

  test('connections that are reset while many send lose and double nothing', async () => {
    await mq.topics.ensure('orders', { partitions: 2 });
    const producer = mq.producer({ maxBatch: 20 });
    await producer.send('orders', { value: -1, partition: 0 });
    const sent: Promise<unknown>[] = [];
    for (let n = 0; n < 400; n++) {
      sent.push(producer.send('orders', { key: 'k', value: n }));
      if (n % 50 === 49) {
        await sent.at(-30);
        proxy.cut();
      }
    }
    await Promise.all(sent);
    const partition = partitionOf('k', 2);
    const numbers = (await values('orders', partition)).filter((value) => value !== -1);
    expect(numbers).toEqual(Array.from({ length: 400 }, (_, n) => n));
  });

  test('scripts that the server has forgotten are loaded again', async () => {
    await mq.topics.ensure('orders', { partitions: 1 });
    const producer = mq.producer();
    await producer.send('orders', { value: 1 });
    await server().cli('SCRIPT', 'FLUSH');
    await producer.send('orders', { value: 2 });
    expect(await values('orders', 0)).toEqual([1, 2]);
  });

  test('a full server: the batch is sent again until there is room', async () => {
    await mq.topics.ensure('orders', { partitions: 1 });
    const producer = mq.producer();
    await producer.send('orders', { value: 1 });
    await server().cli('CONFIG', 'SET', 'maxmemory', '1');
    const sent = producer.send('orders', { value: 2 });
    const tooLate = mq.producer({ deliveryTimeout: 200 }).send('orders', { value: 'never' });
    const error = await rejectionOf(tooLate, 'RS_REDIS_TIMEOUT');
    await server().cli('CONFIG', 'SET', 'maxmemory', '0');
    await sent;
    expect(error.message).toContain('not confirmed within the deliveryTimeout of 200 ms');
    expect(await values('orders', 0)).toEqual([1, 2]);
  });

  test('a server that is away: close ends in its time, and says what became of the messages', async () => {
    await mq.topics.ensure('orders', { partitions: 1 });
    const producer = mq.producer();
    await producer.send('orders', { value: 1 });
    proxy.set({ kind: 'refuse' });
    proxy.cut();
    const sent = rejectionOf(producer.send('orders', { value: 2 }), 'RS_CLOSED');
    const started = systemTimers.monotonic();
    await producer.close({ timeout: 300 });
    expect(systemTimers.monotonic() - started).toBeLessThan(800);
    expect((await sent).details).toMatchObject({ topic: 'orders', partition: 0 });
    expect(await server().cli('XLEN', `${prefix}:{orders#0}:p0`)).toBe(1);
  });
});

test('a topic that does not exist is refused with the way to create it', async () => {
  const error = await rejectionOf(mq.producer().send('nope', { value: 1 }), 'RS_UNKNOWN_TOPIC');
  expect(error.message).toContain("mq.topics.ensure('nope', { partitions: n })");
  expect(await server().cli('KEYS', `${prefix}:*`)).toEqual([]);
});
