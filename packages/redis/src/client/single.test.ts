import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { RsError } from '@rs/core';
import { replyError } from '../driver/reply-error.ts';
import { call, script, watch } from '../test-support/calls.ts';
import { FakeDriver } from '../test-support/fake-driver.ts';
import { pass, stopTimers, turn } from '../test-support/turns.ts';
import type { RedisClient } from './client.ts';
import { createRedisClient } from './create-redis-client.ts';

let driver: FakeDriver;
let client: RedisClient;

beforeEach(() => {
  stopTimers();
  driver = new FakeDriver('single');
  client = createRedisClient(driver, { random: () => 0.5 });
});

afterEach(async () => {
  await client.close();
  jest.useRealTimers();
});

const names = (sent: readonly { name: string; args: readonly unknown[] }[] | undefined) =>
  sent?.map(({ name, args }) => (name === 'EVALSHA' ? `${name} ${String(args[0])}` : name));

describe('calls of one turn', () => {
  test('nothing is connected before the first of them', async () => {
    await turn();
    expect(driver.attempts).toBe(0);
    await client.command({ name: 'PING', args: [] });
    expect(driver.attempts).toBe(1);
  });

  test('go out in one send, in order, each script loaded once per connection', async () => {
    const replies = await Promise.all([
      client.run(call('a', 'k', '1')),
      client.command({ name: 'SET', args: ['x', 1] }),
      client.run(call('b', 'k', '2')),
      client.run(call('a', 'k', '3')),
    ]);

    expect(replies).toEqual(['ran k 1', 'OK', 'ran k 2', 'ran k 3']);
    expect(driver.first.sends.map(names)).toEqual([
      ['SCRIPT', 'SCRIPT', 'EVALSHA sha-a', 'SET', 'EVALSHA sha-b', 'EVALSHA sha-a'],
    ]);

    await client.run(call('a', 'k', '4'));
    expect(names(driver.first.sends[1])).toEqual(['EVALSHA sha-a']);
  });

  test('have their replies as soon as these are there', async () => {
    const node = driver.first;
    node.auto = false;
    const calls = ['1', '2', '3'].map((n) => watch(client.run(call('a', 'k', n))));
    await turn();
    node.servePart(2); // the script is loaded, and called once
    await turn();
    expect(calls.map((each) => each.now())).toEqual(['ran k 1', 'pending', 'pending']);

    // Who had a reply is not asked to wait with the next call.
    const next = watch(client.run(call('a', 'k', '4')));
    await turn();
    expect(node.waiting).toBe(2);
    node.serveAll();
    await turn();
    expect([...calls, next].map((each) => each.now())).toEqual(['ran k 1', 'ran k 2', 'ran k 3', 'ran k 4']);
  });

  test('wait behind one that was refused, for it may have to go again first', async () => {
    const node = driver.first;
    await client.run(call('a', 'k', '0'));
    node.flushScripts();
    node.auto = false;
    const calls = [
      watch(client.command({ name: 'SET', args: ['x', '1'] })),
      watch(client.run(call('a', 'k', '2'))),
      watch(client.command({ name: 'SET', args: ['x', '3'] })),
      watch(client.command({ name: 'SET', args: ['x', '4'] })),
    ];
    await turn();
    node.servePart(3);
    await turn();
    expect(calls.map((each) => each.now())).toEqual(['OK', 'pending', 'pending', 'pending']);
    node.serve();
    await turn();
    expect(calls.map((each) => each.now())).toEqual(['OK', 'pending', 'OK', 'OK']);
    node.serveAll();
    await turn();
    expect(calls[1]?.now()).toBe('ran k 2');
  });

  test('that were answered are done when the connection is lost before the others', async () => {
    const node = driver.first;
    await client.command({ name: 'PING', args: [] });
    node.auto = false;
    const [first, second] = ['1', '2'].map((n) => watch(client.command({ name: 'SET', args: ['x', n] })));
    await turn();
    node.servePart(1);
    node.kill();
    await turn();
    expect(first?.now()).toBe('OK');
    expect(second?.now()).toMatchObject({ code: 'RS_REDIS_CONNECTION_LOST', details: { sent: true } });
  });

  test('the arguments of a script go as they are', async () => {
    const bytes = Buffer.from([0, 255]);
    await client.run({ script: script('a'), keys: ['k', 'l'], args: ['x', 7, bytes] }, { binary: true });

    expect(driver.first.sends[0]?.[1]).toEqual({
      name: 'EVALSHA',
      args: ['sha-a', 2, 'k', 'l', 'x', 7, bytes],
      binary: true,
    });
    expect(driver.first.sends[0]?.[1]?.args[6]).toBe(bytes);
  });

  test('on a single server the keys of a call may lie in any slots', async () => {
    await expect(client.run({ script: script('a'), keys: ['x', 'y'], args: [] })).resolves.toBe('ran x y');
  });
});

describe('a missing script', () => {
  test('is loaded and run again, also when another connection emptied the cache between two sends', async () => {
    await client.run(call('a', 'k', '0'));
    driver.first.flushScripts();

    await expect(client.run(call('a', 'k', '1'))).resolves.toBe('ran k 1');
    expect(driver.first.executed).toEqual(['a k 0', 'a k 1']);
  });

  test('only what was refused is sent again, and nothing overtakes it', async () => {
    await client.run(call('a', 'k', '0'));
    const node = driver.first;
    node.flushScripts();
    node.auto = false;
    const first = [
      watch(client.run(call('a', 'k', '1'))),
      watch(client.command({ name: 'SET', args: ['x', '2'] })),
      watch(client.run(call('a', 'k', '3'))),
    ];
    await turn();
    const second = watch(client.run(call('a', 'k', '4')));
    await turn();
    node.serve();
    await turn();
    // Made while call 4 may still come back refused: it has to wait for that.
    const third = watch(client.run(call('a', 'k', '5')));
    await turn();
    expect(node.waiting).toBe(1);
    node.serve();
    await turn();
    node.serveAll();
    await turn();

    expect(node.executed).toEqual(['a k 0', 'SET x 2', 'a k 1', 'a k 3', 'a k 4', 'a k 5']);
    expect([...first, second, third].map((each) => each.now())).toEqual([
      'ran k 1',
      'OK',
      'ran k 3',
      'ran k 4',
      'ran k 5',
    ]);
    expect(node.sends.slice(3).map(names)).toEqual([
      ['SCRIPT', 'EVALSHA sha-a', 'EVALSHA sha-a', 'EVALSHA sha-a', 'EVALSHA sha-a'],
    ]);
  });

  test('that cannot be loaded is reported as the server put it', async () => {
    driver.first.rule = ({ name }) =>
      name === 'SCRIPT' ? replyError('NOPERM no SCRIPT for you') : undefined;
    await expect(client.run(call('a', 'k'))).rejects.toMatchObject({
      code: 'RS_REDIS_AUTH',
      details: { prefix: 'NOPERM' },
    });
  });

  test('whose SHA-1 is not that of its source is refused, not sent for ever', async () => {
    const wrong = { ...script('a'), sha1: 'sha-other' };
    await expect(client.run({ script: wrong, keys: [], args: [] })).rejects.toMatchObject({
      code: 'RS_INVALID_ARGUMENT',
      details: { script: 'a', sha1: 'sha-other', actual: 'sha-a' },
    });
  });

  test('that is missing again and again is loaded with pauses until the deadline', async () => {
    driver.first.rule = ({ name }) =>
      name === 'EVALSHA' ? replyError('NOSCRIPT No matching script.') : undefined;
    const outcome = watch(client.run(call('a', 'k'), { timeout: 500 }));
    await pass(499);
    expect(outcome.now()).toBe('pending');
    expect(driver.first.sends.length).toBeLessThan(20);
    await pass(1);
    expect(outcome.now()).toMatchObject({ code: 'RS_REDIS_TIMEOUT' });
  });
});

describe('a refusal', () => {
  test.each(['LOADING', 'BUSY', 'OOM', 'MISCONF', 'NOREPLICAS', 'TRYAGAIN', 'CLUSTERDOWN'])(
    '%s is waited out, with growing pauses',
    async (prefix) => {
      let refusals = 4;
      driver.first.rule = ({ name }) =>
        name === 'SET' && refusals-- > 0 ? replyError(`${prefix} not now`) : undefined;
      const outcome = watch(client.command({ name: 'SET', args: ['x', '1'] }));
      await pass(0);
      expect(driver.first.sends).toHaveLength(1);
      // Half of 20, 40, 80 and 160 ms, and a quarter more with this randomness.
      await pass(15 + 30 + 60 + 120 - 1);
      expect(outcome.now()).toBe('pending');
      await pass(1);
      expect(outcome.now()).toBe('OK');
      expect(driver.first.executed).toEqual(['SET x 1']);
    },
  );

  test.each(['READONLY', 'MASTERDOWN'])(
    '%s makes a new connection, to the master of then',
    async (prefix) => {
      let master = false;
      driver.first.rule = ({ name }) =>
        name === 'SET' && !master ? replyError(`${prefix} I am a replica`) : undefined;
      const outcome = watch(client.command({ name: 'SET', args: ['x', '1'] }));
      await pass(0);
      expect(driver.first.connections).toBe(0);
      master = true;
      await pass(200);
      expect(outcome.now()).toBe('OK');
      expect(driver.attempts).toBe(2);
    },
  );

  test('is told at the deadline, which counts everything', async () => {
    driver.first.rule = () => replyError('LOADING Redis is loading the dataset in memory');
    const outcome = watch(client.command({ name: 'GET', args: ['x'] }, { timeout: 700 }));
    await pass(699);
    expect(outcome.now()).toBe('pending');
    await pass(1);
    expect(outcome.now()).toMatchObject({
      code: 'RS_REDIS_TIMEOUT',
      message: expect.stringMatching(
        /^GET was refused by .*:\d+ for 700 ms, \d+ times; the last time: Redis replied: LOADING/,
      ),
      details: { sent: true },
    });
  });

  test('who asks is told each time, and no more once it is answered', async () => {
    let refusals = 2;
    driver.first.rule = ({ name }) =>
      name === 'SET' && refusals-- > 0 ? replyError('OOM command not allowed') : undefined;
    const onRefused = jest.fn();
    const outcome = watch(client.command({ name: 'SET', args: ['x', '1'] }, { onRefused }));
    await pass(0);
    expect(onRefused).toHaveBeenCalledTimes(1);
    expect(client.waiting()).toMatchObject({ name: 'SET', error: { code: 'RS_REDIS_REFUSED' } });
    await pass(1_000);
    expect(outcome.now()).toBe('OK');
    expect(onRefused.mock.calls).toEqual(
      Array(2).fill([expect.objectContaining({ code: 'RS_REDIS_REFUSED' })]),
    );
    expect(client.waiting()).toBeUndefined();
  });

  test('that a silent server follows is not what is told at the deadline', async () => {
    const node = driver.first;
    let refusals = 1;
    node.rule = ({ name }) => {
      if (name !== 'GET' || refusals-- > 0) return name === 'GET' ? replyError('LOADING') : undefined;
      node.auto = false;
      return undefined;
    };
    node.auto = false;
    const outcome = watch(client.command({ name: 'GET', args: ['x'] }, { timeout: 700 }));
    await pass(0);
    node.serve();
    await pass(700);
    expect(outcome.now()).toMatchObject({
      code: 'RS_REDIS_TIMEOUT',
      message: expect.stringMatching(
        /^GET got no reply within 700 ms, it was sent to .*; before that: .*LOADING/,
      ),
    });
  });

  test.each([
    ['WRONGTYPE Operation against a key', 'RS_REDIS_REPLY'],
    ['NOPERM this user has no permissions', 'RS_REDIS_AUTH'],
    ['FENCED token differs', 'RS_REDIS_REPLY'],
  ])('%s is the reply of the call', async (reply, code) => {
    driver.first.rule = ({ name }) => (name === 'GET' ? replyError(reply) : undefined);
    await expect(client.command({ name: 'GET', args: ['x'] })).rejects.toMatchObject({ code });
    expect(driver.first.sends).toHaveLength(1);
  });

  test('MOVED says that this is no single server', async () => {
    driver.first.rule = () => replyError('MOVED 1 127.0.0.1:7001');
    await expect(client.command({ name: 'GET', args: ['x'] })).rejects.toMatchObject({
      code: 'RS_REDIS_CONFIG',
    });
  });
});

test('a wrong argument fails its own call, not those beside it', async () => {
  const { first } = driver;
  const accept = first.accept.bind(first);
  first.accept = () => {
    const connection = accept();
    const send = connection.send.bind(connection);
    connection.send = async (commands) => {
      if (commands.some(({ args }) => args.includes(NaN))) throw new RsError('RS_INVALID_ARGUMENT', 'NaN');
      return send(commands);
    };
    return connection;
  };
  const good = watch(client.run(call('a', 'k', '1')));
  const bad = watch(client.command({ name: 'SET', args: ['x', NaN] }));
  const after = watch(client.run(call('a', 'k', '2')));
  await turn();
  expect([good.now(), after.now()]).toEqual(['ran k 1', 'ran k 2']);
  expect(bad.now()).toMatchObject({ code: 'RS_INVALID_ARGUMENT' });
});

test.each([0, -1, NaN, '5'])('a timeout of %p is refused', async (timeout) => {
  await expect(
    client.command({ name: 'PING', args: [] }, { timeout: timeout as number }),
  ).rejects.toMatchObject({
    code: 'RS_INVALID_ARGUMENT',
  });
  expect(() => createRedisClient(driver, { commandTimeout: timeout as number })).toThrow(/commandTimeout/);
});

test('masters: the one server, under the name of its connection', async () => {
  const [master, ...others] = await client.masters();
  expect(others).toEqual([]);
  expect(master?.node).toEqual({ host: '127.0.0.1', port: 7000 });
  await expect(master?.command({ name: 'INFO', args: [] })).resolves.toBe('OK');
});
