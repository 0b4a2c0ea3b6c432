import { expect, test } from '@jest/globals';
import type { CellAddress, CellChange } from '@rs/runtime';
import { useRedis } from '@rs/redis-server/jest';
import { address, newCommit } from '../test-support/new-commit.ts';
import { type Acquired, useStore } from '../test-support/use-store.ts';
import type { StateSweepOptions } from './state-sweep.ts';

const bench = useStore(useRedis());
const KEYS = ['s:a', 's:\ud800', 'n:1', ...Array.from({ length: 3_000 }, (_unused, n) => `s:key-${n}`)];

function at(key: string, layout: CellAddress['layout'], onDemand = false, namespace = ''): CellAddress {
  return address({ state: 'state', key, namespace, layout, onDemand });
}

/** Puts a value for each key; those of every second one expire at 100, the others at 200. */
async function fill(
  task: Acquired,
  changesOf: (key: string, expiresAt: number) => readonly CellChange[],
): Promise<void> {
  const cells = KEYS.flatMap((key, n) => changesOf(key, n % 2 === 0 ? 100 : 200));
  expect(await task.store.commit(task.store.prepare(newCommit(1, { cells })))).toBe('OK');
}

/** Sweeps all of the state, and gives the number of steps. */
async function sweepAll(task: Acquired, kind: StateSweepOptions['kind'], now: number): Promise<number> {
  const sweep = task.store.sweepOf({ operator: 'op', state: 'state', kind });
  for (let steps = 1; ; steps++) if ((await sweep.step(now)).through) return steps;
}

async function present(task: Acquired, addresses: readonly CellAddress[]): Promise<number> {
  return (await task.store.read(addresses)).filter((cell) => cell !== undefined).length;
}

async function keysOf(task: Acquired): Promise<string[]> {
  const all = await bench.redis.keys(`${task.keys.own.replace(/:own$/, '')}:*`);
  return all.filter((key) => /:(?:s|m|mx):op:/.test(key));
}

test('values that have expired go, and no others', async () => {
  const task = await bench.acquire(bench.place());
  await fill(task, (key, expiresAt) => [
    {
      op: 'put',
      address: at(key, 'value'),
      stored: { layout: 'value', data: '|;e1|', version: 1, expiresAt },
    },
  ]);
  const all = KEYS.map((key) => at(key, 'value'));
  await sweepAll(task, 'value', 99);
  expect(await present(task, all)).toBe(KEYS.length);
  // All of it is more than one step looks at.
  expect(await sweepAll(task, 'value', 100)).toBeGreaterThan(2);
  expect(await present(task, all)).toBe(Math.floor(KEYS.length / 2));
  await sweepAll(task, 'value', 200);
  expect(await keysOf(task)).toEqual([]);
});

test('what never expires stays', async () => {
  const task = await bench.acquire(bench.place());
  await fill(task, (key) => [
    {
      op: 'put',
      address: at(key, 'value'),
      stored: { layout: 'value', data: ';e1|', version: 1, meta: ';e1|' },
    },
  ]);
  await sweepAll(task, 'value', 1e15);
  expect(
    await present(
      task,
      KEYS.map((key) => at(key, 'value')),
    ),
  ).toBe(KEYS.length);
});

test.each(['map', 'list', 'set'] as const)('collections of a %s state go as a whole', async (kind) => {
  const task = await bench.acquire(bench.place());
  await fill(task, (key, expiresAt) => [
    {
      op: 'elements',
      address: at(key, 'elements'),
      clear: false,
      put: [
        { id: '0', order: 0, data: 'x' },
        { id: '1', order: 1, data: 'y' },
      ],
      remove: [],
      version: 1,
      expiresAt,
    },
  ]);
  await sweepAll(task, kind, 100);
  expect(
    await present(
      task,
      KEYS.map((key) => at(key, 'elements')),
    ),
  ).toBe(Math.floor(KEYS.length / 2));
  await sweepAll(task, kind, 200);
  expect(await keysOf(task)).toEqual([]);
});

test('elements of large maps go one by one, and the map with its last one', async () => {
  const task = await bench.acquire(bench.place());
  const names = ['a', '\ud800', 'é'];
  await fill(task, (key, expiresAt) =>
    names.map((name, n) => ({
      op: 'put',
      address: at(key, 'value', true, name),
      stored: { layout: 'value', data: 'x', version: 1, expiresAt: n === 0 ? 300 : expiresAt },
    })),
  );
  await sweepAll(task, 'largeMap', 200);
  const all = KEYS.flatMap((key) => names.map((name) => at(key, 'value', true, name)));
  expect(await present(task, all)).toBe(KEYS.length);
  for (const key of KEYS.slice(0, 3)) {
    const page = await task.store.scan(at(key, 'value', true), undefined, 10);
    expect(page.cells.map(([name]) => name)).toEqual(['a']);
  }
  await sweepAll(task, 'largeMap', 300);
  expect(await keysOf(task)).toEqual([]);
});

test('who is not the owner any more removes nothing', async () => {
  const place = bench.place();
  const task = await bench.acquire(place);
  await fill(task, (key, expiresAt) => [
    {
      op: 'put',
      address: at(key, 'value'),
      stored: { layout: 'value', data: 'x', version: 1, expiresAt },
    },
  ]);
  await task.store.release();
  await bench.acquire(place);
  await expect(sweepAll(task, 'value', 1_000)).rejects.toMatchObject({ code: 'RS_LEASE_LOST' });
  expect((await keysOf(task)).length).toBeGreaterThan(0);
});
