import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { replyError } from '../driver/reply-error.ts';
import { watch } from '../test-support/calls.ts';
import { FakeCluster } from '../test-support/fake-cluster.ts';
import { FakeDriver } from '../test-support/fake-driver.ts';
import type { FakeNode } from '../test-support/fake-node.ts';
import { pass, stopTimers, turn } from '../test-support/turns.ts';
import type { RedisClient } from './client.ts';
import { createRedisClient } from './create-redis-client.ts';

let client: RedisClient;

beforeEach(stopTimers);
afterEach(async () => {
  await client.close();
  jest.useRealTimers();
});

const READ = { name: 'GET', args: ['foo'] };
const commands = (node: FakeNode) => node.sends.flat().map(({ name, args }) => [name, ...args].join(' '));

test('on a single server it is a second connection, made with its first call', async () => {
  const driver = new FakeDriver('single');
  client = createRedisClient(driver, { random: () => 0.5 });
  const reader = client.dedicated({ key: 'foo', name: 'reader' });
  await client.command({ name: 'PING', args: [] });
  expect(driver.attempts).toBe(1);
  await expect(reader.call(READ, { block: 10 })).resolves.toBe('OK');
  expect(driver.first.connections).toBe(2);
});

test('in a cluster it goes to the node that serves the key, and there again after MOVED', async () => {
  const cluster = new FakeCluster();
  client = createRedisClient(cluster.driver, { random: () => 0.5 });
  const reader = client.dedicated({ key: 'foo', name: 'reader' });
  const old = cluster.ownerOf('foo');
  await expect(reader.call(READ, { block: 10 })).resolves.toBe('OK');
  expect(old.executed).toContain('GET foo');

  const target = cluster.other(old);
  cluster.assign('foo', target);
  await expect(reader.call(READ, { block: 10 })).rejects.toMatchObject({ details: { prefix: 'MOVED' } });
  await expect(reader.call(READ, { block: 10 })).resolves.toBe('OK');
  expect(target.executed).toContain('GET foo');
});

test('in a cluster whose node is gone it goes to the one that took over', async () => {
  const cluster = new FakeCluster();
  client = createRedisClient(cluster.driver, { random: () => 0.5 });
  const reader = client.dedicated({ key: 'foo', name: 'reader' });
  await reader.call(READ, { block: 10 });
  const old = cluster.ownerOf('foo');
  old.up = false;
  old.kill();
  await turn();
  const early = watch(reader.call(READ, { block: 10 }));
  await pass(500);
  cluster.takeOver(old, cluster.other(old));
  await pass(3_000);
  expect(early.now()).toBe('OK');
});

test('wake asks the very server that blocks, by the id of the connection', async () => {
  const driver = new FakeDriver('single');
  client = createRedisClient(driver, { random: () => 0.5 });
  driver.first.rule = ({ name, args }) => (name === 'CLIENT' && args[0] === 'ID' ? 42 : undefined);
  const reader = client.dedicated({ key: 'foo', name: 'reader' });
  await reader.call(READ, { block: 10 });
  driver.first.auto = false;
  const outcome = watch(reader.call(READ, { block: 10_000 }));
  await turn();
  reader.wake();
  await turn();
  expect(commands(driver.first)).toContain('CLIENT UNBLOCK 42 TIMEOUT');
  driver.first.auto = true;
  driver.first.serveAll();
  await pass(10);
  expect(outcome.now()).toBe('OK');
});

test('wake does not ask a server that has taken the place of the other', async () => {
  const driver = new FakeDriver('single');
  client = createRedisClient(driver, { random: () => 0.5 });
  const old = driver.first;
  const heir = new FakeCluster(1).add(7009);
  heir.rule = () => undefined;
  driver.nodes.push(heir);
  old.rule = ({ name, args }) => (name === 'CLIENT' && args[0] === 'ID' ? 42 : undefined);
  const reader = client.dedicated({ key: 'foo', name: 'reader' });
  await reader.call(READ, { block: 10 });
  old.auto = false;
  const outcome = watch(reader.call(READ, { block: 10_000 }));
  await turn();
  // The old master takes no more connections, but the blocked one stands.
  old.up = false;
  reader.wake();
  await pass(100);
  expect(heir.executed.filter((line) => line.startsWith('CLIENT'))).toEqual([]);
  expect(outcome.now()).toMatchObject({ code: 'RS_REDIS_CONNECTION_LOST' });
});

test('a key that is refused, and close', async () => {
  const cluster = new FakeCluster();
  cluster.rule = (_, { name }) => (name === 'EXISTS' ? replyError('NOPERM no EXISTS for you') : undefined);
  client = createRedisClient(cluster.driver, { random: () => 0.5 });
  const reader = client.dedicated({ key: 'foo', name: 'reader' });
  await expect(reader.call(READ, { block: 10 })).rejects.toMatchObject({ code: 'RS_REDIS_AUTH' });
  await client.close();
  await expect(reader.call(READ, { block: 10 })).rejects.toMatchObject({ code: 'RS_CLOSED' });
});
