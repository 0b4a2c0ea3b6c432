import type { ConnectOptions, RedisConnection, RedisDriver, RedisNode } from '../driver.ts';
import { type ClientFactory, clientFactory } from './client-factory.ts';
import { checkOptions, plainOptions } from './client-options.ts';
import { connectClient } from './connect-client.ts';
import { type IoredisInstance, type NodeOptions, duplicated } from './instance.ts';

/** One master, found anew with every connection where Sentinels know it. */
export function singleDriver(redis: IoredisInstance): RedisDriver {
  const factory = clientFactory(duplicated(redis, { lazyConnect: true }));
  checkOptions(factory.options);
  return {
    name: 'ioredis',
    topology: 'single',
    connect: (options) => connect(factory, options),
  };
}

function connect(factory: ClientFactory, options: ConnectOptions): Promise<RedisConnection> {
  const { options: base, make, makeCommand } = factory;
  const { node, timeout, signal } = options;
  const bySentinels = node === undefined && hasSentinels(base);
  const address = node === undefined ? {} : addressOptions(base, node);
  return connectClient({
    client: make({ ...base, ...plainOptions(base, timeout), ...address }),
    makeCommand,
    handshake: { username: base.username, password: base.password, db: base.db, mustBeMaster: bySentinels },
    node: node ?? (bySentinels ? undefined : addressOf(base)),
    target: node === undefined ? targetOf(base) : `${node.host}:${node.port}`,
    timeout,
    signal,
  });
}

/** Past the Sentinels. Behind them ioredis leaves TLS out unless it is told otherwise. */
function addressOptions(base: NodeOptions, { host, port }: RedisNode): object {
  const plain = hasSentinels(base) && base.enableTLSForSentinelMode !== true;
  return { host, port, path: undefined, sentinels: null, ...(plain ? { tls: undefined } : {}) };
}

function hasSentinels({ sentinels }: NodeOptions): boolean {
  return sentinels !== undefined && sentinels !== null;
}

/** A Unix socket is its path, and port 0. */
function addressOf({ path, host, port }: NodeOptions): RedisNode {
  if (typeof path === 'string' && path !== '') return { host: path, port: 0 };
  return { host: host ?? 'localhost', port: port ?? 6379 };
}

function targetOf(options: NodeOptions): string {
  if (hasSentinels(options))
    return `the master '${String(options.name)}' of ${options.sentinels?.length ?? 0} Sentinels`;
  const { host, port } = addressOf(options);
  return port === 0 ? host : `${host}:${port}`;
}
