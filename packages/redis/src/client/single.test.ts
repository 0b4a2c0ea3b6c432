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
      message: expect.stringMatching(/^GET got no reply within 700 ms.*LOADING/),
      details: { sent: true },
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

describe('a lost reply', () => {
  test('a script that may be sent again is, a command is not', async () => {
    const node = driver.first;
    node.auto = false;
    const run = watch(client.run(call('a', 'k', '1')));
    const command = watch(client.command({ name: 'INCR', args: ['x'] }));
    const once = watch(client.run({ script: script('b', false), keys: ['k'], args: ['2'] }));
    await turn();
    node.serveAndLoseReply();
    node.auto = true;
    await pass(100);

    expect(node.executed).toEqual(['a k 1', 'INCR x', 'b k 2', 'a k 1']);
    expect(run.now()).toBe('ran k 1');
    for (const each of [command, once]) {
      expect(each.now()).toMatchObject({ code: 'RS_REDIS_CONNECTION_LOST', details: { sent: true } });
    }
  });

  test('what was not written goes out again, whatever it is', async () => {
    await client.command({ name: 'PING', args: [] });
    const command = watch(client.command({ name: 'INCR', args: ['x'] }));
    // The connection ends before the turn does.
    driver.first.kill();
    await pass(100);
    expect(command.now()).toBe('OK');
    expect(driver.first.executed).toEqual(['PING ', 'INCR x']);
  });

  test('calls of several sends are sent again in their order', async () => {
    const node = driver.first;
    node.auto = false;
    for (const n of ['1', '2', '3']) {
      watch(client.run(call('a', 'k', n)));
      await turn();
    }
    node.kill();
    watch(client.run(call('a', 'k', '4')));
    node.auto = true;
    await pass(100);
    expect(node.executed).toEqual(['a k 1', 'a k 2', 'a k 3', 'a k 4']);
  });

  test('a silent connection is given up after the reply timeout, and the script sent again', async () => {
    const node = driver.first;
    node.auto = false;
    const run = watch(client.run(call('a', 'k', '1')));
    const command = watch(client.command({ name: 'INCR', args: ['x'] }));
    await pass(2_999);
    expect(node.connections).toBe(1);
    node.auto = true;
    await pass(1 + 100);
    expect(run.now()).toBe('ran k 1');
    expect(command.now()).toMatchObject({ code: 'RS_REDIS_CONNECTION_LOST' });
    expect(driver.attempts).toBe(2);
  });

  test('a slow server is not a silent one', async () => {
    const node = driver.first;
    node.auto = false;
    const outcomes = ['1', '2', '3'].map((n) => watch(client.run(call('a', 'k', n))));
    await turn();
    const later = watch(client.run(call('a', 'k', '4')));
    await pass(2_000);
    node.serve();
    await pass(2_000);
    node.serve();
    await pass(0);
    expect([...outcomes, later].map((each) => each.now())).toEqual([
      'ran k 1',
      'ran k 2',
      'ran k 3',
      'ran k 4',
    ]);
    expect(driver.attempts).toBe(1);
  });
});

describe('a server that is away', () => {
  test('is tried with growing pauses, and calls wait for it', async () => {
    driver.first.up = false;
    const outcome = watch(client.run(call('a', 'k', '1')));
    await pass(3_000);
    expect(outcome.now()).toBe('pending');
    expect(driver.attempts).toBeGreaterThan(3);
    expect(driver.attempts).toBeLessThan(10);
    driver.first.up = true;
    await pass(2_000);
    expect(outcome.now()).toBe('ran k 1');
  });

  test('the deadline tells what was wrong, and nothing tries any more when nobody waits', async () => {
    driver.first.up = false;
    const outcome = watch(client.command({ name: 'GET', args: ['x'] }, { timeout: 1_000 }));
    await pass(1_000);
    expect(outcome.now()).toMatchObject({
      code: 'RS_REDIS_TIMEOUT',
      message: expect.stringMatching(/^GET got no reply within 1000 ms, it was never sent.*ECONNREFUSED/),
      cause: { code: 'RS_REDIS_UNAVAILABLE' },
      details: { sent: false },
    });
    await pass(5_000);
    const { attempts } = driver;
    await pass(60_000);
    expect(driver.attempts).toBe(attempts);
  });

  test('a refused password ends all calls that wait, at once', async () => {
    driver.failure = new RsError('RS_REDIS_AUTH', 'WRONGPASS');
    const outcomes = [watch(client.run(call('a', 'k'))), watch(client.command({ name: 'PING', args: [] }))];
    await pass(0);
    for (const each of outcomes) expect(each.now()).toBe(driver.failure);
    expect(driver.attempts).toBe(1);
  });
});

describe('the end', () => {
  test('a signal ends the waiting with its reason, and an aborted one sends nothing', async () => {
    driver.first.auto = false;
    const abort = new AbortController();
    const outcome = watch(client.run(call('a', 'k'), { signal: abort.signal }));
    await turn();
    const reason = new Error('enough');
    abort.abort(reason);
    await turn();
    expect(outcome.now()).toBe(reason);

    await expect(client.command({ name: 'GET', args: ['x'] }, { signal: abort.signal })).rejects.toBe(reason);
    expect(driver.first.sends).toHaveLength(1);
  });

  test('what was aborted before the end of its turn is not sent', async () => {
    const abort = new AbortController();
    const outcome = watch(client.run(call('a', 'k', '1'), { signal: abort.signal }));
    abort.abort('no');
    await client.run(call('a', 'k', '2'));
    expect(outcome.now()).toBe('no');
    expect(driver.first.executed).toEqual(['a k 2']);
  });

  test('close rejects what is under way, wherever it is, and leaves nothing behind', async () => {
    const node = driver.first;
    await client.run(call('a', 'k', '0'));
    node.rule = ({ name }) => (name === 'GET' ? replyError('LOADING wait') : undefined);
    const pausing = watch(client.command({ name: 'GET', args: ['x'] }));
    await turn();
    node.auto = false;
    const sent = watch(client.run(call('a', 'k', '1')));
    await turn();
    const unsent = watch(client.run(call('a', 'k', '2')));
    await client.close();
    await turn();

    for (const each of [pausing, sent, unsent]) expect(each.now()).toMatchObject({ code: 'RS_CLOSED' });
    expect(node.connections).toBe(0);
    expect(jest.getTimerCount()).toBe(0);
    await expect(client.run(call('a', 'k'))).rejects.toMatchObject({ code: 'RS_CLOSED' });
    await expect(client.masters()).rejects.toMatchObject({ code: 'RS_CLOSED' });
    expect(() => client.dedicated({ key: 'k', name: 'reader' })).toThrow(
      expect.objectContaining({ code: 'RS_CLOSED' }),
    );
    await client.close();
  });

  test('close ends while the server is away', async () => {
    driver.first.up = false;
    const outcome = watch(client.run(call('a', 'k')));
    await pass(500);
    await client.close();
    await turn();
    expect(outcome.now()).toMatchObject({ code: 'RS_CLOSED' });
    expect(jest.getTimerCount()).toBe(0);
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
