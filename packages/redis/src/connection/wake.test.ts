import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import type { RedisReply } from '../driver/driver.ts';
import { replyError } from '../driver/reply-error.ts';
import { DedicatedBench, NOTHING, SLACK, type Unblock, isPending } from '../test-support/dedicated-bench.ts';
import { pass, stopTimers, turn } from '../test-support/turns.ts';

const ENTRY: RedisReply = [['s', [['1-1', ['f', 'v']]]]];

beforeEach(stopTimers);
afterEach(() => {
  jest.useRealTimers();
});

test('without a call it does nothing', async () => {
  const bench = new DedicatedBench();
  const { connection, driver } = bench;
  connection.wake();
  await turn();
  expect(bench.unblocks).toEqual([]);
  expect(driver.attempts).toBe(0);
});

test('bench.unblocks the call under way by its id, once', async () => {
  const bench = new DedicatedBench();
  const { connection, driver } = bench;
  const { end } = await bench.blocked();
  connection.wake();
  connection.wake();
  expect(bench.unblocks).toMatchObject([{ id: 41, node: driver.first.node }]);
  bench.unblocks[0]?.reply(1);
  await turn();
  driver.first.serve();
  expect(await end).toBe(NOTHING);
  expect(bench.unblocks).toHaveLength(1);
});

test('before the command is sent the call comes back at once; the connection is kept', async () => {
  const bench = new DedicatedBench();
  const { connection, driver } = bench;
  const end = bench.call();
  connection.wake();
  expect(await end).toBeNull();
  driver.first.serveAll();
  await turn();
  driver.first.serveAll();
  expect(bench.unblocks).toEqual([]);
  const next = await bench.blocked();
  expect(driver.attempts).toBe(1);
  driver.first.serve();
  expect(await next.end).toBe(NOTHING);
});

test('an UNBLOCK that overtakes its command is sent again', async () => {
  const bench = new DedicatedBench();
  const { connection, driver } = bench;
  const { end } = await bench.blocked();
  connection.wake();
  bench.unblocks[0]?.reply(0);
  await pass(5);
  expect(bench.unblocks).toHaveLength(2);
  bench.unblocks[1]?.reply(1);
  await turn();
  driver.first.serve();
  expect(await end).toBe(NOTHING);
});

test('an UNBLOCK that comes too late does not wake the next call: that one waits for it', async () => {
  const bench = new DedicatedBench();
  const { connection, driver } = bench;
  const { end } = await bench.blocked();
  connection.wake();
  bench.answer = ENTRY;
  driver.first.serve();
  expect(await end).toBe(ENTRY);
  bench.answer = NOTHING;
  const sent = driver.first.sends.length;
  const next = bench.call();
  await turn();
  expect(driver.first.sends).toHaveLength(sent);
  bench.unblocks[0]?.reply(0);
  await turn();
  expect(driver.first.sends).toHaveLength(sent + 1);
  driver.first.serve();
  expect(await next).toBe(NOTHING);
  expect(driver.attempts).toBe(1);
});

test.each([
  ['is refused', (unblock?: Unblock) => unblock?.reply(replyError('NOPERM no'))],
  ['cannot be sent', (unblock?: Unblock) => unblock?.fail(new Error('no connection'))],
])('when UNBLOCK %s, the socket is destroyed', async (_, happen) => {
  const bench = new DedicatedBench();
  const { connection, driver } = bench;
  const { end } = await bench.blocked();
  connection.wake();
  happen(bench.unblocks[0]);
  expect(await end).toMatchObject({ code: 'RS_REDIS_CONNECTION_LOST' });
  const next = await bench.blocked();
  expect(driver.attempts).toBe(2);
  driver.first.serve();
  expect(await next.end).toBe(NOTHING);
});

test('when UNBLOCK does not come back, the socket is destroyed after the slack', async () => {
  const bench = new DedicatedBench();
  const { connection } = bench;
  const { end } = await bench.blocked();
  connection.wake();
  await pass(SLACK - 1);
  expect(await isPending(end)).toBe(true);
  await pass(1);
  expect(await end).toMatchObject({ code: 'RS_REDIS_CONNECTION_LOST' });
});

test('when the call does not come back although it was unblocked, too', async () => {
  const bench = new DedicatedBench();
  const { connection } = bench;
  const { end } = await bench.blocked();
  connection.wake();
  bench.unblocks[0]?.reply(1);
  await pass(SLACK);
  expect(await end).toMatchObject({ code: 'RS_REDIS_CONNECTION_LOST' });
  expect(bench.unblocks).toHaveLength(1);
});

test('a server that tells no id: the socket is destroyed at once', async () => {
  const bench = new DedicatedBench();
  const { connection, driver } = bench;
  driver.first.rule = (command) => (command.name === 'CLIENT' ? replyError('NOPERM no') : null);
  const { end } = await bench.blocked();
  connection.wake();
  expect(await end).toMatchObject({ code: 'RS_REDIS_CONNECTION_LOST' });
  expect(bench.unblocks).toEqual([]);
});
