import { describe, expect, test } from '@jest/globals';
import { useRedis } from '@rs/redis-server/jest';
import { coded, rejectionOf } from '../test-support/coded.ts';
import { address, newCommit } from '../test-support/new-commit.ts';
import { type Acquired, useStore } from '../test-support/use-store.ts';
import { ENTRY_VALUES } from './commit-limits.ts';
import type { CommitOp } from './commit-op.ts';
import type { TaskCommit } from './task-commit.ts';

const bench = useStore(useRedis());

const put = (data: string, key = 's:a'): Pick<TaskCommit, 'cells'> => ({
  cells: [{ address: address({ key }), op: 'put', stored: { layout: 'value', data, version: 1 } }],
});

async function commit({ store }: Acquired, parts: TaskCommit): Promise<string> {
  return store.commit(store.prepare(parts));
}

const valueOf = async ({ store }: Acquired): Promise<unknown> => {
  const [cell] = await store.read([address()]);
  return cell?.layout === 'value' ? cell.data : undefined;
};

/** All that Redis holds of the partition, but for the lease, which every commit extends. */
async function everything({ keys }: Acquired): Promise<Record<string, unknown>> {
  const { redis } = bench;
  const found: Record<string, unknown> = {};
  for await (const names of redis.scanStream({ match: `${keys.log}*`, count: 1_000 })) {
    for (const name of names as string[]) {
      const kind = await redis.type(name);
      if (name === keys.own) continue;
      if (kind === 'hash') found[name] = await redis.hgetall(name);
      else if (kind === 'zset') found[name] = await redis.zrange(name, 0, -1, 'WITHSCORES');
      else if (kind === 'stream') found[name] = await redis.xrange(name, '-', '+');
      else found[name] = await redis.get(name);
    }
  }
  return found;
}

describe('what a commit stores', () => {
  test('is what the next owner is given', async () => {
    const place = bench.place();
    const first = await bench.acquire(place);
    const facts = {
      offset: '17-3',
      count: 42,
      ended: true,
      operators: { op: { watermark: -Infinity, list: [1, Infinity], text: 'ä', none: null } },
      late: { op: 3 },
      cursors: { sink: '5-0 gen' },
    };
    expect(await commit(first, newCommit(1, facts))).toBe('OK');
    await first.store.release();
    const { lease } = await bench.acquire(place);
    expect(lease.stored).toEqual({
      seq: 1,
      ...facts,
      gen: first.lease.token,
      until: undefined,
    });
  });

  test('the hold on the log goes with the position', async () => {
    const task = await bench.acquire(bench.place());
    await commit(task, newCommit(1, { offset: '17-3' }));
    expect(await bench.redis.hget(task.keys.holds, 't:job:source-0')).toBe('17-3');
  });

  test('the lease lasts anew', async () => {
    const task = await bench.acquire(bench.place(), { ttl: 100_000 });
    await bench.redis.hset(task.keys.own, 'until', 5);
    await commit(task, newCommit(1));
    const [seconds] = await bench.redis.time();
    const until = Number(await bench.redis.hget(task.keys.own, 'until'));
    expect(until - Number(seconds) * 1_000).toBeGreaterThan(90_000);
  });

  test('very many changes at once', async () => {
    const task = await bench.acquire(bench.place());
    const many = Array.from({ length: 12_000 }, (_, n) => n);
    const cells = many.map((n) => put(String(n), `s:${n}`).cells).flat();
    const timers = many.map(
      (n) => ({ op: 'add', operator: 'op', kind: 'event', time: n, key: `s:${n}`, namespace: '' }) as const,
    );
    expect(await commit(task, newCommit(1, { cells, timers }))).toBe('OK');
    const read = await task.store.read(many.map((n) => address({ key: `s:${n}` })));
    expect(read.map((cell) => cell?.layout === 'value' && cell.data)).toEqual(many.map(String));
    const [page] = await task.store.timers([{ operator: 'op', kind: 'event' }], 20_000);
    expect(page?.timers.map(({ time }) => time)).toEqual(many);
    const deletes = cells.map(
      ({ address: at }) => ({ address: at as ReturnType<typeof address>, op: 'delete' }) as const,
    );
    const removed = timers.map((timer) => ({ ...timer, op: 'remove' }) as const);
    expect(await commit(task, newCommit(2, { cells: deletes, timers: removed }))).toBe('OK');
    const { shards } = task.keys.state('op', 'value');
    expect(await bench.redis.exists(...shards, ...task.keys.timers('op', 'event'))).toBe(0);
  });
});

describe('who may commit, and what', () => {
  test('somebody with another token is fenced, also when the number fits', async () => {
    const place = bench.place();
    const old = await bench.acquire(place);
    await commit(old, newCommit(1, put('old')));
    await old.store.release();
    const current = await bench.acquire(place);
    const before = await everything(current);
    expect(await commit(old, newCommit(2, put('stale')))).toBe('FENCED');
    expect(await commit(old, newCommit(1, put('old')))).toBe('FENCED');
    expect(await everything(current)).toEqual(before);
  });

  test('a lease that has ended and that nobody took is still ours', async () => {
    const task = await bench.acquire(bench.place());
    await bench.redis.hset(task.keys.own, 'until', 1);
    expect(await commit(task, newCommit(1))).toBe('OK');
  });

  test('the same commit again changes nothing, not even what cannot be absolute', async () => {
    const task = await bench.acquire(bench.place());
    const ops: CommitOp[] = [{ type: 'append', key: task.keys.deadLetters, entries: [['a', 'b']] }];
    const prepared = task.store.prepare(newCommit(1, { ...put('1'), ops }));
    expect(await task.store.commit(prepared)).toBe('OK');
    const before = await everything(task);
    expect(await task.store.commit(prepared)).toBe('DUP');
    expect(await everything(task)).toEqual(before);
  });

  test.each([0, 1, 3, 4, 100])('after the second commit, number %i is not expected', async (seq) => {
    const task = await bench.acquire(bench.place());
    for (const each of [1, 2]) await commit(task, newCommit(each, put(String(each))));
    const before = await everything(task);
    const expected = { 0: 'SEQ', 1: 'SEQ', 3: 'OK', 4: 'SEQ', 100: 'SEQ' }[seq];
    expect(await commit(task, newCommit(seq, put('new')))).toBe(expected);
    if (expected !== 'OK') expect(await everything(task)).toEqual(before);
  });

  test('a task whose keys are gone is not gone on with', async () => {
    const task = await bench.acquire(bench.place());
    await commit(task, newCommit(1));
    await bench.redis.del(task.keys.meta);
    expect(await commit(task, newCommit(2))).toBe('SEQ');
    await bench.redis.del(task.keys.own);
    expect(await commit(task, newCommit(2))).toBe('FENCED');
  });
});

describe('nothing is written', () => {
  const wrong: [string, (task: Acquired) => { key: string; parts: Partial<TaskCommit> }][] = [
    ['a shard of a state', ({ keys }) => ({ key: keys.state('op', 'value').shards[1] as string, parts: {} })],
    ['the holds', ({ keys }) => ({ key: keys.holds, parts: {} })],
    [
      'a collection',
      ({ keys }) => ({
        key: keys.state('op', 'list').collection('s:a'),
        parts: {
          cells: [
            ...put('1').cells,
            {
              address: address({ state: 'list', layout: 'elements' }),
              op: 'elements',
              clear: false,
              put: [{ id: '0', order: 0, data: 'x' }],
              remove: [],
              version: 1,
            },
          ],
        },
      }),
    ],
    [
      'the index of a large map',
      ({ keys }) => ({
        key: keys.state('op', 'large').index('s:a'),
        parts: {
          cells: [
            {
              address: address({ state: 'large', onDemand: true, namespace: 's:x' }),
              op: 'put',
              stored: { layout: 'value', data: 'x', version: 1 },
            },
          ],
        },
      }),
    ],
    [
      'timers',
      ({ keys }) => ({
        key: keys.timers('op', 'event')[1] as string,
        parts: { timers: [{ op: 'add', operator: 'op', kind: 'event', time: 5, key: 's:a', namespace: '' }] },
      }),
    ],
    [
      'the out log of a sink',
      ({ keys }) => ({
        key: keys.out('sink'),
        parts: {
          ops: [{ type: 'xadd', key: keys.out('sink'), entries: [{ id: '1-0', fields: ['v', '1'] }] }],
        },
      }),
    ],
    [
      'dead letters',
      ({ keys }) => ({
        key: keys.deadLetters,
        parts: { ops: [{ type: 'append', key: keys.deadLetters, entries: [['v', '1']] }] },
      }),
    ],
  ];

  test.each(wrong)('when %s hold another type', async (_, make) => {
    const task = await bench.acquire(bench.place());
    const { key, parts } = make(task);
    await bench.redis.del(key);
    await bench.redis.set(key, 'text');
    const before = await everything(task);
    const lease = await bench.redis.hgetall(task.keys.own);
    const error = await rejectionOf(commit(task, newCommit(1, { ...put('1'), ...parts })), 'RS_REDIS_REPLY');
    expect(error.message).toContain(key);
    expect(await everything(task)).toEqual(before);
    expect(await bench.redis.hgetall(task.keys.own)).toEqual(lease);
  });

  test('when two writes want one key to be of different types', async () => {
    const task = await bench.acquire(bench.place());
    const key = task.keys.kept('totals');
    const ops: CommitOp[] = [
      { type: 'hset', key, fields: ['a', '1'] },
      { type: 'zadd', key, members: [1, 'a'] },
    ];
    const error = await rejectionOf(commit(task, newCommit(1, { ...put('1'), ops })), 'RS_REDIS_REPLY');
    expect(error.message).toContain(key);
    expect(await valueOf(task)).toBeUndefined();
  });

  const KEY = 'x';
  const WIDE = new Array<string>(ENTRY_VALUES + 2).fill('a');
  const malformed: [string, (string | number)[]][] = [
    ['an unknown change', ['set', 1, 2, 'a', 'b']],
    ['a key that is not there', ['hset', 9, 2, 'a', 'b']],
    ['values that are not there', ['hset', 1, 4, 'a', 'b']],
    ['a field without a value', ['hset', 1, 3, 'a', 'b', 'c']],
    ['a score that is none', ['zadd', 1, 2, 'high', 'b']],
    ['a score that is no number', ['zadd', 1, 2, 'nan', 'b']],
    ['a score that is too large', ['zadd', 1, 2, '1e400', 'b']],
    ['a score with a blank', ['zadd', 1, 2, '1 ', 'b']],
    ['an id that is none', ['xadd', 1, 4, 2, '5', 'a', 'b']],
    ['an entry without fields', ['xadd', 1, 2, 0, '1-1']],
    ['an entry with half a field', ['append', 1, 5, 3, '*', 'a', 'b', 'c']],
    ['an entry with too many fields', ['append', 1, WIDE.length + 2, WIDE.length, '*', ...WIDE]],
    ['a mark of nothing', ['mark', 1, 3, 9, 'a', 'b']],
    ['half a mark', ['mark', 1, 2, 1, 'a']],
    ['no id to trim to', ['xtrim', 1, 1, 'x']],
    ['half a change', ['unlink', 1]],
  ];

  test.each(malformed)('when a call has %s', async (_, change) => {
    const task = await bench.acquire(bench.place());
    const prepared = task.store.prepare(newCommit(1, put('1')));
    const key = `${task.keys.log}:${KEY}`;
    // Behind a change that could be made: it must not be.
    const { keys, args } = prepared.call;
    const at = keys.length - 3 + 1;
    const moved = change.map((value, place) => (place === 1 && value === 1 ? at : value));
    const call = { ...prepared.call, keys: [...keys, key], args: [...args, ...moved] };
    const before = await everything(task);
    await expect(task.store.commit({ ...prepared, call })).rejects.toEqual(coded('RS_REDIS_REPLY'));
    expect(await everything(task)).toEqual(before);
  });
});

describe('streams', () => {
  test('entries at or below the last id are left out, compared as numbers', async () => {
    const task = await bench.acquire(bench.place());
    const key = task.keys.out('sink');
    await bench.redis.xadd(key, '9-10', 'v', 'there');
    const ids = ['9-9', '9-10', '9-11', '10-2', '10-10', '10-10', '18446744073709551615-1'];
    const ops: CommitOp[] = [{ type: 'xadd', key, entries: ids.map((id) => ({ id, fields: ['v', id] })) }];
    expect(await commit(task, newCommit(1, { ops }))).toBe('OK');
    const entries = await bench.redis.xrange(key, '-', '+');
    expect(entries.map(([id]) => id)).toEqual(['9-10', '9-11', '10-2', '10-10', '18446744073709551615-1']);
  });

  test('the last id counts, also when its entry is gone', async () => {
    const task = await bench.acquire(bench.place());
    const key = task.keys.out('sink');
    await bench.redis.xadd(key, '5-0', 'v', '1');
    await bench.redis.xtrim(key, 'MAXLEN', 0);
    const ops: CommitOp[] = [{ type: 'xadd', key, entries: [{ id: '4-0', fields: ['v', '2'] }] }];
    expect(await commit(task, newCommit(1, { ops }))).toBe('OK');
    expect(await bench.redis.xlen(key)).toBe(0);
  });

  test('entries with different fields keep their order, and what is below an id goes', async () => {
    const task = await bench.acquire(bench.place());
    const key = task.keys.out('sink');
    const entries = Array.from({ length: 600 }, (_, n) => ({
      id: `1-${n}`,
      fields: n % 100 === 0 ? ['v', String(n), 'w', ''] : ['v', String(n)],
    }));
    await commit(task, newCommit(1, { ops: [{ type: 'xadd', key, entries }] }));
    expect((await bench.redis.xrange(key, '-', '+')).map(([id]) => id)).toEqual(entries.map(({ id }) => id));
    await commit(task, newCommit(2, { ops: [{ type: 'xtrim', key, minId: '1-550' }] }));
    const left = await bench.redis.xrange(key, '-', '+');
    // Redis removes whole nodes of a hundred.
    expect(left.length).toBeGreaterThanOrEqual(50);
    expect(left.length).toBeLessThan(200);
    expect(left.at(-1)?.[0]).toBe('1-599');
  });
});

test('other writes', async () => {
  const task = await bench.acquire(bench.place());
  const [hash, sorted] = [task.keys.kept('hash'), task.keys.kept('sorted')];
  await commit(
    task,
    newCommit(1, {
      ops: [
        { type: 'hset', key: hash, fields: ['a', 1, 'b', Uint8Array.of(0x32)] },
        { type: 'zadd', key: sorted, members: [1.5, 'a', '+inf', 'b', '-2e3', 'c'] },
      ],
    }),
  );
  await commit(
    task,
    newCommit(2, {
      ops: [
        { type: 'hdel', key: hash, fields: ['a'] },
        { type: 'zrem', key: sorted, members: ['a'] },
      ],
    }),
  );
  expect(await bench.redis.hgetall(hash)).toEqual({ b: '2' });
  expect(await bench.redis.zrange(sorted, 0, -1, 'WITHSCORES')).toEqual(['c', '-2000', 'b', 'inf']);
  await commit(task, newCommit(3, { ops: [{ type: 'unlink', key: hash }] }));
  expect(await bench.redis.exists(hash)).toBe(0);
});

test('bytes that another program wrote are told, not guessed at', async () => {
  const task = await bench.acquire(bench.place());
  await commit(task, newCommit(1, put('1')));
  await bench.redis.hset(task.keys.state('op', 'value').shards[1] as string, 's:a', '{"a":1}');
  await expect(task.store.read([address()])).rejects.toEqual(
    coded('RS_INVALID_VALUE', { details: { operator: 'op', state: 'value' } }),
  );
});
