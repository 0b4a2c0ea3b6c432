import { lookup } from 'node:dns';
import { RsError } from '@rs/core';
import type { RedisNode } from '../driver.ts';
import { type IoredisInstance, type NodeOptions, notIoredis } from './instance.ts';

/** A startup node with the options that it alone has. */
export type Seed = RedisNode & Partial<NodeOptions>;

type Lookup = (host: string, done: (error: Error | null | undefined, address?: string) => void) => void;
type ResolveSrv = (
  name: string,
  done: (error: Error | null | undefined, records?: readonly SrvRecord[]) => void,
) => void;

type StartupNode = string | number | Partial<NodeOptions>;

interface SrvRecord {
  readonly name: string;
  readonly port: number;
  readonly priority: number;
}

/** What we read of a `Cluster`. */
export interface ClusterSettings {
  readonly startupNodes: readonly StartupNode[];
  readonly natMap?: Readonly<Record<string, RedisNode>> | ((key: string) => RedisNode | null) | null;
  readonly dnsLookup?: Lookup;
  readonly useSRVRecords?: boolean;
  readonly resolveSrv?: ResolveSrv;
}

export function clusterSettings(cluster: IoredisInstance): ClusterSettings {
  const startupNodes: unknown = Reflect.get(cluster, 'startupNodes');
  if (!Array.isArray(startupNodes)) throw notIoredis('this Cluster');
  if (startupNodes.length === 0) {
    throw new RsError(
      'RS_INVALID_ARGUMENT',
      'ioredisDriver: the Cluster has no startup nodes; give it at least one',
    );
  }
  return { ...(cluster.options as Omit<ClusterSettings, 'startupNodes'>), startupNodes };
}

/** The address under which a node is reached from here. */
export function mapped({ natMap }: ClusterSettings, { host, port }: RedisNode): RedisNode {
  const key = `${host}:${port}`;
  const outside = typeof natMap === 'function' ? natMap(key) : natMap?.[key];
  return outside === undefined || outside === null
    ? { host, port }
    : { host: outside.host, port: outside.port };
}

/** The startup nodes, with the service records and lookups that the cluster was told to use. */
export async function seedsOf(settings: ClusterSettings): Promise<readonly Seed[]> {
  const seeds = settings.startupNodes.map(seedOf);
  const { useSRVRecords, resolveSrv, dnsLookup } = settings;
  if (useSRVRecords === true && resolveSrv !== undefined) {
    return (await Promise.all(seeds.map((seed) => serviceSeeds(seed, resolveSrv)))).flat();
  }
  // The machine's own lookup is left to the socket, which then knows the name for TLS.
  if (dnsLookup === undefined || dnsLookup === lookup) return seeds;
  return Promise.all(seeds.map((seed) => lookedUp(seed, dnsLookup)));
}

function seedOf(node: StartupNode): Seed {
  const given = typeof node === 'string' ? ofUrl(node) : typeof node === 'number' ? { port: node } : node;
  return { ...given, host: given.host ?? '127.0.0.1', port: Number(given.port ?? 6379) };
}

/** Such as `redis://user:password@host:7000`, `rediss://host`, `host:7000` and `7000`; a cluster has no other database. */
function ofUrl(text: string): Partial<NodeOptions> {
  if (/^\d+$/.test(text)) return { port: Number(text) };
  const { protocol, hostname, port, username, password } = new URL(
    text.includes('://') ? text : `redis://${text}`,
  );
  return {
    // IPv6 stands in brackets in a URL only.
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    ...(port === '' ? {} : { port: Number(port) }),
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
    ...(protocol === 'rediss:' ? { tls: true } : {}),
  };
}

function serviceSeeds(seed: Seed, resolveSrv: ResolveSrv): Promise<readonly Seed[]> {
  return new Promise((resolve) => {
    resolveSrv(seed.host, (error, records = []) => {
      // It stays in the list, so that the message says what could not be reached.
      if (error !== null && error !== undefined) return resolve([seed]);
      const sorted = [...records].sort((a, b) => a.priority - b.priority);
      resolve(sorted.map(({ name, port }) => ({ ...seed, host: name, port })));
    });
  });
}

function lookedUp(seed: Seed, dnsLookup: Lookup): Promise<Seed> {
  return new Promise((resolve) => {
    dnsLookup(seed.host, (_, address) => resolve(address === undefined ? seed : { ...seed, host: address }));
  });
}
