import { afterEach, expect, test } from '@jest/globals';
import { defineJob, silentLogger, type StreamEnvironment } from '@rs/core';
import { createMq, type Mq } from '@rs/mq';
import { type RedisLike, slotOf } from '@rs/redis';
import { startCluster, startSentinel } from '@rs/redis-server';
import { Cluster, Redis } from 'ioredis';
import { RedisStreamExecutionEnvironment } from '../environment/environment.ts';
import type { RedisJobClient } from '../job/client.ts';
import { COUNT, type Counted, countsOfEvents } from '../test-support/counts-of-events.ts';
import { until } from '../test-support/use-jobs.ts';

const KEYS = 12;
const PARTITIONS = 3;

const seen: Counted[] = [];

/** Tells a function of each new count. */
function define(env: StreamEnvironment): void {
  countsOfEvents(env).addSink((value) => void seen.push(value), { uid: 'out' });
}

interface World {
  readonly mq: Mq;
  readonly client: RedisJobClient;
}

const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  seen.length = 0;
});

async function start(redis: () => RedisLike): Promise<World> {
  const mq = createMq({ redis: redis() });
  closing.push(() => mq.close());
  await mq.topics.ensure('events', { partitions: PARTITIONS });
  const env = RedisStreamExecutionEnvironment.create(redis(), {
    jobName: 'job',
    lease: '3s',
    logger: silentLogger,
  });
  const client = await env.run(defineJob(define));
  closing.push(() => client.cancel({ timeout: 3_000 }));
  return { mq, client };
}

async function send(mq: Mq, rounds: number): Promise<void> {
  const producer = mq.producer();
  for (let round = 0; round < rounds; round++) {
    await producer.sendBatch(
      'events',
      Array.from({ length: KEYS }, (_, n) => ({ key: `key ${n}`, value: round })),
    );
  }
}

/** Whether the state of every key has counted each of its messages once. */
async function counted(client: RedisJobClient, rounds: number): Promise<boolean> {
  const counts = await Promise.all(
    Array.from({ length: KEYS }, (_, n) => client.queryState('count', COUNT, `key ${n}`)),
  );
  return counts.every((count) => count === rounds);
}

/** The counts of each key, in their order, without repeats: a function sink may see some again. */
function countsSeen(): Record<string, number[]> {
  const byKey: Record<string, number[]> = {};
  for (const { key, count } of seen) {
    const counts = (byKey[key] ??= []);
    if (count > (counts.at(-1) ?? 0)) counts.push(count);
  }
  return byKey;
}

function allCounts(rounds: number): Record<string, number[]> {
  const counts = Array.from({ length: rounds }, (_, n) => n + 1);
  return Object.fromEntries(Array.from({ length: KEYS }, (_, n) => [`key ${n}`, counts]));
}

test('on a cluster, while slots move', async () => {
  const cluster = await startCluster({ masters: 3 });
  closing.push(() => cluster.stop());
  const seeds = cluster.nodes.map(({ host, port }) => ({ host, port }));
  const { mq, client } = await start(() => new Cluster(seeds, { lazyConnect: true }));
  let rounds = 0;
  const sendMore = async (more: number): Promise<void> => {
    await send(mq, more);
    rounds += more;
  };
  await sendMore(5);
  for (let partition = 0; partition < PARTITIONS; partition++) {
    const slot = slotOf(`rs:{events#${partition}}:p${partition}`);
    // Away, further away, and back again.
    const home = await cluster.ownerOf(slot);
    for (const node of [...cluster.nodes.filter((other) => other !== home), home]) {
      await cluster.moveSlot(slot, node);
      await sendMore(2);
    }
  }
  await until('all are counted', () => counted(client, rounds), 30_000);
  await until('all are delivered', () =>
    Object.values(countsSeen()).every(({ length }) => length === rounds),
  );
  expect(countsSeen()).toEqual(allCounts(rounds));
}, 600_000);

test('with Sentinel, over a failover that loses nothing', async () => {
  const setup = await startSentinel({});
  closing.push(() => setup.stop());
  const options = {
    sentinels: setup.sentinels.map(({ host, port }) => ({ host, port })),
    name: setup.masterName,
  };
  const { mq, client } = await start(() => new Redis({ ...options, lazyConnect: true }));
  await send(mq, 5);
  await until('all are counted', () => counted(client, 5), 30_000);
  const admin = new Redis(options);
  await until('the replica has all', async () => Number(await admin.wait(1, 1_000)) >= 1);
  admin.disconnect();
  await setup.failover();
  await send(mq, 5);
  await until('the rest is counted', () => counted(client, 10), 30_000);
  await until('all are delivered', () => Object.values(countsSeen()).every(({ length }) => length === 10));
  expect(countsSeen()).toEqual(allCounts(10));
}, 600_000);
