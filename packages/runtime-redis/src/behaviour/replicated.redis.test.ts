import { afterEach, expect, test } from '@jest/globals';
import { defineJob, silentLogger, type StreamEnvironment, topic } from '@rs/core';
import { createMq, type Mq } from '@rs/mq';
import { startCluster, startRedis, startSentinel, type SentinelSetup } from '@rs/redis-server';
import { Cluster, Redis } from 'ioredis';
import { RedisStreamExecutionEnvironment } from '../environment/environment.ts';
import type { RedisJobClient } from '../job/client.ts';
import { toTopic } from '../index.ts';
import type { RedisRuntimeConfig } from '../options/config.ts';
import { rejectionOf } from '../test-support/coded.ts';
import { COUNT, type Counted, countsOfEvents } from '../test-support/counts-of-events.ts';
import { until } from '../test-support/use-jobs.ts';

const KEYS = ['a', 'b', 'c', 'd', 'e', 'f'];
const CONFIG: RedisRuntimeConfig = {
  jobName: 'job',
  lease: '3s',
  logger: silentLogger,
  deliverAfter: 'replicated',
};

const seen: Counted[] = [];
const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  seen.length = 0;
});

/** Tells a function and a topic of each new count. */
function define(env: StreamEnvironment): void {
  const counts = countsOfEvents(env);
  counts.addSink((value) => void seen.push(value), { uid: 'out' });
  counts.addSink(toTopic(topic<Counted>('counts'), { key: ({ key }) => key }), { uid: 'counts' });
}

interface World {
  readonly setup: SentinelSetup;
  readonly mq: Mq;
  readonly client: RedisJobClient;
  /** Messages in the topic of results. */
  delivered(): Promise<number>;
}

async function start(): Promise<World> {
  const setup = await startSentinel({});
  closing.push(() => setup.stop());
  const sentinels = setup.sentinels.map(({ host, port }) => ({ host, port }));
  const redis = (): Redis => new Redis({ sentinels, name: setup.masterName, lazyConnect: true });
  const mq = createMq({ redis: redis() });
  closing.push(() => mq.close());
  await mq.topics.ensure('events', { partitions: 2 });
  await mq.topics.ensure('counts', { partitions: 1 });
  const client = await RedisStreamExecutionEnvironment.create(redis(), CONFIG).run(defineJob(define));
  closing.push(() => client.cancel({ timeout: 3_000 }));
  const delivered = async (): Promise<number> => Number(await setup.master.cli('XLEN', 'rs:{counts#0}:p0'));
  return { setup, mq, client, delivered };
}

/** One message for each key. */
async function send(mq: Mq, rounds: number): Promise<void> {
  const producer = mq.producer();
  for (let round = 0; round < rounds; round++) {
    await producer.sendBatch(
      'events',
      KEYS.map((key) => ({ key, value: round })),
    );
  }
}

async function countsOf(client: RedisJobClient): Promise<number[]> {
  return Promise.all(KEYS.map(async (key) => (await client.queryState('count', COUNT, key)) ?? 0));
}

const counted = async (client: RedisJobClient, rounds: number): Promise<boolean> =>
  (await countsOf(client)).every((count) => count === rounds);

/** The counts that the function was given, by key. */
function seenBy(key: string): number[] {
  return seen.filter((each) => each.key === key).map(({ count }) => count);
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at + 1);

test('results arrive; without an answer of the replica they wait, and commits go on', async () => {
  const { setup, mq, client, delivered } = await start();
  await send(mq, 3);
  await until('all are delivered', async () => seen.length === 18 && (await delivered()) === 18);
  expect(client.health()).toEqual({ ok: true, reasons: [] });

  const [replica] = setup.replicas;
  await replica?.pause();
  await send(mq, 5);
  await until('the rest is counted', () => counted(client, 8));
  const why = /^60 results have waited for up to \d+\.\d s until a replica of Redis has them: no replica/;
  await until('health says why', () => client.health().reasons.some((reason) => why.test(reason)), 20_000);
  expect([seen.length, await delivered()]).toEqual([18, 18]);

  await replica?.resume();
  await until('all are delivered', async () => seen.length === 48 && (await delivered()) === 48, 30_000);
  for (const key of KEYS) expect(seenBy(key)).toEqual(upTo(8));
  await until('all is well', () => client.health().ok);
}, 600_000);

test('stopping does not wait for a replica for longer than it may, and delivers nothing that none has', async () => {
  const { setup, mq, client, delivered } = await start();
  await client.ready();
  const [replica] = setup.replicas;
  await replica?.pause();
  await send(mq, 2);
  await until('all are counted', () => counted(client, 2));
  await expect(client.stop({ timeout: 2_000 })).resolves.toEqual({ unreleased: 0, drained: false });
  expect([seen.length, await delivered()]).toEqual([0, 0]);

  // Who comes next finds them, and waits as well.
  await replica?.resume();
  const sentinels = setup.sentinels.map(({ host, port }) => ({ host, port }));
  const redis = new Redis({ sentinels, name: setup.masterName, lazyConnect: true });
  const next = await RedisStreamExecutionEnvironment.create(redis, CONFIG).run(defineJob(define));
  closing.push(() => next.cancel({ timeout: 3_000 }));
  await until('all are delivered', async () => seen.length === 12 && (await delivered()) === 12, 30_000);
  for (const key of KEYS) expect(seenBy(key)).toEqual(upTo(2));
}, 600_000);

test('a failover to a replica that was behind takes back nothing that was delivered', async () => {
  const { setup, mq, client, delivered } = await start();
  await send(mq, 3);
  await until('all are delivered', async () => seen.length === 18 && (await delivered()) === 18);
  // From here on the master is on its own: what it does is in no buffer of the replica either.
  const { master: old } = setup;
  const [replica] = setup.replicas;
  await replica?.pause();
  await old.cli('CLIENT', 'KILL', 'TYPE', 'replica');
  await send(mq, 4);
  await until('the rest is counted', () => counted(client, 7));
  await old.kill();
  await replica?.resume();
  await setup.newMaster();
  await until('the new master is asked', () => counted(client, 3), 60_000);
  expect([seen.length, await delivered()]).toEqual([18, 18]);

  // Also once the new master has a replica, nobody takes what waits for commits of it: they are not there.
  await old.restart();
  await old.cli('REPLICAOF', setup.master.host, String(setup.master.port));
  await until('all is well', () => client.health().ok, 60_000);
  expect([seen.length, await delivered()]).toEqual([18, 18]);
  await send(mq, 2);
  await until('all are delivered', async () => seen.length >= 30 && (await delivered()) === 30, 60_000);
  for (const key of KEYS) expect([...new Set(seenBy(key))]).toEqual(upTo(5));
}, 600_000);

test('on a cluster each slot has rounds of its own', async () => {
  const cluster = await startCluster({ masters: 3, replicas: 1 });
  closing.push(() => cluster.stop());
  const seeds = cluster.nodes.map(({ host, port }) => ({ host, port }));
  const redis = (): Cluster => new Cluster(seeds, { lazyConnect: true });
  const mq = createMq({ redis: redis() });
  closing.push(() => mq.close());
  await mq.topics.ensure('events', { partitions: 4 });
  await mq.topics.ensure('counts', { partitions: 1 });
  const client = await RedisStreamExecutionEnvironment.create(redis(), CONFIG).run(defineJob(define));
  closing.push(() => client.cancel({ timeout: 3_000 }));
  await send(mq, 5);
  await until('all are delivered', () => seen.length === 30, 30_000);
  for (const key of KEYS) expect(seenBy(key)).toEqual(upTo(5));
  expect(client.health()).toEqual({ ok: true, reasons: [] });
}, 600_000);

test('a start without a replica is refused', async () => {
  const server = await startRedis({ own: true });
  closing.push(() => server.stop());
  const mq = createMq({ redis: new Redis(server.url, { lazyConnect: true }) });
  closing.push(() => mq.close());
  await mq.topics.ensure('events', { partitions: 2 });
  await mq.topics.ensure('counts', { partitions: 1 });
  const run = async (config: RedisRuntimeConfig): Promise<void> => {
    const redis = new Redis(server.url, { lazyConnect: true });
    const client = await RedisStreamExecutionEnvironment.create(redis, config).run(defineJob(define));
    closing.push(() => client.cancel({ timeout: 3_000 }));
  };
  const error = await rejectionOf(run(CONFIG), 'RS_REDIS_CONFIG');
  expect(error.message).toContain(`Redis ${server.host}:${server.port}: it has no replica that is connected`);
  await run({ ...CONFIG, deliverAfter: 'commit' });
});
