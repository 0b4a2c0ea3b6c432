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

  test('a silent connection is noticed while calls keep coming', async () => {
    const node = driver.first;
    node.auto = false;
    const run = watch(client.run(call('a', 'k', '1')));
    await turn();
    for (let i = 2; i <= 4; i++) {
      await pass(700);
      node.connection.bytes.sent += 100;
      watch(client.run(call('a', 'k', String(i))));
    }
    await pass(899);
    expect(driver.attempts).toBe(1);
    node.auto = true;
    await pass(1 + 100);
    expect(driver.attempts).toBe(2);
    expect(run.now()).toBe('ran k 1');
    expect(node.executed).toEqual(['a k 1', 'a k 2', 'a k 3', 'a k 4']);
  });

  test('a connection that is idle for long has its full time for the next call', async () => {
    const node = driver.first;
    await client.run(call('a', 'k', '1'));
    await pass(60_000);
    node.auto = false;
    const late = watch(client.run(call('a', 'k', '2')));
    await pass(2_900);
    node.serve();
    await turn();
    expect(late.now()).toBe('ran k 2');
    await pass(60_000);
    expect(driver.attempts).toBe(1);
  });

  test.each([
    ['arrives', 'received', 0],
    ['leaves', 'sent', 1],
  ] as const)('what still %s is no silence', async (_, counter, waiting) => {
    const node = driver.first;
    node.auto = false;
    const run = watch(client.run(call('a', 'k', '1')));
    await turn();
    node.connection.bytes.waiting = waiting;
    for (let i = 0; i < 9; i++) {
      await pass(1_000);
      node.connection.bytes[counter] += 1_000;
    }
    node.serve();
    await turn();
    expect(run.now()).toBe('ran k 1');
    expect(driver.attempts).toBe(1);
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
      code: 'RS_REDIS_UNAVAILABLE',
      message: expect.stringMatching(
        /^GET could not be sent within 1000 ms: .*ECONNREFUSED.*; see that Redis runs there, and check address, port/,
      ),
      cause: { code: 'RS_REDIS_UNAVAILABLE' },
      details: { sent: false },
    });
    await pass(5_000);
    const { attempts } = driver;
    await pass(60_000);
    expect(driver.attempts).toBe(attempts);
  });

  test('a deadline that ends between two attempts tells it too', async () => {
    driver.first.up = false;
    void watch(client.command({ name: 'GET', args: ['x'] }, { timeout: 10_000 }));
    await pass(5_000);
    const { attempts } = driver;
    const outcome = watch(client.command({ name: 'PING', args: [] }, { timeout: 20 }));
    await pass(20);
    expect(driver.attempts).toBe(attempts);
    expect(outcome.now()).toMatchObject({ code: 'RS_REDIS_UNAVAILABLE', details: { sent: false } });
  });

  test('the call that has waited longest tells since when, and why', async () => {
    expect(client.waiting()).toBeUndefined();
    let now = 5_000;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now);
    driver.first.up = false;
    void watch(client.command({ name: 'GET', args: ['x'] }));
    await pass(400);
    now += 400;
    void watch(client.command({ name: 'PING', args: [] }));
    expect(client.waiting()).toEqual({
      name: 'GET',
      waited: 400,
      error: expect.objectContaining({ code: 'RS_REDIS_UNAVAILABLE' }),
    });
    clock.mockRestore();
    driver.first.up = true;
    await pass(2_000);
    expect(client.waiting()).toBeUndefined();
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
