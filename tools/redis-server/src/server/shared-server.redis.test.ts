import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { versionOf } from './shared-server.ts';
import { type RedisServer, startRedis } from './standalone.ts';

let named: RedisServer;
const before = process.env['REDIS_URL'];

beforeEach(async () => {
  named = await startRedis({ own: true, requirepass: 'secret' });
  process.env['REDIS_URL'] = named.url;
});

afterEach(async () => {
  if (before === undefined) delete process.env['REDIS_URL'];
  else process.env['REDIS_URL'] = before;
  await named.stop();
});

describe('the server of REDIS_URL', () => {
  test('is given to everybody who wants nothing special, and survives their stop', async () => {
    const one = await startRedis();
    const two = await startRedis({ persistence: 'none', tls: false, acl: [], config: {} });
    expect([one.url, two.url]).toEqual([named.url, named.url]);
    expect([one.host, one.port]).toEqual([named.host, named.port]);
    await one.cli('SET', 'a', '1');
    await one.stop();
    expect(await two.cli('GET', 'a')).toBe('1');
  });

  test.each(['kill', 'restart', 'pause', 'resume'] as const)('cannot be told to %s', async (method) => {
    const shared = await startRedis();
    await expect(shared[method]()).rejects.toThrow('{ own: true }');
    expect(await named.cli('PING')).toBe('PONG');
  });

  test.each([
    { own: true },
    { persistence: 'aof' as const },
    { appendfsync: 'no' as const },
    { tls: true },
    { requirepass: 'p' },
    { config: { maxmemory: '10mb' } },
    { acl: [{ user: 'u', password: 'p', rules: [] }] },
  ])('is not what %j asks for', async (options) => {
    const server = await startRedis(options);
    expect(server.port).not.toBe(named.port);
    await server.stop();
  });

  test.each(['127.0.0.1:6379', 'http://127.0.0.1', 'redis'])('must be a Redis URL: %s', async (text) => {
    process.env['REDIS_URL'] = text;
    await expect(startRedis()).rejects.toThrow('REDIS_URL must look like');
  });

  test('must answer', async () => {
    await named.stop();
    await expect(startRedis()).rejects.toThrow(
      `REDIS_URL names 127.0.0.1:${named.port}, which does not answer`,
    );
  });

  test.each([
    ['redis_version:7.0.15\r\n', { text: 'Redis 7.0.15', recent: true }],
    ['redis_version:6.2.7\r\n', { text: 'Redis 6.2.7', recent: false }],
    ['redis_version:7.2.4\r\nvalkey_version:8.1.1\r\n', { text: 'Valkey 8.1.1', recent: true }],
    ['', undefined],
  ])('is asked for its version: %j', (info, version) => {
    expect(versionOf(`# Server\r\n${info}`)).toEqual(version);
  });
});
