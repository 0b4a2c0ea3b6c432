import { expect, test } from '@jest/globals';
import { useRedis } from '@rs/redis-server/jest';
import { TaskKeys } from '../keys/task-keys.ts';
import type { TaskPlace } from '../keys/task-place.ts';
import { coded } from '../test-support/coded.ts';
import { useStore } from '../test-support/use-store.ts';

const bench = useStore(useRedis());

/** Entries 1-0 to n-0. */
async function log(place: TaskPlace, count: number, from = 1): Promise<string> {
  const keys = new TaskKeys(place);
  for (let n = from; n < from + count; n++) await bench.redis.xadd(keys.log, `${n}-0`, 'm', '');
  return keys.log;
}

/** What a tool that shows groups sees: position, entries read, lag. */
async function shown(stream: string): Promise<{ at: unknown; read: unknown; lag: unknown }> {
  const groups = (await bench.redis.xinfo('GROUPS', stream)) as unknown[][];
  const facts = groups.find((each) => each[1] === 'group') ?? [];
  const fact = (name: string): unknown => facts[facts.indexOf(name) + 1];
  return { at: fact('last-delivered-id'), read: fact('entries-read'), lag: fact('lag') };
}

test('the group is made, and moves with the task', async () => {
  const place = bench.place();
  const stream = await log(place, 10);
  const { store } = await bench.acquire(place);
  expect(await store.mirror('0-0', 0)).toBe(10);
  expect(await shown(stream)).toEqual({ at: '0-0', read: 0, lag: 10 });
  expect(await store.mirror('4-0', 4)).toBe(6);
  expect(await shown(stream)).toEqual({ at: '4-0', read: 4, lag: 6 });
  expect(await store.mirror('10-0', 10)).toBe(0);
  expect(await shown(stream)).toEqual({ at: '10-0', read: 10, lag: 0 });
});

test('on a log that there is not yet', async () => {
  const place = bench.place();
  const { store, keys } = await bench.acquire(place);
  expect(await store.mirror('0-0', 0)).toBe(0);
  await log(place, 3);
  expect(await store.mirror('2-0', 2)).toBe(1);
  expect(await shown(keys.log)).toEqual({ at: '2-0', read: 2, lag: 1 });
});

test('a group that was removed is made again', async () => {
  const place = bench.place();
  const stream = await log(place, 5);
  const { store } = await bench.acquire(place);
  await store.mirror('2-0', 2);
  await bench.redis.xgroup('DESTROY', stream, 'group');
  expect(await store.mirror('3-0', 3)).toBe(2);
  expect(await shown(stream)).toEqual({ at: '3-0', read: 3, lag: 2 });
});

test('behind a trimmed beginning, the entries that are gone count as read', async () => {
  const place = bench.place();
  const stream = await log(place, 10);
  await bench.redis.xtrim(stream, 'MAXLEN', 6);
  const { store } = await bench.acquire(place);
  await store.mirror('6-0', 2);
  expect(await shown(stream)).toEqual({ at: '6-0', read: 6, lag: 4 });
});

test('a task that begins in the middle knows its lag once it has read everything', async () => {
  const place = bench.place();
  const stream = await log(place, 10);
  const { store } = await bench.acquire(place, { from: '3-0' });
  expect(await store.mirror('5-0', 2)).toBeUndefined();
  expect(await shown(stream)).toMatchObject({ at: '5-0', lag: null });
  expect(await store.mirror('10-0', 7)).toBe(0);
  await log(place, 4, 11);
  expect(await store.mirror('12-0', 9)).toBe(2);
  expect(await shown(stream)).toEqual({ at: '12-0', read: 12, lag: 2 });
});

test('entries that were removed unread make up for themselves', async () => {
  const place = bench.place();
  const stream = await log(place, 10);
  const { store } = await bench.acquire(place);
  await store.mirror('2-0', 2);
  await bench.redis.xtrim(stream, 'MAXLEN', 3);
  // 3-0 to 7-0 were never read.
  expect(await store.mirror('8-0', 3)).toBe(2);
  expect(await store.mirror('10-0', 5)).toBe(0);
  await log(place, 2, 11);
  expect(await store.mirror('11-0', 6)).toBe(1);
});

test('only the owner moves it', async () => {
  const place = bench.place();
  const stream = await log(place, 3);
  const old = await bench.acquire(place);
  await old.store.mirror('1-0', 1);
  await old.store.release();
  await bench.acquire(place);
  await expect(old.store.mirror('2-0', 2)).rejects.toEqual(coded('RS_LEASE_LOST'));
  expect(await shown(stream)).toMatchObject({ at: '1-0' });
});
