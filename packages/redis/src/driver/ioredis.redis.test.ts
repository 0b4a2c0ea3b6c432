import { afterAll, beforeAll, describe, test } from '@jest/globals';
import {
  type ClusterSetup,
  type RedisServer,
  type SentinelSetup,
  startCluster,
  startRedis,
  startSentinel,
} from '@rs/redis-server';
import * as ioredis5 from 'ioredis';
import * as ioredis6 from 'ioredis-6';
import { redisDriverCases } from '../testing/index.ts';
import type { RedisDriver } from './driver.ts';
import { ioredisDriver } from './ioredis.ts';

const lazy = { lazyConnect: true };
const user = { username: 'worker', password: 'p w ü' };
const acl = [{ user: user.username, password: user.password, rules: ['~conformance:*', '+@all'] }];

let single: RedisServer;
let secure: RedisServer;
let watched: SentinelSetup;
let cluster: ClusterSetup;

beforeAll(async () => {
  single = await startRedis();
  secure = await startRedis({ tls: true, acl });
  watched = await startSentinel({ requirepass: 'secret' });
  cluster = await startCluster();
});

afterAll(async () => {
  for (const setup of [single, secure, watched, cluster]) await setup?.stop();
});

describe.each([
  ['ioredis 5', 'ioredis5'],
  ['ioredis 6', 'ioredis6'],
] as const)('%s', (_, version) => {
  const is5 = version === 'ioredis5';

  const drivers: Readonly<Record<string, () => RedisDriver>> = {
    'a server': () => {
      const { host, port } = single;
      return ioredisDriver(
        is5 ? new ioredis5.Redis({ host, port, ...lazy }) : new ioredis6.Redis({ host, port, ...lazy }),
      );
    },
    'another database of a server': () => {
      const { host, port } = single;
      return ioredisDriver(
        is5
          ? new ioredis5.Redis({ host, port, db: 5, ...lazy })
          : new ioredis6.Redis({ host, port, db: 5, ...lazy }),
      );
    },
    'a server with TLS and a user': () => {
      const { host, port, tls } = secure;
      const options = { host, port, tls: { ca: tls?.ca }, ...user, ...lazy };
      return ioredisDriver(is5 ? new ioredis5.Redis(options) : new ioredis6.Redis(options));
    },
    Sentinels: () => {
      const { masterName: name, sentinels } = watched;
      const options = {
        name,
        sentinels: sentinels.map(({ host, port }) => ({ host, port })),
        password: 'secret',
        ...lazy,
      };
      return ioredisDriver(is5 ? new ioredis5.Redis(options) : new ioredis6.Redis(options));
    },
    'a cluster': () => {
      const nodes = cluster.nodes.map(({ host, port }) => ({ host, port }));
      return ioredisDriver(is5 ? new ioredis5.Cluster(nodes, lazy) : new ioredis6.Cluster(nodes, lazy));
    },
  };

  describe.each(Object.entries(drivers))('%s', (where, driver) => {
    const cases = redisDriverCases({ driver, prefix: `conformance:${version}:`, tls: where.includes('TLS') });
    test.each(cases.map((entry) => [entry.name, entry] as const))('%s', (__, entry) => entry.run());
  });
});
