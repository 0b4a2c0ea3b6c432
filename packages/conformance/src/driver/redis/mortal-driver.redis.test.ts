import { expect, test } from '@jest/globals';
import { ioredisDriver } from '@rs/redis';
import { useRedis } from '@rs/redis-server/jest';
import { Redis } from 'ioredis';
import { MortalDriver } from './mortal-driver.ts';

const server = useRedis();

const OPTIONS = { timeout: 5_000 };

/** A driver that kills itself when it is asked for the `at`-th time. */
function dyingAt(at: number): MortalDriver {
  const redis = new Redis(server().url, { lazyConnect: true });
  let asked = 0;
  const driver = new MortalDriver(ioredisDriver(redis));
  driver.watch(() => {
    if (++asked === at) driver.kill();
  });
  return driver;
}

const incr = (key: string) => [{ name: 'INCR', args: [key] }];

test('nothing is sent by a process that has died before', async () => {
  const driver = dyingAt(3);
  const connection = await driver.connect(OPTIONS);
  expect(await connection.send(incr('mortal:before'))).toEqual([1]);
  await expect(connection.send(incr('mortal:before'))).rejects.toMatchObject({
    code: 'RS_REDIS_CONNECTION_LOST',
  });
  expect(await server().cli('GET', 'mortal:before')).toBe('1');
});

test('what was sent is done, and the process that died meanwhile does not hear of it', async () => {
  const driver = dyingAt(2);
  const connection = await driver.connect(OPTIONS);
  const heard: unknown[] = [];
  await expect(
    connection.send(incr('mortal:meanwhile'), (reply) => void heard.push(reply)),
  ).rejects.toMatchObject({ code: 'RS_REDIS_CONNECTION_LOST' });
  expect(heard).toEqual([]);
  expect(await server().cli('GET', 'mortal:meanwhile')).toBe('1');
});

test('a dead process has no connection, and gets none', async () => {
  const driver = dyingAt(1);
  const [first, second] = [await driver.connect(OPTIONS), await driver.connect(OPTIONS)];
  driver.kill();
  expect((await first.closed).code).toBe('RS_REDIS_CONNECTION_LOST');
  expect((await second.closed).code).toBe('RS_REDIS_CONNECTION_LOST');
  await expect(driver.connect(OPTIONS)).rejects.toMatchObject({ code: 'RS_REDIS_UNAVAILABLE' });
});
