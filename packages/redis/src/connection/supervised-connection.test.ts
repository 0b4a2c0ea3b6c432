import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { DIAGNOSTICS_CHANNELS, RsError } from '@rs/core';
import type { ConnectOptions, RedisConnection } from '../driver/driver.ts';
import { FakeDriver } from '../test-support/fake-driver.ts';
import { type LogBook, logBook } from '../test-support/log.ts';
import { pass, stopTimers, turn } from '../test-support/turns.ts';
import { SupervisedConnection } from './supervised-connection.ts';

let driver: FakeDriver;
let log: LogBook;
let connected: RedisConnection[];
let failed: RsError[];

beforeEach(() => {
  stopTimers();
  driver = new FakeDriver('single');
  log = logBook();
  connected = [];
  failed = [];
});

afterEach(() => {
  jest.useRealTimers();
});

function supervised(
  connect: (options: ConnectOptions) => Promise<RedisConnection> = (options) => driver.connect(options),
): SupervisedConnection {
  return new SupervisedConnection(
    {
      connect,
      driver: driver.name,
      target: 'the master',
      connectTimeout: 1_000,
      backoff: { min: 100, max: 1_000 },
      random: () => 0.5,
      logger: log,
    },
    { connected: (connection) => connected.push(connection), failed: (error) => failed.push(error) },
  );
}

test('nothing is connected before it is wanted, and then once', async () => {
  const link = supervised();
  await turn();
  expect(driver.attempts).toBe(0);
  link.connect();
  link.connect();
  await turn();
  link.connect();
  await turn();
  expect(driver.attempts).toBe(1);
  expect(connected).toEqual([link.current]);
  expect(log.lines).toEqual(['info connected to the master']);
});

test('the attempt is given its time', async () => {
  const given: ConnectOptions[] = [];
  const link = supervised((options) => {
    given.push(options);
    return driver.connect(options);
  });
  link.connect();
  await turn();
  expect(given).toEqual([{ timeout: 1_000, signal: expect.any(AbortSignal) }]);
});

test('after failures it waits, twice as long each time, up to the longest', async () => {
  driver.first.up = false;
  const link = supervised();
  link.connect();
  await turn();
  const waits: number[] = [];
  for (let i = 0; i < 6; i++) {
    link.connect();
    const before = driver.attempts;
    let waited = 0;
    while (driver.attempts === before) {
      await pass(25);
      waited += 25;
    }
    waits.push(waited);
  }
  // Three quarters, with a random of one half.
  expect(waits).toEqual([75, 150, 300, 600, 750, 750]);
  expect(failed).toHaveLength(7);
  expect(failed[0]).toMatchObject({ code: 'RS_REDIS_UNAVAILABLE' });
});

test('nobody asks: nothing is tried', async () => {
  driver.first.up = false;
  const link = supervised();
  link.connect();
  await pass(60_000);
  expect(driver.attempts).toBe(1);
});

test('of a long outage the log has the 1st, 2nd, 4th, 8th … attempt as warnings', async () => {
  driver.first.up = false;
  const link = supervised();
  for (let i = 0; i < 9; i++) {
    link.connect();
    await pass(1_000);
  }
  expect(driver.attempts).toBe(9);
  expect(new Set(log.lines.map((line) => line.replace(/^\w+ /, '')))).toEqual(
    new Set(['could not connect to the master']), // why, the error says
  );
  const levels = log.lines.map((line) => line.split(' ')[0]);
  expect(levels).toEqual(['warn', 'warn', 'debug', 'warn', 'debug', 'debug', 'debug', 'warn', 'debug']);
});

test('a connection that ends is told, and made again when it is wanted', async () => {
  const link = supervised();
  link.connect();
  await turn();
  link.healthy();
  driver.first.kill();
  await turn();
  expect(link.current).toBeUndefined();
  expect(log.lines.at(-1)).toBe('warn lost the connection to the master');
  expect(driver.attempts).toBe(1);
  link.connect();
  await turn();
  expect(connected).toHaveLength(2);
  expect(link.current).toBe(connected[1]);
});

test('of connections that are lost one after the other the 1st, 2nd, 4th … are warnings, and after a good one they are news again', async () => {
  const link = supervised();
  const lose = async (): Promise<void> => {
    link.connect();
    await turn();
    link.healthy();
    driver.first.kill();
    await turn();
  };
  for (let times = 0; times < 5; times++) await lose();
  const losses = () => log.lines.filter((line) => line.endsWith('lost the connection to the master'));
  expect(losses().map((line) => line.split(' ')[0])).toEqual(['warn', 'warn', 'debug', 'warn', 'debug']);
  link.connect();
  await turn();
  link.healthy();
  const clock = jest.spyOn(performance, 'now').mockReturnValue(Number.MAX_SAFE_INTEGER);
  driver.first.kill();
  await turn();
  await lose();
  clock.mockRestore();
  expect(
    losses()
      .slice(5)
      .map((line) => line.split(' ')[0]),
  ).toEqual(['warn', 'warn']);
});

test('connections that end before they were of use count as failures', async () => {
  const link = supervised();
  link.connect();
  await turn();
  driver.first.kill();
  await turn();
  link.connect();
  await turn();
  expect(driver.attempts).toBe(1);
  await pass(75);
  expect(driver.attempts).toBe(2);
  link.healthy();
  driver.first.kill();
  await turn();
  link.connect();
  await turn();
  expect(driver.attempts).toBe(3);
});

test('what is dropped is destroyed, and gone at once', async () => {
  const link = supervised();
  link.connect();
  await turn();
  const [first] = connected;
  if (first !== undefined) link.drop(first);
  expect(link.current).toBeUndefined();
  expect(driver.first.connections).toBe(0);
  link.healthy();
  link.connect();
  await turn();
  // A late drop of the old one does not touch the new one.
  if (first !== undefined) link.drop(first);
  expect(link.current).toBe(connected[1]);
});

test('what a driver throws that is no RsError is the cause of one', async () => {
  const cause = new TypeError('a bug');
  const link = supervised(() => Promise.reject(cause));
  link.connect();
  await turn();
  expect(failed).toEqual([expect.objectContaining({ code: 'RS_REDIS_UNAVAILABLE', cause })]);
});

test('close: the connection is destroyed, and no other is made', async () => {
  const link = supervised();
  link.connect();
  await turn();
  link.close();
  link.close();
  link.connect();
  await pass(10_000);
  expect(driver.first.connections).toBe(0);
  expect(driver.attempts).toBe(1);
  expect(log.lines.at(-1)).toBe('debug closed the connection to the master');
});

test('close in the middle of an attempt ends it; a connection that comes nevertheless is destroyed', async () => {
  let give: (connection: RedisConnection) => void = () => undefined;
  let signal: AbortSignal | undefined;
  const link = supervised((options) => {
    signal = options.signal;
    return new Promise((resolve) => {
      give = resolve;
    });
  });
  link.connect();
  link.close();
  expect(signal?.aborted).toBe(true);
  give(driver.first.accept());
  await turn();
  expect(driver.first.connections).toBe(0);
  expect(connected).toEqual([]);
  expect(link.current).toBeUndefined();
});

test('close in a pause ends it', async () => {
  driver.first.up = false;
  const link = supervised();
  link.connect();
  await turn();
  link.connect();
  link.close();
  await pass(10_000);
  expect(driver.attempts).toBe(1);
  expect(failed).toHaveLength(1);
});

test('both ends are published', async () => {
  const events: unknown[] = [];
  const note = (message: unknown, name: string | symbol): void => {
    events.push([name, message]);
  };
  const { redisConnected, redisDisconnected } = DIAGNOSTICS_CHANNELS;
  for (const name of [redisConnected, redisDisconnected]) subscribe(name, note);
  try {
    const link = supervised();
    link.connect();
    await turn();
    driver.first.kill();
    await turn();
    link.close();
  } finally {
    for (const name of [redisConnected, redisDisconnected]) unsubscribe(name, note);
  }
  const facts = { driver: 'fake', target: 'the master', node: driver.first.node };
  expect(events).toEqual([
    [redisConnected, facts],
    [redisDisconnected, { ...facts, error: expect.any(RsError) }],
  ]);
});
