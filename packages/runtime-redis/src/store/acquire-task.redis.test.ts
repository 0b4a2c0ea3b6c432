import { describe, expect, test } from '@jest/globals';
import { useRedis } from '@rs/redis-server/jest';
import { TaskKeys } from '../keys/task-keys.ts';
import type { TaskPlace } from '../keys/task-place.ts';
import { coded, rejectionOf } from '../test-support/coded.ts';
import { newCommit } from '../test-support/new-commit.ts';
import { type Acquired, LONG, useStore } from '../test-support/use-store.ts';
import { acquireTask, type AcquireOptions } from './acquire-task.ts';
import { redisTaskLeases } from './task-leases.ts';

const bench = useStore(useRedis());

const ask = (place: TaskPlace, options: Partial<AcquireOptions> = {}) =>
  acquireTask(bench.client(), place, { token: 'other', owner: 'another', ttl: LONG, ...options });

/** The owner is gone without a word, and its lease has ended. */
async function crash({ keys }: Acquired): Promise<void> {
  await bench.redis.hset(keys.own, 'until', 1);
}

async function serverNow(): Promise<number> {
  const [seconds] = await bench.redis.time();
  return Number(seconds) * 1_000;
}

const commit = ({ store }: Acquired, seq: number, parts = {}) =>
  store.commit(store.prepare(newCommit(seq, parts)));

describe('who gets a task', () => {
  test('a new one begins at the start of the log', async () => {
    const { lease } = await bench.acquire(bench.place(), { token: 'first' });
    expect(lease).toMatchObject({ token: 'first', epoch: 1, crashes: 0, started: '' });
    expect(lease.stored).toEqual({
      seq: 0,
      offset: '0-0',
      count: 0,
      ended: false,
      operators: {},
      late: {},
      cursors: {},
      gen: 'first',
      until: undefined,
    });
    expect(Math.abs(lease.now - (await serverNow()))).toBeLessThan(60_000);
  });

  test('nobody else while it has an owner', async () => {
    const place = bench.place();
    await bench.acquire(place, { owner: 'host-1' });
    const reply = await ask(place);
    expect(reply).toMatchObject({ type: 'busy', owner: 'host-1' });
    expect(reply.type === 'busy' && reply.left).toBeGreaterThan(LONG - 60_000);
    expect(reply.type === 'busy' && reply.left).toBeLessThanOrEqual(LONG);
  });

  test('the same token again is the same acquisition', async () => {
    const place = bench.place();
    const { lease } = await bench.acquire(place, { token: 'one' });
    const again = await bench.acquire(place, { token: 'one' });
    expect({ ...again.lease, now: 0 }).toEqual({ ...lease, now: 0 });
  });

  test('somebody else once it was given back, or its lease has ended', async () => {
    const place = bench.place();
    const first = await bench.acquire(place);
    await first.store.release();
    const second = await bench.acquire(place);
    expect(second.lease.epoch).toBe(2);
    await crash(second);
    const third = await bench.acquire(place);
    expect(third.lease.epoch).toBe(3);
    expect(third.lease.stored.gen).toBe(first.lease.token);
  });

  test('a lease lasts no longer than it was taken for, though the clock of the server went back', async () => {
    const place = bench.place();
    const { keys } = await bench.acquire(place, { ttl: 5_000 });
    // As a server sees it whose clock is an hour behind that of the one before.
    await bench.redis.hset(keys.own, 'until', (await serverNow()) + 3_600_000);
    expect(await ask(place)).toMatchObject({ type: 'busy', left: 5_000 });
    // And it gets shorter from now on.
    expect(Number(await bench.redis.hget(keys.own, 'until'))).toBeLessThan((await serverNow()) + 10_000);
  });

  test('only who has it may give it back', async () => {
    const place = bench.place();
    const old = await bench.acquire(place);
    await crash(old);
    const { store } = await bench.acquire(place);
    expect(await old.store.release()).toBe(false);
    expect(await ask(place)).toMatchObject({ type: 'busy' });
    expect(await store.release()).toBe(true);
    expect(await store.release()).toBe(false);
  });

  test.each(['own', 'meta', 'holds', 'log', 'group'] as const)(
    'nothing is written when the key of %s holds another type',
    async (name) => {
      const place = bench.place();
      const keys = new TaskKeys(place);
      await bench.redis.set(keys[name], 'text');
      await expect(ask(place)).rejects.toEqual(coded('RS_REDIS_REPLY'));
      expect(await bench.redis.exists(keys.own, keys.meta, keys.holds, keys.log, keys.group)).toBe(1);
    },
  );
});

describe('leases are renewed together', () => {
  test('those that are still held', async () => {
    const places = [bench.place(), bench.place(), bench.place()];
    const tasks = [];
    for (const place of places) tasks.push(await bench.acquire(place, { ttl: 5_000 }));
    const [, lost] = tasks;
    if (lost === undefined) throw new Error('there are three');
    await lost.store.release();
    const leases = redisTaskLeases(bench.client());
    const held = tasks.map(({ lease }, at) => ({ place: places[at] as TaskPlace, token: lease.token }));
    expect(await leases.renew(held, 100_000, 5_000)).toEqual([true, false, true]);
    const until = Number(await bench.redis.hget(tasks[2]?.keys.own ?? '', 'until'));
    expect(until).toBeGreaterThan((await serverNow()) + 90_000);
    expect(await bench.redis.hget(lost.keys.own, 'until')).toBeNull();
  });
});

describe('crashes', () => {
  test('are counted while the position stays, and forgotten when the lease was given back', async () => {
    const place = bench.place();
    let task = await bench.acquire(place);
    await commit(task, 1);
    for (const crashes of [1, 2, 3]) {
      await crash(task);
      task = await bench.acquire(place);
      expect(task.lease.crashes).toBe(crashes);
    }
    await task.store.release();
    task = await bench.acquire(place);
    expect(task.lease.crashes).toBe(0);
    await crash(task);
    expect((await bench.acquire(place)).lease.crashes).toBe(1);
  });

  test('begin anew when the position has moved', async () => {
    const place = bench.place();
    let task = await bench.acquire(place);
    for (const seq of [1, 2]) {
      await crash(task);
      task = await bench.acquire(place);
      expect(task.lease.crashes).toBe(1);
      await commit(task, seq);
    }
  });

  test('go on, wherever the position is, while a record is marked', async () => {
    const place = bench.place();
    let task = await bench.acquire(place);
    await crash(task);
    task = await bench.acquire(place);
    await commit(task, 1, { started: '2-0' });
    await crash(task);
    task = await bench.acquire(place);
    expect(task.lease).toMatchObject({ crashes: 2, started: '2-0' });
    await commit(task, 2, { started: '' });
    await crash(task);
    expect((await bench.acquire(place)).lease).toMatchObject({ crashes: 1, started: '' });
  });

  test('of one marked record are not those of the next one', async () => {
    const place = bench.place();
    let task = await bench.acquire(place);
    for (const [seq, started] of [
      [1, '1-0'],
      [2, '2-0'],
      [3, '3-0'],
    ] as const) {
      await commit(task, seq, { offset: `${seq - 1}-0`, started });
      await crash(task);
      task = await bench.acquire(place);
      expect(task.lease).toMatchObject({ crashes: seq === 1 ? 1 : 2, started });
    }
    await crash(task);
    expect((await bench.acquire(place)).lease).toMatchObject({ crashes: 3, started: '3-0' });
  });

  test('are dealt with when a commit says so', async () => {
    const place = bench.place();
    let task = await bench.acquire(place);
    for (const _ of [1, 2]) {
      await crash(task);
      task = await bench.acquire(place);
    }
    expect(task.lease.crashes).toBe(2);
    await commit(task, 1, { recovered: true, offset: '0-0' });
    await crash(task);
    expect((await bench.acquire(place)).lease.crashes).toBe(1);
  });

  test('the same acquisition again counts none', async () => {
    const place = bench.place();
    await crash(await bench.acquire(place));
    await bench.acquire(place, { token: 'one' });
    expect((await bench.acquire(place, { token: 'one' })).lease.crashes).toBe(1);
  });
});

describe('where a new task begins', () => {
  const log = async (place: TaskPlace, ids: readonly string[]): Promise<string> => {
    const keys = new TaskKeys(place);
    for (const id of ids) await bench.redis.xadd(keys.log, id, 'm', '');
    return keys.log;
  };
  const startOf = async (place: TaskPlace, options: Partial<AcquireOptions> = {}): Promise<string> =>
    (await bench.acquire(place, options)).lease.stored.offset;

  test.each([
    [undefined, '0-0'],
    ['$', '3-0'],
    ['2-0', '2-0'],
  ])('from %p: %p', async (from, offset) => {
    const place = bench.place();
    await log(place, ['1-0', '2-0', '3-0']);
    expect(await startOf(place, from === undefined ? {} : { from })).toBe(offset);
  });

  test('only then: later it is where it was', async () => {
    const place = bench.place();
    const task = await bench.acquire(place);
    await commit(task, 1, { offset: '2-0' });
    await task.store.release();
    expect(await startOf(place, { from: '$' })).toBe('2-0');
  });

  test('at the low watermark of plain consumers, whose pending entries and hold go', async () => {
    const place = bench.place();
    const stream = await log(place, ['1-0', '2-0', '3-0', '4-0']);
    const keys = new TaskKeys(place);
    await bench.redis.xgroup('CREATE', stream, 'group', '0');
    await bench.redis.xreadgroup('GROUP', 'group', 'owner', 'COUNT', 3, 'STREAMS', stream, '>');
    await bench.redis.hset(keys.group, 'low', '1-0', 'fetched', '3-0');
    await bench.redis.hset(keys.holds, 'g:group', '1-0', 'g:other', '2-0');
    expect(await startOf(place)).toBe('1-0');
    expect(await bench.redis.xpending(stream, 'group')).toEqual([0, null, null, null]);
    expect(await bench.redis.hgetall(keys.holds)).toEqual({ 'g:other': '2-0', 't:job:source-0': '1-0' });
  });

  test('at the start, when the log was made anew since', async () => {
    const place = bench.place();
    await log(place, ['1-0']);
    await bench.redis.hset(new TaskKeys(place).group, 'low', '5-0');
    expect(await startOf(place)).toBe('0-0');
  });

  test('where a group of Redis is that other programs made', async () => {
    const place = bench.place();
    const stream = await log(place, ['1-0', '2-0', '3-0', '4-0']);
    await bench.redis.xgroup('CREATE', stream, 'group', '0');
    await bench.redis.xreadgroup('GROUP', 'group', 'c', 'COUNT', 3, 'STREAMS', stream, '>');
    await bench.redis.xack(stream, 'group', '1-0');
    expect(await startOf(place)).toBe('1-0');
  });

  test('behind what it was given, when nothing is pending', async () => {
    const place = bench.place();
    const stream = await log(place, ['1-0', '2-0']);
    await bench.redis.xgroup('CREATE', stream, 'group', '1-0');
    expect(await startOf(place)).toBe('1-0');
  });

  test('not while a plain consumer works as the group', async () => {
    const place = bench.place();
    const keys = new TaskKeys(place);
    await bench.redis.hset(
      keys.group,
      'token',
      'x',
      'owner',
      'host-2',
      'until',
      (await serverNow()) + 50_000,
      'ttl',
      60_000,
    );
    const error = await rejectionOf(ask(place), 'RS_GROUP_IN_USE');
    expect(error.details).toMatchObject({ group: 'group', members: ['host-2'] });
    expect(await bench.redis.exists(keys.meta)).toBe(0);
    await bench.redis.hset(keys.group, 'until', 1);
    await bench.acquire(place);
    expect(await bench.redis.hget(keys.group, 'job')).toBe('job');
  });
});

describe('where its input ends', () => {
  test.each([
    ['$', '2-0'],
    ['=', '1-0'],
    ['7-0', '7-0'],
    [undefined, undefined],
  ])('%p: %p', async (until, last) => {
    const place = bench.place();
    const keys = new TaskKeys(place);
    for (const id of ['1-0', '2-0']) await bench.redis.xadd(keys.log, id, 'm', '');
    const { lease } = await bench.acquire(place, { until, from: '1-0' });
    expect(lease.stored.until).toBe(last);
  });

  test('is fixed with the first acquisition that says so', async () => {
    const place = bench.place();
    const keys = new TaskKeys(place);
    await (await bench.acquire(place)).store.release();
    await bench.redis.xadd(keys.log, '5-0', 'm', '');
    const first = await bench.acquire(place, { until: '$' });
    expect(first.lease.stored.until).toBe('5-0');
    await first.store.release();
    await bench.redis.xadd(keys.log, '6-0', 'm', '');
    expect((await bench.acquire(place, { until: '$' })).lease.stored.until).toBe('5-0');
  });
});
