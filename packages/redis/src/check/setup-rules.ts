import type { RedisClient } from '../client/client.ts';
import { type Verdict, error, ok, warning } from './finding.ts';
import type { ServerFacts } from './server-facts.ts';
import { isAtLeast } from './server-info.ts';

export interface SetupRules {
  readonly topology: RedisClient['topology'];
  /** A policy that removes keys is a warning instead of an error. */
  readonly allowEviction: boolean;
}

const FLOORS = { redis: '7.0', valkey: '7.2' } as const;

/** How a server is set up: what has to be right before anything is written to it. */
export function checkSetup(facts: ServerFacts, rules: SetupRules): Verdict[] {
  return [
    ...version(facts),
    ...topology(facts, rules),
    role(facts),
    ...eviction(facts, rules),
    ...persistence(facts),
  ];
}

function version({ product, version: actual }: ServerFacts): Verdict[] {
  if (product === 'dragonfly') {
    return [
      warning(
        'product',
        `this is Dragonfly ${actual}, on which @rs is not tested`,
        'use Redis or Valkey, or test well',
      ),
    ];
  }
  if (product === 'keydb') {
    return [
      error(
        'product',
        `this is KeyDB ${actual}, which lacks what came with Redis 7`,
        'use Redis 7.0 or Valkey 7.2, or newer',
      ),
    ];
  }
  const name = product === 'valkey' ? 'Valkey' : 'Redis';
  const floor = FLOORS[product];
  if (isAtLeast(actual, floor)) return [ok('version', `${name} ${actual}`)];
  return [
    error(
      'version',
      `this is ${name} ${actual}; @rs needs ${floor} or newer`,
      `upgrade it to ${name} ${floor} or newer`,
    ),
  ];
}

function topology({ info }: ServerFacts, rules: SetupRules): Verdict[] {
  if (info.get('redis_mode') === 'sentinel') {
    return [
      error(
        'topology',
        'this is a Sentinel, not a server with data',
        'give ioredis the Sentinels as `sentinels` together with the `name` of the master',
      ),
    ];
  }
  const enabled = info.get('cluster_enabled');
  if (enabled === undefined) return [];
  const actual = enabled === '1' ? 'cluster' : 'single';
  if (actual === rules.topology) {
    return [ok('topology', actual === 'cluster' ? 'a node of a cluster' : 'a single server')];
  }
  if (actual === 'cluster') {
    return [
      error(
        'topology',
        'this is a node of a cluster, but the client was made for a single server',
        'make a Cluster of ioredis instead of a Redis',
      ),
    ];
  }
  return [
    error(
      'topology',
      'this is a single server, but the client was made for a cluster',
      'make a Redis of ioredis instead of a Cluster',
    ),
  ];
}

function role({ info }: ServerFacts): Verdict {
  if (info.get('role') !== 'slave') return ok('role', 'a master');
  const master = `${info.get('master_host') ?? 'unknown'}:${info.get('master_port') ?? ''}`;
  return error(
    'role',
    `this is a replica of ${master}: it takes no writes`,
    'connect to the master; with failover through Sentinel (options `sentinels` and `name` of ioredis) or a cluster',
  );
}

function eviction({ evictionPolicy }: ServerFacts, { allowEviction }: SetupRules): Verdict[] {
  if (evictionPolicy === undefined) {
    return [
      warning(
        'config-hidden',
        'neither CONFIG GET nor INFO tells the maxmemory-policy',
        'make sure that it is noeviction: any other removes messages and state when memory is full',
      ),
    ];
  }
  if (evictionPolicy === 'noeviction') return [ok('eviction', 'maxmemory-policy noeviction')];
  const judge = allowEviction ? warning : error;
  return [
    judge(
      'eviction',
      `maxmemory-policy is ${evictionPolicy}: when memory is full, Redis silently removes messages, leases and state`,
      'set it with CONFIG SET maxmemory-policy noeviction, and in redis.conf or the settings of the service' +
        (allowEviction ? '' : '; to take the risk, pass allowEviction: true'),
    ),
  ];
}

function persistence({ info, savePoints }: ServerFacts): Verdict[] {
  const failed = [
    ...(info.get('aof_last_write_status') === 'err' ? ['its append-only file cannot be written'] : []),
    ...(info.get('rdb_last_bgsave_status') === 'err' ? ['its last RDB snapshot failed'] : []),
  ];
  if (failed.length > 0) {
    return [
      error('persistence', failed.join(', and '), 'look into the log of the server; often its disk is full'),
    ];
  }
  if (info.get('aof_enabled') === '1') return [ok('persistence', 'AOF')];
  if (savePoints === undefined) {
    return [
      warning(
        'persistence',
        'without AOF, and CONFIG GET does not tell whether RDB snapshots are taken',
        'make sure that the service keeps data over a restart; AOF loses one second at most, snapshots minutes',
      ),
    ];
  }
  if (savePoints !== '') {
    return [
      warning(
        'persistence',
        `RDB snapshots only (save ${savePoints}): a crash loses everything since the last one`,
        'set appendonly yes to lose one second at most',
      ),
    ];
  }
  return [
    warning(
      'persistence',
      'neither AOF nor RDB: a restart loses everything',
      'set appendonly yes, unless that is what you want',
    ),
  ];
}
