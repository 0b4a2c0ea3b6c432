import { afterEach, describe, expect, test } from '@jest/globals';
import { type RedisServer, eventually, startRedis } from '@rs/redis-server';
import { useRedis } from '@rs/redis-server/jest';
import { Redis, type RedisOptions } from 'ioredis';
import { Redis as Redis6, type RedisOptions as RedisOptions6 } from 'ioredis-6';
import type { RedisConnection, RedisDriver } from './driver.ts';
import { ioredisDriver } from './ioredis.ts';

const server = useRedis();
const made: (Redis | Redis6)[] = [];
const connections: RedisConnection[] = [];

function user(options: RedisOptions = {}): Redis {
  const { host, port } = server();
  const redis = new Redis({ host, port, lazyConnect: true, ...options });
  made.push(redis);
  return redis;
}

function user6(options: Omit<RedisOptions6, 'replyMapping'> = {}): Redis6 {
  const { host, port } = server();
  const redis = new Redis6({ host, port, lazyConnect: true, ...options });
  made.push(redis);
  return redis;
}

async function connect(driver: RedisDriver): Promise<RedisConnection> {
  const connection = await driver.connect({ timeout: 5_000 });
  connections.push(connection);
  return connection;
}

afterEach(() => {
  for (const connection of connections.splice(0)) connection.destroy();
  // ioredis waits two seconds for the end of a socket that has ended.
  for (const redis of made.splice(0)) if (redis.status !== 'end') redis.disconnect();
});

describe.each([
  ['ioredis 5', user],
  ['ioredis 6', user6],
])("the user's instance of %s", (_, instance) => {
  test('stays unconnected when it is lazy', async () => {
    const redis = instance();
    const connection = await connect(ioredisDriver(redis));
    await connection.send([{ name: 'PING', args: [] }]);
    expect(redis.status).toBe('wait');
  });

  test('stays connected, unused and unheard when it is connected', async () => {
    const redis = instance();
    await redis.connect();
    const before = {
      id: await redis.client('ID'),
      listeners: listeners(redis),
      options: { ...redis.options },
    };
    const driver = ioredisDriver(redis);
    for (let i = 0; i < 20; i++) {
      const connection = await connect(driver);
      const [id] = await connection.send([{ name: 'CLIENT', args: ['ID'] }]);
      expect(id).not.toBe(before.id);
      connection.destroy();
    }
    expect({ id: await redis.client('ID'), listeners: listeners(redis), options: redis.options }).toEqual(
      before,
    );
  });

  test('may be gone: its options are enough', async () => {
    const redis = instance();
    await redis.connect();
    const driver = ioredisDriver(redis);
    redis.disconnect();
    const connection = await connect(driver);
    expect(await connection.send([{ name: 'PING', args: [] }])).toEqual(['PONG']);
  });
});

function listeners(redis: Redis | Redis6): unknown {
  return redis.eventNames().map((name) => [name, redis.listenerCount(name)]);
}

/** Each of these would break a connection of ours, or the shape of its replies. */
const HOSTILE = {
  commandTimeout: 1,
  socketTimeout: 1,
  blockingTimeout: 1,
  stringNumbers: true,
  enableAutoPipelining: true,
  enableOfflineQueue: true,
  showFriendlyErrorStack: true,
  readOnly: true,
  connectionName: 'two words',
  reconnectOnError: () => true,
  retryStrategy: () => 1,
  maxRetriesPerRequest: 1,
} as const;

test.each([
  ['5', () => user(HOSTILE)],
  ['6', () => user6(HOSTILE)],
  ['6 with RESP3', () => user6({ ...HOSTILE, protocol: 3 })],
])("options of the user's own do not reach into our connections: ioredis %s", async (_, instance) => {
  const connection = await connect(ioredisDriver(instance()));
  const key = `instance:${process.pid}`;
  const [id] = await connection.send([{ name: 'CLIENT', args: ['ID'] }]);
  const blocked = connection.send([{ name: 'BLPOP', args: [key, 0] }]);
  await eventually('the connection to be blocked', async () =>
    String(await server().cli('CLIENT', 'LIST', 'ID', String(id))).includes(' flags=b ') ? true : undefined,
  );
  await server().cli('RPUSH', key, 'x');
  expect(await blocked).toEqual([[key, 'x']]);
  const replies = await connection.send([
    { name: 'INCR', args: [key] },
    { name: 'CONFIG', args: ['GET', 'maxmemory-policy'] },
    { name: 'DEL', args: [key] },
  ]);
  expect(replies).toEqual([1, ['maxmemory-policy', 'noeviction'], 1]);
});

test('the name of connections is kept where it can be', async () => {
  const connection = await connect(ioredisDriver(user({ connectionName: 'billing' })));
  expect(await connection.send([{ name: 'CLIENT', args: ['GETNAME'] }])).toEqual(['billing']);
});

describe('access', () => {
  test('a database that there is not is an error of the configuration', async () => {
    const driver = ioredisDriver(user({ db: 99 }));
    await expect(driver.connect({ timeout: 5_000 })).rejects.toMatchObject({
      code: 'RS_REDIS_CONFIG',
      retriable: false,
      message: expect.stringContaining('database 99'),
    });
  });

  test('another database is selected', async () => {
    const driver = ioredisDriver(user({ db: 7 }));
    const connection = await connect(driver);
    const [info] = await connection.send([{ name: 'CLIENT', args: ['INFO'] }]);
    expect(info).toContain(' db=7 ');
  });

  test('a password that nobody asked for does no harm', async () => {
    const connection = await connect(ioredisDriver(user({ password: 'unasked' })));
    expect(await connection.send([{ name: 'PING', args: [] }])).toEqual(['PONG']);
  });

  describe('with users', () => {
    let own: RedisServer;
    const acl = [{ user: 'worker', password: 'p', rules: ['~jobs:*', '+set'] }];

    test.each([
      ['no password', {}],
      ['a wrong password', { username: 'worker', password: 'q' }],
      ['an unknown user', { username: 'nobody', password: 'p' }],
    ])('%s: RS_REDIS_AUTH, which waiting does not change', async (_, credentials) => {
      own = await startRedis({ requirepass: 'secret', acl });
      try {
        const { host, port } = own;
        const driver = ioredisDriver(user({ host, port, ...credentials }));
        await expect(driver.connect({ timeout: 5_000 })).rejects.toMatchObject({
          code: 'RS_REDIS_AUTH',
          retriable: false,
          message: expect.stringContaining(`${host}:${port}`),
        });
      } finally {
        await own.stop();
      }
    });

    test('a user who may do nothing but the work is enough', async () => {
      own = await startRedis({ requirepass: 'secret', acl });
      try {
        const { host, port } = own;
        const connection = await connect(
          ioredisDriver(user({ host, port, username: 'worker', password: 'p' })),
        );
        const [ok, refused] = await connection.send([
          { name: 'SET', args: ['jobs:1', 'x'] },
          { name: 'SET', args: ['other', 'x'] },
        ]);
        expect(ok).toBe('OK');
        expect(refused).toMatchObject({ code: 'RS_REDIS_AUTH' });
      } finally {
        await own.stop();
      }
    });
  });

  test('a server whose certificate nobody vouches for is unavailable', async () => {
    const own = await startRedis({ tls: true });
    try {
      const { host, port } = own;
      const driver = ioredisDriver(user({ host, port, tls: {} }));
      await expect(driver.connect({ timeout: 5_000 })).rejects.toMatchObject({
        code: 'RS_REDIS_UNAVAILABLE',
        message: expect.stringContaining('self-signed certificate'),
      });
    } finally {
      await own.stop();
    }
  });
});
