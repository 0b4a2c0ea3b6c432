import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import {
  type ClusterSetup,
  FaultProxy,
  type SentinelSetup,
  startCluster,
  startSentinel,
} from '@rs/redis-server';
import { Cluster, Redis } from 'ioredis';
import { Cluster as Cluster6, Redis as Redis6 } from 'ioredis-6';
import { FakeServer } from '../testing/fake-server.ts';
import type { RedisConnection, RedisDriver, RedisNode } from './driver.ts';
import { ioredisDriver } from './ioredis.ts';

const lazy = { lazyConnect: true };
const connections: RedisConnection[] = [];
const closable: { close(): Promise<void> }[] = [];

async function connect(driver: RedisDriver, node?: RedisNode): Promise<RedisConnection> {
  const connection = await driver.connect({ timeout: 10_000, ...(node === undefined ? {} : { node }) });
  connections.push(connection);
  return connection;
}

async function proxyTo(to: RedisNode): Promise<FaultProxy> {
  const proxy = await FaultProxy.start({ to: { host: to.host, port: to.port } });
  closable.push(proxy);
  return proxy;
}

/** An address where nobody listens. */
async function deserted(): Promise<RedisNode> {
  const server = await FakeServer.start(() => '');
  await server.close();
  return server.node;
}

afterEach(async () => {
  for (const connection of connections.splice(0)) connection.destroy();
  for (const each of closable.splice(0)) await each.close();
});

describe.each([
  ['5', (name: string, sentinels: RedisNode[]) => new Redis({ name, sentinels, ...lazy })],
  ['6', (name: string, sentinels: RedisNode[]) => new Redis6({ name, sentinels, ...lazy })],
])('Sentinels, ioredis %s', (_, instance) => {
  let setup: SentinelSetup;

  beforeAll(async () => {
    setup = await startSentinel();
  });

  afterAll(async () => {
    await setup.stop();
  });

  const addresses = (): RedisNode[] => setup.sentinels.map(({ host, port }) => ({ host, port }));

  test('every connection goes to the master of its time', async () => {
    const redis = instance(setup.masterName, addresses());
    const before = JSON.stringify(redis.options);
    const driver = ioredisDriver(redis);
    const first = await connect(driver);
    expect(first.node).toEqual({ host: setup.master.host, port: setup.master.port });
    const master = await setup.failover();
    const second = await connect(driver);
    expect(second.node).toEqual({ host: master.host, port: master.port });
    expect(await second.send([{ name: 'SET', args: ['a', '1'] }])).toEqual(['OK']);
    expect(JSON.stringify(redis.options)).toBe(before);
  });

  test('a Sentinel that is away is passed over', async () => {
    const connection = await connect(
      ioredisDriver(instance(setup.masterName, [await deserted(), ...addresses()])),
    );
    expect(await connection.send([{ name: 'ROLE', args: [] }])).toEqual([expect.arrayContaining(['master'])]);
  });

  test('a replica can be named, past the Sentinels', async () => {
    const [replica] = setup.replicas;
    const node = { host: replica?.host ?? '', port: replica?.port ?? 0 };
    const connection = await connect(ioredisDriver(instance(setup.masterName, addresses())), node);
    expect(connection.node).toEqual(node);
    const [reply] = await connection.send([{ name: 'SET', args: ['a', '1'] }]);
    expect(reply).toMatchObject({ code: 'RS_REDIS_REFUSED', details: { prefix: 'READONLY' } });
  });

  test('TLS for the Sentinels alone is none for the servers behind them', async () => {
    const { host, port } = setup.master;
    const options = { name: setup.masterName, sentinels: addresses(), tls: {}, ...lazy };
    for (const redis of [new Redis(options), new Redis6(options)]) {
      const driver = ioredisDriver(redis);
      expect((await connect(driver)).node).toEqual({ host, port });
      expect((await connect(driver, { host, port })).node).toEqual({ host, port });
    }
  });

  test('without a Sentinel that answers, or with a name that none knows, it is unavailable', async () => {
    for (const redis of [instance(setup.masterName, [await deserted()]), instance('nobody', addresses())]) {
      await expect(ioredisDriver(redis).connect({ timeout: 10_000 })).rejects.toMatchObject({
        code: 'RS_REDIS_UNAVAILABLE',
        message: expect.stringContaining('Sentinels'),
      });
    }
  });

  test('a Sentinel that is behind names a replica: unavailable, until it has caught up', async () => {
    const [replica] = setup.replicas;
    const port = String(replica?.port);
    const behind = await FakeServer.start((name) =>
      name === 'SENTINEL' ? `*2\r\n$9\r\n127.0.0.1\r\n$${port.length}\r\n${port}\r\n` : '+OK\r\n',
    );
    closable.push(behind);
    const driver = ioredisDriver(instance(setup.masterName, [behind.node]));
    await expect(driver.connect({ timeout: 10_000 })).rejects.toMatchObject({
      code: 'RS_REDIS_UNAVAILABLE',
      message: expect.stringContaining('a failover is under way'),
    });
  });
});

interface ClusterOptions {
  readonly redisOptions?: { readonly password: string };
  readonly natMap?: Record<string, RedisNode>;
}

describe.each([
  [
    '5',
    (nodes: (string | RedisNode)[], options: ClusterOptions) => new Cluster(nodes, { ...options, ...lazy }),
  ],
  [
    '6',
    (nodes: (string | RedisNode)[], options: ClusterOptions) => new Cluster6(nodes, { ...options, ...lazy }),
  ],
])('a cluster, ioredis %s', (_, instance) => {
  let setup: ClusterSetup;
  let nodes: RedisNode[];
  let first: RedisNode;

  beforeAll(async () => {
    setup = await startCluster({ requirepass: 'secret' });
    nodes = setup.nodes.map(({ host, port }) => ({ host, port }));
    [first = { host: '', port: 0 }] = nodes;
  });

  afterAll(async () => {
    await setup.stop();
  });

  const redisOptions = { password: 'secret' };

  test('any node, and the one that is named', async () => {
    const cluster = instance([...nodes], { redisOptions });
    const driver = ioredisDriver(cluster);
    expect(nodes).toContainEqual((await connect(driver)).node);
    for (const node of nodes) {
      const connection = await connect(driver, node);
      const [id] = await connection.send([{ name: 'CLUSTER', args: ['MYID'] }]);
      const named = setup.nodes.find(({ port }) => port === node.port);
      expect(id).toBe(await named?.cli('CLUSTER', 'MYID'));
      expect(connection.node).toEqual(node);
    }
    expect(cluster.status).toBe('wait');
    expect(cluster.nodes()).toEqual([]);
  });

  test('startup nodes that are away are passed over, and not asked first the next time', async () => {
    const gone = await deserted();
    const proxy = await proxyTo(gone);
    const startup = [{ host: proxy.host, port: proxy.port }, gone, first];
    const driver = ioredisDriver(instance(startup, { redisOptions }));
    expect((await connect(driver)).node).toEqual(first);
    expect((await connect(driver)).node).toEqual(first);
    expect(proxy.accepted).toBe(1);
  });

  test('a startup node that says nothing leaves time for the others', async () => {
    const silent = await FakeServer.start(() => '');
    closable.push(silent);
    const startup = [silent.node, first];
    const driver = ioredisDriver(instance(startup, { redisOptions }));
    const connection = await driver.connect({ timeout: 1_000 });
    connections.push(connection);
    expect(connection.node).toEqual(first);
  });

  test('where no startup node answers, all of them are named', async () => {
    const away = [await deserted(), await deserted()];
    const driver = ioredisDriver(instance([...away], {}));
    const named = away.map(({ host, port }) => `${host}:${port}`).join(', ');
    await expect(driver.connect({ timeout: 10_000 })).rejects.toMatchObject({
      code: 'RS_REDIS_UNAVAILABLE',
      message: expect.stringContaining(named),
    });
  });

  test('a wrong password is no reason to ask the others', async () => {
    const proxies = [await proxyTo(first), await proxyTo(first)];
    const startup = proxies.map(({ host, port }) => ({ host, port }));
    const driver = ioredisDriver(instance(startup, { redisOptions: { password: 'wrong' } }));
    await expect(driver.connect({ timeout: 10_000 })).rejects.toMatchObject({ code: 'RS_REDIS_AUTH' });
    expect(proxies.map(({ accepted }) => accepted)).toEqual([1, 0]);
  });

  test('startup nodes may be URLs, with a password of their own', async () => {
    const driver = ioredisDriver(instance([setup.nodes[0]?.url ?? ''], {}));
    expect((await connect(driver)).node).toEqual(first);
  });

  test('natMap leads to a node from outside; it keeps the name that the cluster gives it', async () => {
    const proxy = await proxyTo(first);
    const natMap = { [`${first.host}:${first.port}`]: { host: proxy.host, port: proxy.port } };
    const driver = ioredisDriver(instance([...nodes], { redisOptions, natMap }));
    const connection = await connect(driver, first);
    expect(connection.node).toEqual(first);
    expect(proxy.connections).toBe(1);
  });
});

test('one send is one write', async () => {
  const pieces: string[] = [];
  const server = await FakeServer.start((name, socket) => {
    if (socket.listenerCount('data') === 1) socket.on('data', (bytes: Buffer) => pieces.push(String(bytes)));
    return name === 'PING' ? '+PONG\r\n' : ':1\r\n';
  });
  closable.push(server);
  const connection = await connect(ioredisDriver(new Redis({ ...server.node, ...lazy })));
  pieces.length = 0;
  const commands = Array.from({ length: 50 }, (_, index) => ({
    name: 'SET',
    args: ['k', index % 2 === 0 ? 'text' : Buffer.from('bytes')],
  }));
  await connection.send(commands);
  expect(pieces).toHaveLength(1);
});
