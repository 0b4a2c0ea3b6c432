import { describe, expect, test } from '@jest/globals';
import { useRedis } from '@rs/redis-server/jest';
import { TaskKeys } from '../keys/task-keys.ts';
import type { TaskPlace } from '../keys/task-place.ts';
import { coded } from '../test-support/coded.ts';
import { useStore } from '../test-support/use-store.ts';
import type { Mirrored, TaskStore } from './task-store.ts';

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

/** The lag of a task that has settled everything that it has read. */
async function lagAt(store: TaskStore, offset: string, count: number): Promise<number | undefined> {
  return (await store.mirror({ offset, count }, { at: offset, read: count })).lag;
}

/** What is found, and not told yet. */
async function lossAt(store: TaskStore, at: string, read: number, told = ''): Promise<Mirrored['loss']> {
  return (await store.mirror({ offset: at, count: read }, { at, read }, told)).loss;
}

test('the group is made, and moves with the task', async () => {
  const place = bench.place();
  const stream = await log(place, 10);
  const { store } = await bench.acquire(place);
  expect(await lagAt(store, '0-0', 0)).toBe(10);
  expect(await shown(stream)).toEqual({ at: '0-0', read: 0, lag: 10 });
  expect(await lagAt(store, '4-0', 4)).toBe(6);
  expect(await shown(stream)).toEqual({ at: '4-0', read: 4, lag: 6 });
  expect(await lagAt(store, '10-0', 10)).toBe(0);
  expect(await shown(stream)).toEqual({ at: '10-0', read: 10, lag: 0 });
});

test('on a log that there is not yet', async () => {
  const place = bench.place();
  const { store, keys } = await bench.acquire(place);
  expect(await lagAt(store, '0-0', 0)).toBe(0);
  await log(place, 3);
  expect(await lagAt(store, '2-0', 2)).toBe(1);
  expect(await shown(keys.log)).toEqual({ at: '2-0', read: 2, lag: 1 });
});

test('a group that was removed is made again', async () => {
  const place = bench.place();
  const stream = await log(place, 5);
  const { store } = await bench.acquire(place);
  await lagAt(store, '2-0', 2);
  await bench.redis.xgroup('DESTROY', stream, 'group');
  expect(await lagAt(store, '3-0', 3)).toBe(2);
  expect(await shown(stream)).toEqual({ at: '3-0', read: 3, lag: 2 });
});

test('behind a trimmed beginning, the entries that are gone count as read', async () => {
  const place = bench.place();
  const stream = await log(place, 10);
  await bench.redis.xtrim(stream, 'MAXLEN', 6);
  const { store } = await bench.acquire(place);
  await lagAt(store, '6-0', 2);
  expect(await shown(stream)).toEqual({ at: '6-0', read: 6, lag: 4 });
});

test('a task that begins in the middle knows its lag once it has read everything', async () => {
  const place = bench.place();
  const stream = await log(place, 10);
  const { store } = await bench.acquire(place, { from: '3-0' });
  expect(await lagAt(store, '5-0', 2)).toBeUndefined();
  expect(await shown(stream)).toMatchObject({ at: '5-0', lag: null });
  expect(await lagAt(store, '10-0', 7)).toBe(0);
  await log(place, 4, 11);
  expect(await lagAt(store, '12-0', 9)).toBe(2);
  expect(await shown(stream)).toEqual({ at: '12-0', read: 12, lag: 2 });
});

test('entries that were removed unread make up for themselves', async () => {
  const place = bench.place();
  const stream = await log(place, 10);
  const { store } = await bench.acquire(place);
  await lagAt(store, '2-0', 2);
  await bench.redis.xtrim(stream, 'MAXLEN', 3);
  // 3-0 to 7-0 were never read.
  expect(await lagAt(store, '8-0', 3)).toBe(2);
  expect(await lagAt(store, '10-0', 5)).toBe(0);
  await log(place, 2, 11);
  expect(await lagAt(store, '11-0', 6)).toBe(1);
});

test('only the owner moves it', async () => {
  const place = bench.place();
  const stream = await log(place, 3);
  const old = await bench.acquire(place);
  await lagAt(old.store, '1-0', 1);
  await old.store.release();
  await bench.acquire(place);
  await expect(lagAt(old.store, '2-0', 2)).rejects.toEqual(coded('RS_LEASE_LOST'));
  expect(await shown(stream)).toMatchObject({ at: '1-0' });
});

describe('what the log has lost before it was read', () => {
  test('trimmed behind the task: from where to where, and how many; found until it was told', async () => {
    const place = bench.place();
    const stream = await log(place, 6);
    const { store } = await bench.acquire(place);
    expect(await lossAt(store, '2-0', 2)).toBeUndefined();
    await bench.redis.xtrim(stream, 'MAXLEN', 1);
    const lost = { after: '2-0', before: '6-0', count: 3, deleted: false };
    expect(await lossAt(store, '2-0', 2)).toEqual({ id: '1', lost });
    // A reply that is lost loses nothing: it is found again, also by the next owner, and counted once.
    await store.release();
    const next = await bench.acquire(place);
    expect(await lossAt(next.store, '6-0', 3)).toEqual({ id: '1', lost });
    expect(await lossAt(next.store, '6-0', 3, '1')).toBeUndefined();
    expect(await lossAt(next.store, '6-0', 3)).toBeUndefined();
  });

  test('by a task that has passed the gap already, once it has read everything', async () => {
    const place = bench.place();
    const stream = await log(place, 8);
    const { store } = await bench.acquire(place);
    await lossAt(store, '2-0', 2);
    await bench.redis.xtrim(stream, 'MAXLEN', 3);
    expect(await lossAt(store, '6-0', 3)).toBeUndefined();
    expect(await lossAt(store, '7-0', 4)).toBeUndefined();
    expect(await lossAt(store, '8-0', 5)).toMatchObject({ lost: { after: '2-0', before: '8-0', count: 3 } });
  });

  test('deleted in the middle', async () => {
    const place = bench.place();
    const stream = await log(place, 5);
    const { store } = await bench.acquire(place);
    await lossAt(store, '1-0', 1);
    await bench.redis.xdel(stream, '3-0', '4-0');
    expect(await lossAt(store, '5-0', 3)).toMatchObject({ lost: { after: '1-0', before: '5-0', count: 2 } });
  });

  test('all that there were', async () => {
    const place = bench.place();
    const stream = await log(place, 5);
    const { store } = await bench.acquire(place);
    await lossAt(store, '2-0', 2);
    await bench.redis.xtrim(stream, 'MAXLEN', 0);
    expect(await lossAt(store, '2-0', 2)).toMatchObject({
      lost: { after: '2-0', before: undefined, count: 3, deleted: false },
    });
  });

  test('before the task was acquired for the first time it has nothing to lose', async () => {
    const place = bench.place();
    const stream = await log(place, 6);
    await bench.redis.xtrim(stream, 'MAXLEN', 2);
    const { store } = await bench.acquire(place);
    expect(await lossAt(store, '0-0', 0)).toBeUndefined();
    expect(await lossAt(store, '6-0', 2)).toBeUndefined();
  });

  test('nothing is lost of what was read before it was removed, or while a read is under way', async () => {
    const place = bench.place();
    const stream = await log(place, 9);
    const { store } = await bench.acquire(place);
    await lossAt(store, '2-0', 2);
    await bench.redis.xtrim(stream, 'MAXLEN', 3);
    // The reader has 3-0 to 6-0 in memory.
    const ahead = await store.mirror({ offset: '2-0', count: 2 }, { at: '6-0', read: 6 });
    expect(ahead.loss).toBeUndefined();
    expect((await store.mirror({ offset: '2-0', count: 2 })).loss).toBeUndefined();
    expect(await lossAt(store, '9-0', 9)).toBeUndefined();
    // Removing what was read is nobody's loss.
    await bench.redis.xtrim(stream, 'MAXLEN', 0);
    expect(await lossAt(store, '9-0', 9)).toBeUndefined();
  });

  test('a log that was deleted: what is known of it, and what comes then is counted anew', async () => {
    const place = bench.place();
    const stream = await log(place, 5);
    const { store } = await bench.acquire(place);
    await lossAt(store, '3-0', 3);
    await bench.redis.del(stream);
    await log(place, 2, 11);
    // The first of them was read meanwhile.
    expect(await lossAt(store, '11-0', 4)).toMatchObject({ id: '1', lost: { after: '3-0', deleted: true } });
    expect(await lossAt(store, '12-0', 5, '1')).toBeUndefined();
    await log(place, 4, 21);
    await bench.redis.xtrim(stream, 'MAXLEN', 1);
    expect(await lossAt(store, '12-0', 5)).toMatchObject({ id: '2', lost: { count: 3, deleted: false } });
  });

  test('a log that was deleted and is not there again: how many had not been read', async () => {
    const place = bench.place();
    const stream = await log(place, 5);
    const { store } = await bench.acquire(place);
    await lossAt(store, '3-0', 3);
    await bench.redis.del(stream);
    const lost = { after: '3-0', before: '3-0', count: 2, deleted: true };
    expect(await lossAt(store, '3-0', 3)).toEqual({ id: '1', lost });
  });
});
