import { afterEach, describe, expect, test } from '@jest/globals';
import { startCluster, startRedis, startSentinel } from '@rs/redis-server';
import { Cluster, Redis, type RedisOptions } from 'ioredis';
import type { RedisClient } from '../client/client.ts';
import { createRedisClient } from '../client/create-redis-client.ts';
import { checkServer } from './check-server.ts';
import { doctor } from './doctor.ts';

const endings: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

function started<T extends { stop(): Promise<void> }>(setup: T): T {
  endings.push(() => setup.stop());
  return setup;
}

function closing(client: RedisClient): RedisClient {
  endings.push(() => client.close());
  return client;
}

const single = (options: RedisOptions) =>
  closing(createRedisClient(new Redis({ ...options, lazyConnect: true })));

test('one server: what it is, and that it keeps nothing', async () => {
  const { host, port } = started(await startRedis({ own: true }));
  const client = single({ host, port });
  const report = await checkServer(client);
  expect(report.servers).toEqual([
    {
      node: { host, port },
      product: expect.stringMatching(/^(redis|valkey)$/),
      version: expect.stringMatching(/^\d/),
    },
  ]);
  expect(report.warnings).toMatchObject([
    { code: 'persistence', message: expect.stringMatching(/^neither AOF nor RDB/) },
  ]);

  const findings = await doctor(client);
  expect(findings.filter(({ level }) => level !== 'ok')).toMatchObject([{ code: 'persistence' }]);
  expect(findings.map(({ code }) => code)).toEqual(
    expect.arrayContaining(['version', 'eviction', 'clock', 'latency', 'memory', 'replication']),
  );
});

test('a policy that removes keys is refused, also where only INFO tells it', async () => {
  const server = started(
    await startRedis({
      own: true,
      persistence: 'aof',
      config: { maxmemory: '100mb', 'maxmemory-policy': 'allkeys-lru' },
      acl: [{ user: 'worker', password: 'secret', rules: ['~*', '+@all', '-config', '-command'] }],
    }),
  );
  const { host, port } = server;
  for (const user of [{}, { username: 'worker', password: 'secret' }]) {
    const client = single({ host, port, ...user });
    await expect(checkServer(client)).rejects.toMatchObject({
      code: 'RS_REDIS_CONFIG',
      details: { findings: [{ code: 'eviction', subject: `${host}:${port}` }] },
    });
    await expect(checkServer(client, { allowEviction: true })).resolves.toMatchObject({
      warnings: [{ code: 'eviction' }],
      capabilities: { xackdel: expect.any(Boolean) },
    });
  }
});

describe('the client does not fit the server', () => {
  test('a cluster where one server was expected, and the other way round', async () => {
    const cluster = started(await startCluster({ masters: 3 }));
    const [node] = cluster.nodes;
    if (node === undefined) throw new Error('the cluster has no nodes');
    await expect(checkServer(single({ host: node.host, port: node.port }))).rejects.toMatchObject({
      code: 'RS_REDIS_CONFIG',
      details: { findings: [{ code: 'topology' }] },
    });
    const right = closing(
      createRedisClient(new Cluster([{ host: node.host, port: node.port }], { lazyConnect: true })),
    );
    const { servers } = await checkServer(right);
    expect(servers.map((each) => each.node.port).sort()).toEqual(
      cluster.nodes.map(({ port }) => port).sort(),
    );

    const alone = started(await startRedis({ own: true }));
    const wrong = closing(
      createRedisClient(new Cluster([{ host: alone.host, port: alone.port }], { lazyConnect: true })),
    );
    await expect(checkServer(wrong)).rejects.toMatchObject({
      code: 'RS_REDIS_CONFIG',
      message: expect.stringContaining('make a Redis'),
    });
    await expect(doctor(wrong)).resolves.toMatchObject([
      { code: 'topology', level: 'error', subject: 'redis' },
    ]);
  });

  test('a replica, and a Sentinel itself', async () => {
    const setup = started(await startSentinel());
    const [replica] = setup.replicas;
    const [sentinel] = setup.sentinels;
    if (replica === undefined || sentinel === undefined) throw new Error('there is no replica or Sentinel');
    await expect(checkServer(single({ host: replica.host, port: replica.port }))).rejects.toMatchObject({
      code: 'RS_REDIS_CONFIG',
      message: expect.stringContaining(`this is a replica of ${setup.master.host}:${setup.master.port}`),
    });
    const findings = await doctor(single({ host: sentinel.host, port: sentinel.port }));
    expect(findings).toContainEqual(expect.objectContaining({ code: 'topology', level: 'error' }));

    const sentinels = setup.sentinels.map(({ host, port }) => ({ host, port }));
    const right = await doctor(single({ sentinels, name: setup.masterName }));
    expect(right.filter(({ code }) => code === 'role' || code === 'replication')).toMatchObject([
      { level: 'ok', message: 'a master' },
      { level: 'ok', message: '1 replica in step' },
    ]);
  });
});

test('nobody there', async () => {
  const server = await startRedis({ own: true });
  const { host, port } = server;
  await server.stop();
  const client = single({ host, port });
  await expect(doctor(client, { timeout: 300 })).resolves.toMatchObject([
    { code: 'unreachable', level: 'error', subject: 'redis' },
  ]);
  await expect(checkServer(client, { timeout: 300 })).rejects.toMatchObject({
    code: 'RS_REDIS_UNAVAILABLE',
  });
});
