import { expect, test } from '@jest/globals';
import { createRedisClient } from '@rs/redis';
import { useRedis } from '@rs/redis-server/jest';
import { Redis } from 'ioredis';
import { coded, rejectionOf } from '../test-support/coded.ts';
import { useStore } from '../test-support/use-store.ts';
import { acquireTask } from './acquire-task.ts';

const server = useRedis({
  acl: [
    { user: 'whole', password: 'secret', rules: ['~rs:*', '+@all'] },
    // Everything that acquiring itself needs, and most of what a commit does.
    { user: 'half', password: 'secret', rules: ['~rs:*', '+@all', '-unlink'] },
    { user: 'elsewhere', password: 'secret', rules: ['~other:*', '+@all'] },
  ],
});
const bench = useStore(server);

async function acquireAs(username: string, place = bench.place()) {
  const { host, port } = server();
  const client = createRedisClient(
    new Redis({ host, port, username, password: 'secret', lazyConnect: true }),
  );
  try {
    return await acquireTask(client, place, { token: 'token', owner: 'tests', ttl: 1_000 });
  } finally {
    await client.close();
  }
}

test('a user that may do what a commit does', async () => {
  await expect(acquireAs('whole')).resolves.toMatchObject({ type: 'acquired' });
});

test('one that may not do all of it gets no task, since a commit could end half way', async () => {
  const place = bench.place();
  const error = await rejectionOf(acquireAs('half', place), 'RS_REDIS_AUTH');
  expect(error.message).toContain('UNLINK');
  // Nothing was written: whoever may is the first owner.
  expect((await bench.acquire(place)).lease.epoch).toBe(1);
});

test('nor does one that may not touch these keys', async () => {
  await expect(acquireAs('elsewhere')).rejects.toEqual(coded('RS_REDIS_AUTH'));
});
