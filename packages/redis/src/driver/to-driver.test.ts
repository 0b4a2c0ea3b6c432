import { expect, jest, test } from '@jest/globals';
import { Cluster, Redis } from 'ioredis';
import { Cluster as Cluster6, Redis as Redis6 } from 'ioredis-6';
import { RsError } from '@rs/core';
import { FakeDriver } from '../test-support/fake-driver.ts';
import { type RedisLike, isRedisDriver, toDriver } from './to-driver.ts';

const lazy = { lazyConnect: true };

test.each([
  ['Redis of ioredis 5', () => new Redis(lazy), 'single'],
  ['Cluster of ioredis 5', () => new Cluster([7000], lazy), 'cluster'],
  ['Redis of ioredis 6', () => new Redis6(lazy), 'single'],
  ['Cluster of ioredis 6', () => new Cluster6([7000], lazy), 'cluster'],
  ['Sentinels', () => new Redis({ sentinels: [{ host: 'h', port: 1 }], name: 'm', ...lazy }), 'single'],
] as const)('%s makes a driver, and stays as it is', (_, make, topology) => {
  const redis = make();
  const listeners = redis.eventNames().map((name) => redis.listenerCount(name));
  const driver = toDriver(redis);
  expect(isRedisDriver(driver)).toBe(true);
  expect(driver).toMatchObject({ name: 'ioredis', topology });
  expect(redis.status).toBe('wait');
  expect(redis.eventNames().map((name) => redis.listenerCount(name))).toEqual(listeners);
});

test('a driver is a driver', () => {
  const driver = new FakeDriver('cluster');
  expect(toDriver(driver)).toBe(driver);
});

const WRONG: readonly (readonly [unknown, string])[] = [
  ['redis://localhost', "'redis://localhost'"],
  [undefined, 'undefined'],
  [null, 'null'],
  [{ host: 'localhost', port: 6379 }, 'an object of Object'],
  [{ name: 'x', topology: 'star', connect: () => undefined }, 'an object of Object'],
  [Redis, 'a function'],
];

test.each(WRONG)('%p is refused, with what to do', (value, shown) => {
  const refused = (): unknown => toDriver(value as RedisLike);
  expect(refused).toThrow(expect.objectContaining({ code: 'RS_INVALID_ARGUMENT' }));
  expect(refused).toThrow(`got ${shown}; make one with new Redis('redis://localhost:6379')`);
});

test.each([
  ['a server', () => new Redis({ keyPrefix: 'app:', ...lazy })],
  ['a server, ioredis 6', () => new Redis6({ keyPrefix: 'app:', ...lazy })],
  ['a cluster', () => new Cluster([7000], { keyPrefix: 'app:', ...lazy })],
  ['nodes of a cluster', () => new Cluster([7000], { redisOptions: { keyPrefix: 'app:' }, ...lazy })],
])("ioredis' keyPrefix is refused: %s", (_, make) => {
  const redis = make();
  expect(() => toDriver(redis)).toThrow(RsError);
  expect(() => toDriver(redis)).toThrow('keyPrefix "app:"');
  expect(() => toDriver(redis)).toThrow('`prefix`');
});

test('what only looks like ioredis is refused', () => {
  const mock = { isCluster: false, status: 'wait', options: {}, duplicate: () => ({}) };
  expect(() => toDriver(mock)).toThrow('not of ioredis 5.4 to 6');
  expect(() => toDriver({ ...mock, isCluster: true })).toThrow('not of ioredis 5.4 to 6');
});

test('@rs/redis loads and takes a driver where ioredis is not installed', async () => {
  await jest.isolateModulesAsync(async () => {
    jest.doMock('ioredis', () => {
      throw new Error("Cannot find module 'ioredis'");
    });
    const redis = await import('../index.ts');
    expect(redis.toDriver(new FakeDriver('single')).name).toBe('fake');
  });
});
