import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { type ClusterSetup, startCluster } from '@rs/redis-server';
import { TopicKeys } from '@rs/redis';
import { Cluster } from 'ioredis';
import { type Mq, createMq } from '../mq.ts';
import { until } from '../test-support/until.ts';
import { typed } from '../test-support/typed.ts';

let cluster: ClusterSetup;
let admin: Cluster;
const open: Mq[] = [];

const seeds = () => cluster.nodes.map(({ host, port }) => ({ host, port }));

function connect(): Mq {
  const mq = createMq({ redis: new Cluster(seeds(), { lazyConnect: true }) });
  open.push(mq);
  return mq;
}

beforeAll(async () => {
  cluster = await startCluster({ masters: 3 });
  admin = new Cluster(seeds());
});
afterEach(async () => {
  await Promise.all(open.splice(0).map((mq) => mq.close({ timeout: 2_000 })));
});
afterAll(async () => {
  admin.disconnect();
  await cluster.stop();
});

const FAST = { lease: 2_000, rebalanceInterval: 100, pollTimeout: 500 } as const;
const PARTITIONS = 6;

const slotOf = async (key: string): Promise<number> => Number(await admin.cluster('KEYSLOT', key));
const numbers = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

test('MQ-28: all of it works on three masters, a slot that moves under load included', async () => {
  const mq = connect();
  await mq.topics.ensure('orders', { partitions: PARTITIONS });
  const keys = new TopicKeys({ topic: 'orders', shards: PARTITIONS });
  const owners = new Set<number>();
  for (const partition of numbers(PARTITIONS)) {
    owners.add((await cluster.ownerOf(await slotOf(keys.partition(partition).log))).port);
  }
  expect(owners.size).toBeGreaterThan(1);

  const handled: string[] = [];
  const perKey = new Map<string, number[]>();
  const consumers = [connect(), connect()].map((each) => {
    const consumer = each.consumer({ group: 'g', ...FAST });
    consumer.subscribe(
      typed<number>('orders'),
      ({ value, key = '' }, { attempt }) => {
        handled.push(`${value}/${attempt}`);
        if (value % 50 === 7 && attempt === 1) return 'RETRY';
        if (value % 50 === 8) return 'DEAD_LETTER';
        perKey.set(key, [...(perKey.get(key) ?? []), value]);
        return 'SUCCESS';
      },
      { retry: { initialBackoff: 5 } },
    );
    return consumer;
  });
  for (const consumer of consumers) await consumer.start();
  await until('an even split', () =>
    consumers.every((one) => one.status().partitions.length === PARTITIONS / 2),
  );

  const producer = mq.producer();
  let sent = 0;
  let moved = false;
  const sending = (async () => {
    while (!moved || sent % 50 !== 0) {
      await producer.send('orders', { value: sent, key: `k${sent % 10}` });
      sent++;
    }
  })();
  const slot = await slotOf(keys.partition(0).log);
  const from = await cluster.ownerOf(slot);
  const to = cluster.nodes.find((node) => node !== from) ?? from;
  await until('some to be handled', () => handled.length > 50);
  const move = await cluster.startMove(slot, to); // ASK
  const before = handled.length;
  await until('some more', () => handled.length > before + 50);
  await move.finish(); // MOVED
  const after = handled.length;
  await until('some more', () => handled.length > after + 50);
  moved = true;
  await sending;
  expect(await cluster.ownerOf(slot)).toBe(to);

  const retried = numbers(sent).filter((value) => value % 50 === 7);
  const dead = numbers(sent).filter((value) => value % 50 === 8);
  await until('everything to be handled', () => handled.length >= sent + retried.length);
  const expected = numbers(sent).flatMap((value) =>
    retried.includes(value) ? [`${value}/1`, `${value}/2`] : [`${value}/1`],
  );
  expect([...handled].sort()).toEqual(expected.sort());
  for (const values of perKey.values()) expect(values).toEqual([...values].sort((a, b) => a - b));
  await Promise.all(consumers.map((consumer) => consumer.close()));
  let letters = 0;
  for (const partition of numbers(PARTITIONS)) {
    const { log, deadLetters } = keys.partition(partition);
    letters += await admin.xlen(deadLetters);
    expect((await admin.xpending(log, 'g'))[0]).toBe(0);
  }
  expect(letters).toBe(dead.length);
});

test('MQ-28: partitions that share slots need no more connections than slots', async () => {
  const mq = connect();
  await mq.topics.ensure('shared', { partitions: PARTITIONS, shards: 1 });
  const handled: number[] = [];
  const consumer = mq.consumer({ group: 'g', ...FAST });
  consumer.subscribe(typed<number>('shared'), ({ value }) => {
    handled.push(value);
  });
  await consumer.start();
  await mq.producer().sendBatch(
    'shared',
    numbers(12).map((value) => ({ value, partition: value % PARTITIONS })),
  );
  await until('all', () => handled.length === 12);
  const readers = async (): Promise<number> => {
    const lists = await Promise.all(cluster.nodes.map((node) => node.cli('CLIENT', 'LIST')));
    return lists.flatMap((list) => String(list).split('\n')).filter((line) => line.includes('cmd=xread'))
      .length;
  };
  // It may be between two reads.
  await until('somebody to listen', async () => (await readers()) > 0);
  expect(await readers()).toBeLessThanOrEqual(1);
});
