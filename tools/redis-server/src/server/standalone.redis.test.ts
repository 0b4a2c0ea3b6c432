import { existsSync } from 'node:fs';
import { afterEach, describe, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { findProgram } from '../find/find-program.ts';
import { useRedis } from '../jest.ts';
import { PortTaken, type Program } from '../machine/machine.ts';
import type { RedisOptions } from './options.ts';
import { type RedisServer, startRedis, startStandalone } from './standalone.ts';

const started: RedisServer[] = [];

async function start(options: RedisOptions = {}): Promise<RedisServer> {
  const server = await startRedis({ own: true, ...options });
  started.push(server);
  return server;
}

afterEach(async () => {
  for (const server of started.splice(0)) await server.stop();
});

describe('a server of its own', () => {
  test('answers at its address, and keeps nothing by default', async () => {
    const server = await start();
    expect(server.url).toBe(`redis://127.0.0.1:${server.port}`);
    expect(await server.cli('SET', 'a', '1')).toBe('OK');
    await server.restart();
    expect(await server.cli('GET', 'a')).toBeNull();
  });

  test('servers have ports and keys of their own', async () => {
    const [one, two] = await Promise.all([start(), start()]);
    await one.cli('SET', 'a', '1');
    expect(two.port).not.toBe(one.port);
    expect(await two.cli('GET', 'a')).toBeNull();
  });

  test('a port that somebody has is recognized', async () => {
    const { port } = await start();
    const program = await findProgram();
    const machine = await program.machine([port]);
    const directory = await machine.directory({ 'redis.conf': `bind ${machine.bind}\nport ${port}\n` });
    await expect(machine.start(directory, ['redis.conf'])).rejects.toThrow(PortTaken);
    await machine.close();
  });

  test('an error reply is thrown', async () => {
    const server = await start();
    await expect(server.cli('NO-SUCH-COMMAND')).rejects.toThrow('unknown command');
  });

  test('is gone after stop, with its directory; a second stop does nothing', async () => {
    const server = await start({ config: { save: '3600 1' } });
    const reply = await server.cli('CONFIG', 'GET', 'dir');
    const directory = Array.isArray(reply) ? String(reply[1]) : '';
    expect(existsSync(directory)).toBe(true);
    await server.stop();
    await server.stop();
    expect(existsSync(directory)).toBe(false);
    await expect(server.cli('PING')).rejects.toThrow();
  });

  test('stop also ends a paused server', async () => {
    const server = await start();
    await server.pause();
    await server.stop();
    await expect(server.cli('PING')).rejects.toThrow();
  });

  test('a paused server answers when it goes on', async () => {
    const server = await start();
    await server.pause();
    const answers: string[] = [];
    const reply = server.cli('PING').then(() => answers.push('server'));
    // Another server, asked later, answers first.
    const other = await start();
    await other.cli('PING');
    answers.push('other');
    await server.resume();
    await reply;
    expect(answers).toEqual(['other', 'server']);
  });
});

describe('persistence', () => {
  test.each(['kill', 'restart'] as const)('an append-only file survives %s', async (how) => {
    const server = await start({ persistence: 'aof', appendfsync: 'always' });
    const { port } = server;
    await server.cli('SET', 'a', '1');
    if (how === 'kill') {
      await server.kill();
      await expect(server.cli('GET', 'a')).rejects.toThrow();
    }
    await server.restart();
    expect(server.port).toBe(port);
    expect(await server.cli('GET', 'a')).toBe('1');
    expect(await server.cli('CONFIG', 'GET', 'appendfsync')).toEqual(['appendfsync', 'always']);
  });

  test('a paused server can be restarted', async () => {
    const server = await start({ persistence: 'aof' });
    await server.cli('SET', 'a', '1');
    await server.pause();
    await server.restart();
    expect(await server.cli('GET', 'a')).toBe('1');
  });
});

describe('access', () => {
  test('a password for the default user is in the url', async () => {
    const server = await start({ requirepass: 'p@ss "w\\ö' });
    expect(await server.cli('PING')).toBe('PONG');
    const stranger = new Redis(server.port, server.host, { enableReadyCheck: false });
    await expect(stranger.ping()).rejects.toThrow('NOAUTH');
    stranger.disconnect();
  });

  test('users may do what their rules say', async () => {
    const server = await start({
      acl: [{ user: 'worker', password: 'a b', rules: ['~jobs:*', '+set', '+info'] }],
    });
    const worker = new Redis({ port: server.port, host: server.host, username: 'worker', password: 'a b' });
    expect(await worker.set('jobs:1', 'x')).toBe('OK');
    await expect(worker.set('other', 'x')).rejects.toThrow('NOPERM');
    await expect(worker.get('jobs:1')).rejects.toThrow('NOPERM');
    worker.disconnect();
  });

  test('TLS: the server is trusted by its certificate alone, and takes nothing else', async () => {
    const server = await start({ tls: true, requirepass: 'p' });
    expect(server.url).toBe(`rediss://:p@127.0.0.1:${server.port}`);
    expect(await server.cli('PING')).toBe('PONG');
    const other = await start({ tls: true });
    for (const tls of [{}, { ca: other.tls?.ca ?? '' }]) {
      const client = new Redis(server.url, { tls, lazyConnect: true, retryStrategy: () => null });
      client.on('error', () => undefined);
      await expect(client.connect()).rejects.toThrow();
    }
  });
});

describe('further configuration', () => {
  test('is written as it is', async () => {
    const server = await start({
      config: { 'maxmemory-policy': 'allkeys-lru', save: '900 1 300 10', 'notify-keyspace-events': '' },
    });
    expect(await server.cli('CONFIG', 'GET', 'maxmemory-policy')).toEqual([
      'maxmemory-policy',
      'allkeys-lru',
    ]);
    expect(await server.cli('CONFIG', 'GET', 'save')).toEqual(['save', '900 1 300 10']);
  });

  test('a server that refuses it is no server: the error has its words, and nothing stays behind', async () => {
    const program = await findProgram();
    let open = 0;
    const counted: Program = {
      ...program,
      machine: async (ports) => {
        const machine = await program.machine(ports);
        open += 1;
        return {
          ...machine,
          close: async () => {
            await machine.close();
            open -= 1;
          },
        };
      },
    };
    await expect(startStandalone(counted, { config: { 'no-such-directive': '1' } })).rejects.toThrow(
      'no-such-directive',
    );
    expect(open).toBe(0);
  });

  test.each([
    [{ port: '1' }, 'chosen by the tool'],
    [{ maxmemory: '1\nport 1' }, 'line break'],
  ])('%j is refused', async (config, message) => {
    await expect(start({ config })).rejects.toThrow(message);
  });
});

describe('useRedis', () => {
  const redis = useRedis();

  test('gives one server to all tests', async () => {
    await redis().cli('SET', `useRedis:${process.pid}`, '1', 'EX', '60');
  });

  test('with what earlier tests left', async () => {
    expect(await redis().cli('GET', `useRedis:${process.pid}`)).toBe('1');
  });
});
