import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { systemClock } from '@rs/core';
import { type RedisServer, startRedis } from '@rs/redis-server';
import { Redis } from 'ioredis';
import { appendOnce, numbers, realScript } from '../test-support/real-script.ts';
import { untilBlocked } from '../test-support/until-blocked.ts';
import type { RedisClient } from './client.ts';
import { createRedisClient } from './create-redis-client.ts';
import type { RedisClientOptions } from './options.ts';

let server: RedisServer;
const clients: RedisClient[] = [];

function connect(options: RedisClientOptions = {}): RedisClient {
  const client = createRedisClient(new Redis(server.url, { lazyConnect: true }), options);
  clients.push(client);
  return client;
}

const list = (client: RedisClient, key: string) =>
  client.command({ name: 'LRANGE', args: [key, 0, -1] }, { key });

beforeAll(async () => {
  server = await startRedis({ own: true, persistence: 'aof', appendfsync: 'always' });
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
});
afterAll(() => server.stop());

describe('scripts', () => {
  test('bytes go and come back untouched, text as text', async () => {
    const client = connect();
    const echo = realScript('echo', 'return {KEYS[1], ARGV[1], ARGV[2]}');
    const bytes = Buffer.from([0, 13, 10, 255, 128]);
    const call = { script: echo, keys: ['k{é}'], args: [bytes, 12] };
    await expect(client.run(call, { binary: true })).resolves.toEqual([
      Buffer.from('k{é}'),
      bytes,
      Buffer.from('12'),
    ]);
    await expect(client.run({ ...call, args: ['ü', 1] })).resolves.toEqual(['k{é}', 'ü', '1']);
  });

  test('an error of a script has its first word, whatever Redis adds', async () => {
    const client = connect();
    const fenced = realScript('fenced', "return redis.error_reply('FENCED the token differs')");
    await expect(client.run({ script: fenced, keys: [], args: [] })).rejects.toMatchObject({
      code: 'RS_REDIS_REPLY',
      details: { prefix: 'FENCED' },
    });
  });

  test('while the script cache is emptied again and again, every call is answered, in order, once', async () => {
    const client = connect();
    const admin = connect();
    const append = numbers(5).map((n) =>
      realScript(`append-${n}`, `redis.call('RPUSH', KEYS[1], ARGV[1]) return ${n}`, false),
    );
    for (let round = 0; round < 40; round++) {
      const flush = admin.command({ name: 'SCRIPT', args: ['FLUSH', 'SYNC'] });
      const calls = numbers(50).map((n) => {
        const script = append[(round + Number(n)) % append.length] ?? appendOnce;
        return client.run({
          script,
          keys: [`flushed-${Number(n) % 3}`],
          args: [String(round * 50 + Number(n))],
        });
      });
      await Promise.all([flush, ...calls]);
    }
    const kept = await Promise.all([0, 1, 2].map((i) => list(client, `flushed-${i}`)));
    const made = numbers(2_000);
    for (const i of [0, 1, 2]) expect(kept[i]).toEqual(made.filter((n) => (Number(n) % 50) % 3 === i));
  });
});

test('while the server is killed and restarted, every call that may be sent again gets through, once', async () => {
  const client = connect({ commandTimeout: 30_000 });
  const outcomes: Promise<unknown>[] = [];
  let restarted: Promise<void> | undefined;
  for (const n of numbers(300)) {
    outcomes.push(client.run({ script: appendOnce, keys: ['restarted'], args: [n] }));
    if (n === '100') {
      await server.kill();
      restarted = server.restart();
    }
    await Promise.race([outcomes.at(-1), new Promise((resolve) => setImmediate(resolve))]);
  }
  await restarted;
  const replies = await Promise.all(outcomes);
  expect(replies.every((reply) => reply === 'OK' || reply === 'DUP')).toBe(true);
  await expect(list(client, 'restarted')).resolves.toEqual(numbers(300));
});

describe('a server that is stopped', () => {
  afterEach(() => server.resume());

  test('calls are answered once it goes on, and the silent connection was given up meanwhile', async () => {
    const client = connect({ replyTimeout: 200, commandTimeout: 30_000 });
    await client.command({ name: 'PING', args: [] });
    await server.pause();
    const script = client.run({ script: appendOnce, keys: ['paused'], args: ['1'] });
    const command = client.command({ name: 'INCR', args: ['paused-counter'] });
    await expect(command).rejects.toMatchObject({
      code: 'RS_REDIS_CONNECTION_LOST',
      details: { sent: true },
    });
    await server.resume();
    // What was sent before the stop was executed too: that is why it had to be one that may be sent again.
    await expect(script).resolves.toMatch(/^(OK|DUP)$/);
    await expect(list(client, 'paused')).resolves.toEqual(['1']);
  });

  test('deadline, signal and close do not wait for it', async () => {
    const client = connect();
    const reader = client.dedicated({ key: 'stream', name: 'reader' });
    await client.command({ name: 'PING', args: [] });
    await server.pause();
    const started = systemClock.now();
    const abort = new AbortController();
    const late = client.command({ name: 'GET', args: ['x'] }, { timeout: 150 });
    const aborted = client.run({ script: appendOnce, keys: ['x'], args: ['1'] }, { signal: abort.signal });
    const open = client.command({ name: 'GET', args: ['y'] });
    const blocked = reader.call(
      { name: 'XREAD', args: ['BLOCK', 0, 'STREAMS', 'stream', '$'] },
      { block: 60_000 },
    );
    const endings = Promise.all([
      expect(late).rejects.toMatchObject({ code: 'RS_REDIS_TIMEOUT', details: { sent: true } }),
      expect(aborted).rejects.toThrow('enough'),
      expect(open).rejects.toMatchObject({ code: 'RS_CLOSED' }),
      expect(blocked).rejects.toMatchObject({ code: 'RS_CLOSED' }),
    ]);
    abort.abort(new Error('enough'));
    await expect(late).rejects.toThrow();
    await client.close();
    await endings;
    expect(systemClock.now() - started).toBeLessThan(1_500);
  });
});

describe('a connection of its own', () => {
  test('blocks beside everything else, and comes back for data, for wake and after its time', async () => {
    const client = connect();
    const reader = client.dedicated({ key: 'stream', name: 'reader' });
    const read = (block: number) =>
      reader.call({ name: 'XREAD', args: ['BLOCK', block, 'STREAMS', 'stream', '$'] }, { block });
    await expect(read(20)).resolves.toBeNull();

    const woken = read(30_000);
    await client.command({ name: 'PING', args: [] });
    reader.wake();
    await expect(woken).resolves.toBeNull();

    const filled = read(30_000);
    await untilBlocked(client);
    await client.command({ name: 'XADD', args: ['stream', '1-1', 'field', 'value'] }, { key: 'stream' });
    await expect(filled).resolves.toEqual([['stream', [['1-1', ['field', 'value']]]]]);
  });

  test('is made anew after it was killed', async () => {
    const client = connect();
    const reader = client.dedicated({ key: 'stream', name: 'reader' });
    const read = reader.call({ name: 'BLPOP', args: ['nothing', 0] }, { block: 60_000 });
    const lost = expect(read).rejects.toMatchObject({ code: 'RS_REDIS_CONNECTION_LOST' });
    await untilBlocked(client);
    await client.command({ name: 'CLIENT', args: ['KILL', 'TYPE', 'normal', 'SKIPME', 'yes'] });
    await lost;
    await expect(reader.call({ name: 'BLPOP', args: ['nothing', 0.02] }, { block: 20 })).resolves.toBeNull();
  });
});
