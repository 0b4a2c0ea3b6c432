import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { FaultProxy, type RedisServer, eventually, startRedis } from '@rs/redis-server';
import { Redis } from 'ioredis';
import { Redis as Redis6 } from 'ioredis-6';
import { silentLogger, systemClock } from '@rs/core';
import type { RedisConnection, RedisDriver, RedisReply } from '../driver/driver.ts';
import { ioredisDriver } from '../driver/ioredis.ts';
import { createRedisClient } from '../client/create-redis-client.ts';
import { DedicatedConnection } from './dedicated-connection.ts';

/** Long enough for a busy machine, short enough to wait for. */
const BLOCK = 50;
const SLACK = 250;
const lazy = { lazyConnect: true };

let server: RedisServer;

beforeAll(async () => {
  server = await startRedis({ own: true });
});

afterAll(async () => {
  await server.stop();
});

describe.each([
  ['5', (port: number) => new Redis(port, lazy)],
  ['6', (port: number) => new Redis6(port, lazy)],
])('ioredis %s behind a bad network', (version, instance) => {
  let proxy: FaultProxy;
  let driver: RedisDriver;
  let dedicated: DedicatedConnection;
  const connections: RedisConnection[] = [];
  const key = `faults:${version}`;

  beforeEach(async () => {
    await server.cli('DEL', key);
    proxy = await FaultProxy.start({ to: server });
    driver = ioredisDriver(instance(proxy.port));
    dedicated = new DedicatedConnection({
      connect: (options) => driver.connect(options),
      driver: driver.name,
      target: 'test',
      connectTimeout: 5_000,
      backoff: { min: 1, max: 10 },
      random: () => 0,
      logger: silentLogger,
      slack: SLACK,
      unblock: (id) => server.cli('CLIENT', 'UNBLOCK', String(id), 'TIMEOUT'),
    });
  });

  afterEach(async () => {
    dedicated.close();
    for (const connection of connections.splice(0)) connection.destroy();
    await proxy.close();
  });

  async function connect(): Promise<RedisConnection> {
    const connection = await driver.connect({ timeout: 5_000 });
    connections.push(connection);
    return connection;
  }

  const pop = (): Promise<RedisReply> =>
    dedicated.call({ name: 'BLPOP', args: [key, BLOCK / 1000] }, { block: BLOCK });

  test('a late reply is a reply', async () => {
    const connection = await connect();
    proxy.set({ kind: 'delay', millis: 30 });
    expect(await connection.send([{ name: 'ECHO', args: ['a'] }])).toEqual(['a']);
  });

  test('a lost reply: the command was executed, once', async () => {
    const connection = await connect();
    proxy.loseNextReply();
    await expect(connection.send([{ name: 'RPUSH', args: [key, 'a'] }])).rejects.toMatchObject({
      code: 'RS_REDIS_CONNECTION_LOST',
      details: { sent: true },
    });
    expect(await server.cli('LRANGE', key, '0', '-1')).toEqual(['a']);
  });

  test.each([
    ['cut', () => proxy.cut()],
    ['half-closed', () => proxy.halfClose()],
  ])('a connection that is %s is closed, and nothing more is sent on it', async (_, happen) => {
    const connection = await connect();
    happen();
    expect(await connection.closed).toMatchObject({ code: 'RS_REDIS_CONNECTION_LOST' });
    await expect(connection.send([{ name: 'RPUSH', args: [key, 'a'] }])).rejects.toMatchObject({
      details: { sent: false },
    });
    expect(await server.cli('EXISTS', key)).toBe(0);
  });

  test.each(['requests', 'replies', 'everything'] as const)(
    'half-open, %s are swallowed: the deadline notices, and the next call works',
    async (what) => {
      expect(await pop()).toBeNull();
      proxy.set({ kind: 'swallow', what });
      await expect(pop()).rejects.toMatchObject({ code: 'RS_REDIS_TIMEOUT', details: { sent: true } });
      proxy.heal();
      await server.cli('RPUSH', key, 'a');
      expect(await pop()).toEqual([key, 'a']);
      expect(proxy.accepted).toBe(2);
    },
  );

  test('connections that stand are forgotten, new ones work: noticed while calls keep coming', async () => {
    const client = createRedisClient(driver, { replyTimeout: 400, commandTimeout: 30_000 });
    let goOn = true;
    try {
      await client.command({ name: 'PING', args: [] });
      proxy.freeze();
      const first = client.command({ name: 'PING', args: [] }).catch((error: unknown) => error);
      void first.finally(() => (goOn = false));
      // Nobody waits for a reply before the next call.
      const calls: Promise<unknown>[] = [];
      for (; goOn && calls.length < 200; await pause(20)) {
        calls.push(client.command({ name: 'PING', args: [] }).catch((error: unknown) => error));
      }
      expect(await first).toMatchObject({ code: 'RS_REDIS_CONNECTION_LOST', details: { sent: true } });
      expect(calls.length).toBeLessThan(200);
      expect(await client.command({ name: 'PING', args: [] })).toBe('PONG');
      expect(proxy.accepted).toBe(2);
    } finally {
      await client.close();
    }
  });

  test('a slow network is not a dead one: what takes longer than the silence arrives, both ways', async () => {
    const client = createRedisClient(driver, { replyTimeout: 750, commandTimeout: 60_000 });
    const message = 'm'.repeat(16 * 1024 * 1024);
    try {
      await client.command({ name: 'PING', args: [] });
      proxy.set({ kind: 'limit', bytesPerSecond: 10_000_000 });
      const started = systemClock.now();
      const [reply] = await Promise.all([
        client.command({ name: 'ECHO', args: [message] }),
        client.command({ name: 'PING', args: [] }),
      ]);
      expect(reply === message).toBe(true);
      expect(systemClock.now() - started).toBeGreaterThan(3_000);
      expect(proxy.accepted).toBe(1);
      await server.cli('DEL', key);
      const popped = dedicated.call({ name: 'BLPOP', args: [key, BLOCK / 1000] }, { block: BLOCK });
      await client.command({ name: 'RPUSH', args: [key, message] });
      expect((await popped) ?? (await pop())).toEqual([key, message]);
    } finally {
      await client.close();
    }
  });

  test('connections are refused for a while', async () => {
    proxy.set({ kind: 'refuse' });
    for (let i = 0; i < 5; i++) await expect(pop()).rejects.toMatchObject({ code: 'RS_REDIS_UNAVAILABLE' });
    proxy.heal();
    expect(await pop()).toBeNull();
  });

  test('a server that stands still: no connection, no reply, and all is well when it goes on', async () => {
    expect(await pop()).toBeNull();
    await server.pause();
    try {
      await expect(driver.connect({ timeout: SLACK })).rejects.toMatchObject({
        code: 'RS_REDIS_UNAVAILABLE',
      });
      await expect(pop()).rejects.toMatchObject({ code: 'RS_REDIS_TIMEOUT' });
    } finally {
      await server.resume();
    }
    await server.cli('RPUSH', key, 'a');
    expect(await pop()).toEqual([key, 'a']);
  });

  test('wake against replies, many times: nothing hangs and nothing is lost', async () => {
    const popped: unknown[] = [];
    const long = (): Promise<RedisReply> =>
      dedicated.call({ name: 'BLPOP', args: [key, 60] }, { block: 60_000 });
    for (let i = 0; i < 100; i++) {
      const call = long();
      const push = i % 2 === 0 ? server.cli('RPUSH', key, String(i)) : undefined;
      for (let ticks = 0; ticks < i % 7; ticks++) await new Promise((resolve) => setImmediate(resolve));
      dedicated.wake();
      const reply = await call;
      if (Array.isArray(reply)) popped.push(reply[1]);
      await push;
    }
    for (let reply = await pop(); Array.isArray(reply); reply = await pop()) popped.push(reply[1]);
    expect(popped).toEqual(Array.from({ length: 50 }, (_, index) => String(2 * index)));
    // Never by the emergency exit.
    expect(proxy.accepted).toBe(1);
  });

  test('connections that come and go leave no socket behind', async () => {
    for (let i = 0; i < 20; i++) (await connect()).destroy();
    await eventually('all sockets to be closed', () => Promise.resolve(proxy.connections === 0 || undefined));
    expect(proxy.accepted).toBe(20);
  });
});
