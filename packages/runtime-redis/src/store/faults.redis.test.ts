import { afterAll, describe, expect, test } from '@jest/globals';
import { isRsError } from '@rs/core';
import { FaultProxy } from '@rs/redis-server';
import { useRedis } from '@rs/redis-server/jest';
import { address, newCommit } from '../test-support/new-commit.ts';
import { type Acquired, LONG, useStore } from '../test-support/use-store.ts';
import { acquireTask } from './acquire-task.ts';
import type { TaskCommit } from './task-commit.ts';
import { redisTaskLeases } from './task-leases.ts';
import { TaskStore } from './task-store.ts';

const server = useRedis({ own: true, persistence: 'aof', appendfsync: 'always' });
const bench = useStore(server);
let proxy: FaultProxy | undefined;

afterAll(() => proxy?.close());

/** A commit that shows how often it was made: a value, a timer, and an entry of a stream that others write to. */
function counted(task: Pick<Acquired, 'keys'>, seq: number): TaskCommit {
  return newCommit(seq, {
    cells: [{ address: address(), op: 'put', stored: { layout: 'value', data: String(seq), version: 1 } }],
    timers: [{ op: 'add', operator: 'op', kind: 'event', time: seq, key: 's:a', namespace: '' }],
    ops: [{ type: 'append', key: task.keys.deadLetters, entries: [['seq', String(seq)]] }],
  });
}

async function expectCommits(task: Pick<Acquired, 'store' | 'keys'>, count: number): Promise<void> {
  const [cell] = await task.store.read([address()]);
  expect(cell).toEqual({ layout: 'value', data: String(count), version: 1 });
  const [page] = await task.store.timers([{ operator: 'op', kind: 'event' }], 1_000);
  expect(page?.timers.map(({ time }) => time)).toEqual(Array.from({ length: count }, (_, n) => n + 1));
  const letters = await bench.redis.xrange(task.keys.deadLetters, '-', '+');
  expect(letters.map(([, fields]) => fields[1])).toEqual(
    Array.from({ length: count }, (_, n) => String(n + 1)),
  );
}

test('replies that are lost: every commit counts once', async () => {
  proxy = await FaultProxy.start({ to: { host: server().host, port: server().port } });
  const place = bench.place();
  const { store, keys, lease } = await bench.acquire(place);
  const client = bench.client({ port: proxy.port });
  const away = new TaskStore({ client, place, token: lease.token });
  for (let seq = 1; seq <= 20; seq++) {
    const prepared = away.prepare(counted({ keys }, seq));
    if (seq % 2 === 0) proxy.loseNextReply();
    // The client sends it again by itself, and learns that it was made.
    expect(await away.commit(prepared)).toBe(seq % 2 === 0 ? 'DUP' : 'OK');
  }
  await expectCommits({ store, keys }, 20);
});

test('a script that is forgotten between two commits', async () => {
  const task = await bench.acquire(bench.place());
  for (let seq = 1; seq <= 5; seq++) {
    await bench.redis.script('FLUSH');
    expect(await task.store.commit(task.store.prepare(counted(task, seq)))).toBe('OK');
  }
  await expectCommits(task, 5);
});

describe('memory that is full', () => {
  test('a commit writes nothing and is waited for; leases go on', async () => {
    const place = bench.place();
    const task = await bench.acquire(place, { ttl: 5_000 });
    await task.store.commit(task.store.prepare(counted(task, 1)));
    const second = task.store.prepare(counted(task, 2));
    const until = await bench.redis.hget(task.keys.own, 'until');
    await bench.redis.config('SET', 'maxmemory', '1mb');
    try {
      await expect(bench.client().run(second.call, { timeout: 300 })).rejects.toMatchObject({
        code: 'RS_REDIS_TIMEOUT',
      });
      await expectCommits(task, 1);
      expect(await bench.redis.hget(task.keys.own, 'until')).toBe(until);

      expect(await task.store.mirror({ offset: '1-0', count: 1 })).toMatchObject({ lag: 0 });
      const leases = redisTaskLeases(bench.client());
      expect(await leases.renew([{ place, token: task.lease.token }], LONG, 5_000)).toEqual([true]);
      expect(await task.store.release()).toBe(true);
      const next = await bench.acquire(place);
      expect(next.lease.stored.seq).toBe(1);

      const waiting = next.store.commit(next.store.prepare(counted(next, 2)));
      await bench.redis.config('SET', 'maxmemory', '0');
      expect(await waiting).toBe('OK');
      await expectCommits(next, 2);
    } finally {
      await bench.redis.config('SET', 'maxmemory', '0');
    }
  });

  test('also one that begins with what frees memory', async () => {
    const task = await bench.acquire(bench.place());
    await task.store.commit(task.store.prepare(counted(task, 1)));
    const deletes = task.store.prepare(
      newCommit(2, {
        cells: [{ address: address(), op: 'delete' }],
        ops: [{ type: 'append', key: task.keys.deadLetters, entries: [['seq', '2']] }],
      }),
    );
    await bench.redis.config('SET', 'maxmemory', '1mb');
    try {
      await expect(bench.client().run(deletes.call, { timeout: 300 })).rejects.toMatchObject({
        code: 'RS_REDIS_TIMEOUT',
      });
      await expectCommits(task, 1);
    } finally {
      await bench.redis.config('SET', 'maxmemory', '0');
    }
  });
});

test('Redis that is killed and started again: what was answered is there, what was not is made again', async () => {
  const place = bench.place();
  const task = await bench.acquire(place);
  let answered = 0;
  const work = (async () => {
    for (let seq = 1; seq <= 60; seq++) {
      const prepared = task.store.prepare(counted(task, seq));
      for (let reply: string | undefined; reply === undefined;) {
        try {
          reply = await task.store.commit(prepared);
        } catch (error) {
          // It may have been made or not: the same one again finds out.
          if (!isRsError(error) || !error.retriable) throw error;
          continue;
        }
        expect(['OK', 'DUP']).toContain(reply);
      }
      answered = seq;
      if (seq % 20 === 10) {
        await server().kill();
        await server().restart();
      }
    }
  })();
  await work;
  expect(answered).toBe(60);
  await expectCommits(task, 60);
  const again = await acquireTask(bench.client(), place, { token: 'other', owner: 'another', ttl: LONG });
  expect(again).toMatchObject({ type: 'busy' });
});
