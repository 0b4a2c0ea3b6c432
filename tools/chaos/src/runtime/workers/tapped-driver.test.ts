import { expect, test } from '@jest/globals';
import { RsError } from '@rs/core';
import type { RedisCommand, RedisConnection, RedisDriver, RedisReply } from '@rs/redis';
import type { Call } from './call.ts';
import { TappedDriver } from './tapped-driver.ts';

const SCRIPTS = new Map([['abc', 'commit-task']]);
const COMMIT: RedisCommand = { name: 'EVALSHA', args: ['abc', 1, 'rs:{t#3}:p3:t:j:s:own', 'token', 7] };
const PING: RedisCommand = { name: 'PING', args: [] };

/** A server that answers with the number of the command. `eager`: tells of each reply as it comes. */
function serverOf({ eager }: { eager: boolean }) {
  const state = { sent: 0, destroyed: false };
  const connection: RedisConnection = {
    node: { host: 'h', port: 1 },
    closed: new Promise(() => undefined),
    send: (commands, arrived) => {
      const replies = commands.map((): RedisReply => ++state.sent);
      if (eager) replies.forEach((reply, at) => arrived?.(reply, at));
      return Promise.resolve(replies);
    },
    traffic: () => ({ received: 0, sent: 0, waiting: 0 }),
    destroy: () => {
      state.destroyed = true;
    },
  };
  const driver: RedisDriver = {
    ...{ name: 'fake', topology: 'single' },
    connect: () => Promise.resolve(connection),
  };
  return { driver, state };
}

test.each([true, false])('sees each call and each reply once, by name; eager %p', async (eager) => {
  const seen: unknown[] = [];
  const tap = {
    sending: ({ name, keys }: Call) => void seen.push(['>', name, ...keys]),
    answered: ({ name }: Call, reply: RedisReply) => seen.push(['<', name, reply]) > 0,
  };
  const { driver } = serverOf({ eager });
  const connection = await new TappedDriver(driver, SCRIPTS, tap).connect({ timeout: 1 });
  const told: unknown[] = [];
  expect(await connection.send([COMMIT, PING], (reply, at) => told.push([reply, at]))).toEqual([1, 2]);
  expect(seen).toEqual([
    ['>', 'commit-task', 'rs:{t#3}:p3:t:j:s:own'],
    ['>', 'PING'],
    ['<', 'commit-task', 1],
    ['<', 'PING', 2],
  ]);
  expect(told).toEqual([
    [1, 0],
    [2, 1],
  ]);
});

test.each([true, false])(
  'a reply that is lost takes its connection and those behind it with it; eager %p',
  async (eager) => {
    const { driver, state } = serverOf({ eager });
    const tap = { sending: () => undefined, answered: ({ name }: Call) => name !== 'commit-task' };
    const connection = await new TappedDriver(driver, SCRIPTS, tap).connect({ timeout: 1 });
    const told: unknown[] = [];
    const sending = connection.send([PING, COMMIT, PING], (reply, at) => told.push([reply, at]));
    await expect(sending).rejects.toMatchObject({
      code: 'RS_REDIS_CONNECTION_LOST',
      details: { sent: true },
    });
    await expect(sending).rejects.toBeInstanceOf(RsError);
    expect(told).toEqual([[1, 0]]);
    expect(state).toEqual({ sent: 3, destroyed: true });
  },
);
