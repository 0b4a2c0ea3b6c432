import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { RedisCommand, RedisReply } from '../driver/driver.ts';
import { replyError } from '../driver/reply-error.ts';
import { DedicatedBench, NOTHING, READ, SLACK, isPending } from '../test-support/dedicated-bench.ts';
import { pass, stopTimers, turn } from '../test-support/turns.ts';

const ENTRY: RedisReply = [['s', [['1-1', ['f', 'v']]]]];

beforeEach(stopTimers);
afterEach(() => {
  jest.useRealTimers();
});

describe('a call', () => {
  test('makes the connection, and gives the reply', async () => {
    const bench = new DedicatedBench();
    const { driver } = bench;
    await turn();
    expect(driver.attempts).toBe(0);
    const { end } = await bench.blocked();
    bench.answer = ENTRY;
    driver.first.serve();
    expect(await end).toBe(ENTRY);
  });

  test('the next one uses the same connection, and asks for no id again', async () => {
    const bench = new DedicatedBench();
    const { driver } = bench;
    const first = await bench.blocked();
    driver.first.serve();
    expect(await first.end).toBe(NOTHING);
    const second = await bench.blocked();
    driver.first.serve();
    expect(await second.end).toBe(NOTHING);
    expect(driver.attempts).toBe(1);
    expect(driver.first.sends).toHaveLength(3);
  });

  test('one at a time', async () => {
    const bench = new DedicatedBench();
    const { connection, driver } = bench;
    const { end } = await bench.blocked();
    await expect(connection.call(READ, { block: 1 })).rejects.toMatchObject({ code: 'RS_INVALID_ARGUMENT' });
    driver.first.serve();
    expect(await end).toBe(NOTHING);
  });

  test('an error reply is thrown, and the connection stays', async () => {
    const bench = new DedicatedBench();
    const { driver } = bench;
    const { end } = await bench.blocked();
    bench.answer = replyError('UNBLOCKED the stream key no longer exists');
    driver.first.serve();
    expect(await end).toMatchObject({ code: 'RS_REDIS_REPLY', details: { prefix: 'UNBLOCKED' } });
    expect(driver.first.connections).toBe(1);
  });

  test.each(['MOVED 1 127.0.0.1:7001', 'READONLY You can not', 'MASTERDOWN Link is down'])(
    'after %s the next call finds its server anew',
    async (reply) => {
      const bench = new DedicatedBench();
      const { driver } = bench;
      const { end } = await bench.blocked();
      bench.answer = replyError(reply);
      driver.first.serve();
      expect(await end).toMatchObject({ code: 'RS_REDIS_REFUSED' });
      expect(driver.first.connections).toBe(0);
      bench.answer = NOTHING;
      const next = await bench.blocked();
      expect(driver.attempts).toBe(2);
      driver.first.serve();
      expect(await next.end).toBe(NOTHING);
    },
  );
});

describe('several commands', () => {
  const SET: RedisCommand = { name: 'SET', args: ['k', 'v'] };

  test('go out together, over one connection, and an error is the reply of its own command', async () => {
    const bench = new DedicatedBench();
    const { connection, driver } = bench;
    const end = connection.calls([SET, READ], { block: 5_000 });
    await turn();
    driver.first.serve(); // CLIENT ID
    await turn();
    expect(driver.first.sends.at(-1)).toEqual([SET, READ]);
    bench.answer = replyError('UNBLOCKED force unblock from blocking operation');
    driver.first.serve();
    expect(await end).toEqual(['OK', expect.objectContaining({ code: 'RS_REDIS_REPLY' })]);
    expect(driver.first.connections).toBe(1);
  });

  test('find their server anew when one of them was refused by what is no master any more', async () => {
    const bench = new DedicatedBench();
    const { connection, driver } = bench;
    bench.answer = replyError('READONLY You can not');
    const end = connection.calls([READ, SET], { block: 5_000 });
    await turn();
    driver.first.serve();
    await turn();
    driver.first.serve();
    expect(await end).toEqual([expect.objectContaining({ code: 'RS_REDIS_REFUSED' }), 'OK']);
    expect(driver.first.connections).toBe(0);
  });

  test('have no replies when they were woken before they were sent', async () => {
    const { connection } = new DedicatedBench();
    const end = connection.calls([SET, READ], { block: 5_000 });
    connection.wake();
    expect(await end).toEqual([]);
  });
});

describe('its deadline', () => {
  test('is block and slack: then the socket is destroyed and the call rejected', async () => {
    const bench = new DedicatedBench();
    const { driver } = bench;
    const { end } = await bench.blocked();
    await pass(5_000 + SLACK - 1);
    expect(await isPending(end)).toBe(true);
    await pass(1);
    expect(await end).toMatchObject({
      code: 'RS_REDIS_TIMEOUT',
      retriable: true,
      details: { target: 'orders: reader', name: 'XREAD', block: 5_000, slack: SLACK, sent: true },
    });
    expect(driver.first.connections).toBe(0);
  });

  test('waits for a reply that is still arriving, also when it is woken meanwhile', async () => {
    const bench = new DedicatedBench();
    const { connection, driver } = bench;
    const { end } = await bench.blocked();
    await pass(5_000);
    connection.wake();
    for (let i = 0; i < 10; i++) {
      await pass(SLACK - 300);
      driver.first.connection.bytes.received++;
    }
    driver.first.serve();
    expect(await end).toBe(NOTHING);
  });

  test('the next call makes a new connection', async () => {
    const bench = new DedicatedBench();
    const { driver } = bench;
    const { end } = await bench.blocked();
    await pass(5_000 + SLACK);
    await end;
    const next = await bench.blocked();
    expect(driver.attempts).toBe(2);
    driver.first.serve();
    expect(await next.end).toBe(NOTHING);
  });

  test('also counts for a server that takes the connection and then says nothing', async () => {
    const bench = new DedicatedBench();
    const end = bench.call();
    await pass(SLACK);
    expect(await end).toMatchObject({ code: 'RS_REDIS_TIMEOUT', details: { name: 'CLIENT' } });
  });
});

describe('a server that is away', () => {
  test('the call is rejected; the next one waits before it tries', async () => {
    const bench = new DedicatedBench();
    const { connection, driver } = bench;
    driver.first.up = false;
    expect(await bench.call()).toMatchObject({
      code: 'RS_REDIS_UNAVAILABLE',
    });
    driver.first.up = true;
    const end = bench.call();
    await pass(74);
    expect(driver.attempts).toBe(1);
    await pass(1);
    expect(driver.attempts).toBe(2);
    connection.close();
    await end;
  });

  test('a connection that is lost under a call', async () => {
    const bench = new DedicatedBench();
    const { driver } = bench;
    const { end } = await bench.blocked();
    driver.first.kill();
    expect(await end).toMatchObject({ code: 'RS_REDIS_CONNECTION_LOST', details: { sent: true } });
  });
});

describe('a signal', () => {
  test('aborted before: nothing is done', async () => {
    const bench = new DedicatedBench();
    const { driver } = bench;
    const reason = new Error('enough');
    const signal = AbortSignal.abort(reason);
    expect(await bench.call(signal)).toBe(reason);
    expect(driver.attempts).toBe(0);
  });

  test('rejects the call with its reason, and the socket goes with it', async () => {
    const bench = new DedicatedBench();
    const { driver } = bench;
    const abort = new AbortController();
    const { end } = await bench.blocked(abort.signal);
    const reason = { because: 'of me' };
    abort.abort(reason);
    expect(await end).toBe(reason);
    expect(driver.first.connections).toBe(0);
    const next = await bench.blocked();
    driver.first.serve();
    expect(await next.end).toBe(NOTHING);
  });

  test('does nothing to later calls', async () => {
    const bench = new DedicatedBench();
    const { driver } = bench;
    const abort = new AbortController();
    const first = await bench.blocked(abort.signal);
    driver.first.serve();
    await first.end;
    const second = await bench.blocked();
    abort.abort();
    driver.first.serve();
    expect(await second.end).toBe(NOTHING);
  });
});

describe('close', () => {
  test('ends the call under way and the socket; nothing is called after', async () => {
    const bench = new DedicatedBench();
    const { connection, driver } = bench;
    const { end } = await bench.blocked();
    connection.close();
    connection.close();
    expect(await end).toMatchObject({ code: 'RS_CLOSED' });
    expect(driver.first.connections).toBe(0);
    expect(await bench.call()).toMatchObject({ code: 'RS_CLOSED' });
  });

  test('ends a call that waits for a connection', async () => {
    const bench = new DedicatedBench();
    const { connection, driver } = bench;
    driver.first.up = false;
    await bench.call();
    const end = bench.call();
    await turn();
    connection.close();
    expect(await end).toMatchObject({ code: 'RS_CLOSED' });
    await pass(10_000);
    expect(driver.attempts).toBe(1);
  });
});
