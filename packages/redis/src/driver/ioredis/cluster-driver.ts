import { isRsError } from '@rs/core';
import type { ConnectOptions, RedisConnection, RedisDriver, RedisNode } from '../driver.ts';
import { type ClientFactory, clientFactory } from './client-factory.ts';
import { checkOptions, plainOptions } from './client-options.ts';
import { connectClient, unavailable } from './connect-client.ts';
import { type IoredisInstance, type NodeOptions, duplicated, notIoredis } from './instance.ts';
import { messageOf } from './message-of.ts';
import { type Seed, clusterSettings, mapped, seedsOf } from './seeds.ts';

/** The nodes of a cluster: one that is named, or the first of the startup nodes that answers. */
export function clusterDriver(cluster: IoredisInstance): RedisDriver {
  checkOptions(cluster.options);
  const settings = clusterSettings(cluster);
  const factory = clientFactory(sampleNode(cluster));
  // Where the last search ended: a startup node that is gone is not asked first again and again.
  let start = 0;
  return {
    name: 'ioredis',
    topology: 'cluster',
    connect: async (options) => {
      const seeds = await seedsOf(settings);
      const { node } = options;
      if (node !== undefined) {
        const own = seeds.find(({ host, port }) => host === node.host && port === node.port);
        return connectTo(factory, options, node, { ...own, ...mapped(settings, node) });
      }
      const found = await firstOf(factory, options, seeds, start);
      start = found.index;
      return found.connection;
    },
  };
}

async function firstOf(
  factory: ClientFactory,
  options: ConnectOptions,
  seeds: readonly Seed[],
  start: number,
): Promise<{ readonly connection: RedisConnection; readonly index: number }> {
  // One that swallows everything must not use up the time of the others.
  const timeout = Math.ceil(options.timeout / seeds.length);
  let lastError: unknown;
  for (let i = 0; i < seeds.length; i++) {
    const index = (start + i) % seeds.length;
    const seed = seeds[index];
    if (seed === undefined) continue;
    try {
      return { connection: await connectTo(factory, { ...options, timeout }, seed, seed), index };
    } catch (error) {
      if (!isRsError(error, 'RS_REDIS_UNAVAILABLE')) throw error;
      lastError = error;
    }
  }
  const names = seeds.map(({ host, port }) => `${host}:${port}`).join(', ');
  throw unavailable(
    'the cluster',
    `none of its startup nodes answers: ${names}; the last one: ${messageOf(lastError)}`,
    lastError,
  );
}

function connectTo(
  { options: base, make, makeCommand }: ClientFactory,
  { timeout, signal }: ConnectOptions,
  node: RedisNode,
  address: Partial<NodeOptions>,
): Promise<RedisConnection> {
  const own = { ...base, ...address };
  return connectClient({
    client: make({ ...own, ...plainOptions(own, timeout) }),
    makeCommand,
    // A cluster has no other database.
    handshake: { username: own.username, password: own.password, db: 0, mustBeMaster: false },
    node: { host: node.host, port: node.port },
    target: `${node.host}:${node.port}`,
    timeout,
    signal,
  });
}

/**
 * A cluster has no public way to its class of nodes while it is lazy. The pool of a duplicate that never connects makes one
 * that does not connect either, with all that `redisOptions` says.
 */
function sampleNode(cluster: IoredisInstance): unknown {
  const copy = duplicated(cluster, [], { lazyConnect: true });
  const pool: unknown =
    typeof copy === 'object' && copy !== null ? Reflect.get(copy, 'connectionPool') : undefined;
  const make: unknown =
    typeof pool === 'object' && pool !== null ? Reflect.get(pool, 'findOrCreate') : undefined;
  if (typeof make === 'function')
    return Reflect.apply(make, pool, [{ host: '127.0.0.1', port: 6379, lazyConnect: true }, false]);
  throw notIoredis('this Cluster');
}
