import { expect, test } from '@jest/globals';
import { useRedis } from '@rs/redis-server/jest';
import { Redis } from 'ioredis';
import { RsError, isRsError } from '@rs/core';
import type { RedisCommand, RedisConnection, RedisDriver, RedisReply } from '../driver/driver.ts';
import { ioredisDriver } from '../driver/ioredis.ts';
import { redisDriverCases } from './redis-driver-cases.ts';

const server = useRedis();

/** A connection with something else in the place of a part of it. */
type Change = (connection: RedisConnection) => Partial<RedisConnection>;

let shared: Promise<RedisConnection> | undefined;

function healthy(): RedisDriver {
  const { host, port } = server();
  return ioredisDriver(new Redis({ host, port, lazyConnect: true }));
}

function changed(change: Change): RedisDriver {
  const driver = healthy();
  return {
    ...driver,
    connect: async (options) => {
      const connection = await driver.connect(options);
      return {
        node: connection.node,
        closed: connection.closed,
        send: (commands) => connection.send(commands),
        traffic: () => connection.traffic(),
        destroy: () => connection.destroy(),
        ...change(connection),
      };
    },
  };
}

const sending =
  (send: (connection: RedisConnection, commands: readonly RedisCommand[]) => Promise<RedisReply[]>): Change =>
  (connection) => ({ send: (commands) => send(connection, commands) });

const decoded = (reply: RedisReply): RedisReply => (Buffer.isBuffer(reply) ? reply.toString() : reply);

/** What is wrong with a driver, and the case that has to find it out. */
const FAULTS: readonly (readonly [fault: string, found: string, change: Change])[] = [
  [
    'all replies are text',
    'bytes arrive untouched: nothing',
    sending(async (connection, commands) => (await connection.send(commands)).map(decoded)),
  ],
  [
    'bytes go as text',
    'bytes arrive untouched: what is not UTF-8',
    sending((connection, commands) =>
      connection.send(
        commands.map((command) => ({
          ...command,
          args: command.args.map((argument) =>
            typeof argument === 'object' ? Buffer.from(argument).toString() : argument,
          ),
        })),
      ),
    ),
  ],
  [
    'error replies are thrown',
    'an error reply stands in its place, and the others stay',
    sending(async (connection, commands) => {
      const replies = await connection.send(commands);
      for (const reply of replies) if (isRsError(reply)) throw reply;
      return replies;
    }),
  ],
  [
    'pairs are nested',
    'pairs are flat: hgetall',
    sending(async (connection, commands) => {
      const replies = await connection.send(commands);
      return replies.map((reply) => (Array.isArray(reply) ? [reply.slice(0, 2), reply.slice(2)] : reply));
    }),
  ],
  [
    'the commands of one send go out in reverse order',
    'an error reply stands in its place, and the others stay',
    sending(async (connection, commands) => (await connection.send([...commands].reverse())).reverse()),
  ],
  [
    'a lost call is sent again',
    'what was sent is never sent again',
    (connection) => ({
      send: async (commands) => {
        try {
          return await connection.send(commands);
        } catch (error) {
          if (!isRsError(error, 'RS_REDIS_CONNECTION_LOST')) throw error;
          const again = await healthy().connect({ timeout: 5_000 });
          const replies = await again.send(commands.filter(({ name }) => name !== 'BLPOP'));
          again.destroy();
          return replies;
        }
      },
    }),
  ],
  [
    'nobody knows whether it was sent',
    'after destroy nothing is sent; destroying twice does no harm',
    (connection) => ({
      send: (commands) =>
        connection.send(commands).catch((error: unknown) => {
          throw isRsError(error) ? new RsError(error.code, error.message) : error;
        }),
    }),
  ],
  [
    'a command counts as sent when it is sent whole',
    'traffic: a large command leaves bit by bit, and its reply comes so',
    (connection) => ({
      traffic: () => {
        const { received, sent, waiting } = connection.traffic();
        return waiting > 0 ? { received, sent: 0, waiting: sent + waiting } : { received, sent, waiting };
      },
    }),
  ],
  [
    'what was written counts as sent',
    'traffic: a large command leaves bit by bit, and its reply comes so',
    (connection) => ({
      traffic: () => {
        const { received, sent, waiting } = connection.traffic();
        return { received, sent: sent + waiting, waiting: 0 };
      },
    }),
  ],
  [
    'replies are counted when they are complete',
    'traffic: a large command leaves bit by bit, and its reply comes so',
    (connection) => {
      let received = 0;
      return {
        send: async (commands) => {
          const replies = await connection.send(commands);
          ({ received } = connection.traffic());
          return replies;
        },
        traffic: () => ({ ...connection.traffic(), received }),
      };
    },
  ],
  [
    'one connection for all',
    'connections know nothing of each other',
    sending((_, commands) =>
      (shared ??= healthy().connect({ timeout: 5_000 })).then((one) => one.send(commands)),
    ),
  ],
];

test.each(FAULTS)('%s: found out by "%s"', async (_, found, change) => {
  const cases = redisDriverCases({ driver: () => changed(change), prefix: 'faulty-drivers:' });
  const finder = cases.find(({ name }) => name === found);
  await expect(finder?.run()).rejects.toThrow();
  (await shared)?.destroy();
});

test('the sound one is not', async () => {
  const cases = redisDriverCases({ driver: () => changed(() => ({})), prefix: 'faulty-drivers:' });
  for (const { run } of cases) await run();
});

test('with TLS the cases that need a server of their own are left out', () => {
  const subject = { driver: () => changed(() => ({})), prefix: '' };
  const [all, some] = [redisDriverCases(subject), redisDriverCases({ ...subject, tls: true })];
  expect(some.length).toBeLessThan(all.length);
  expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
});
