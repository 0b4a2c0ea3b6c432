import { describe, expect, test } from '@jest/globals';
import {
  aggregatingState,
  largeMapState,
  listState,
  mapState,
  reducingState,
  setState,
  type StateDescriptor,
  valueState,
} from '@rs/core';
import { Simulated, type SimulatedOptions } from '../test-support/simulated.ts';
import type { HarnessJob } from '../testing/job-harness.ts';
import { emptyState, readState } from './read-state.ts';

const value = valueState('value', { default: () => -1 });
const map = mapState<{ n: number }, string>('map');
const list = listState<number>('list');
const set = setState<number>('set');
const highest = reducingState<number>('highest', { reduce: (a, b) => Math.max(a, b) });
const mean = aggregatingState('mean', {
  aggregate: {
    createAccumulator: () => ({ sum: 0, count: 0 }),
    add: (n: number, { sum, count }) => ({ sum: sum + n, count: count + 1 }),
    getResult: ({ sum, count }) => sum / count,
  },
});
const large = largeMapState<string, number>('large');
const all = [value, map, list, set, highest, mean, large] as const;

const job: HarnessJob = (env) => {
  env
    .input<{ key: string; n: number }>()
    .keyBy(({ key }) => key)
    .process<void>(
      {
        open: (ctx) => {
          for (const descriptor of all) ctx.state(descriptor);
        },
        processElement: (_key, { n }, ctx) => {
          ctx.state(value).update(n);
          ctx.state(map).put({ n }, `is ${n}`);
          ctx.state(list).add(n);
          ctx.state(set).add(n % 2);
          ctx.state(highest).add(n);
          ctx.state(mean).add(n);
          ctx.state(large).put(`n${n}`, n);
          if (n === 0) for (const descriptor of all) ctx.state(descriptor).clear();
        },
      },
      { uid: 'all' },
    )
    .addSink(() => undefined);
};

async function after(numbers: readonly number[], options: Partial<SimulatedOptions> = {}) {
  const run = new Simulated(job, { partitions: 2, ...options });
  for (const n of numbers) run.keyed('a', { key: 'a', n }, n);
  await run.job.run();
  const states = await run.job.states();
  return {
    run,
    read: async <D extends StateDescriptor>(descriptor: D, key: unknown = 'a') => {
      for (const state of states) {
        if (state.descriptor !== descriptor) continue;
        const found = await readState(state.task.backend, state, descriptor, key);
        if (found !== undefined) return found;
      }
      return emptyState(descriptor);
    },
  };
}

describe('what is stored of a key', () => {
  test('is read as the kind of its state', async () => {
    const { read } = await after([5, 7, 3]);
    expect(await read(value)).toBe(3);
    expect([...(await read(map))]).toEqual([
      [{ n: 5 }, 'is 5'],
      [{ n: 7 }, 'is 7'],
      [{ n: 3 }, 'is 3'],
    ]);
    expect(await read(list)).toEqual([5, 7, 3]);
    expect(await read(set)).toEqual(new Set([1]));
    expect(await read(highest)).toBe(7);
    expect(await read(mean)).toBe(5);
    expect([...(await read(large))]).toEqual([
      ['n3', 3],
      ['n5', 5],
      ['n7', 7],
    ]);
  });

  test.each([
    ['of another key', [5], 'b'],
    ['after clear', [5, 0], 'a'],
  ])('is nothing %s; a default is no stored value', async (_, numbers, key) => {
    const { read } = await after(numbers);
    expect(await Promise.all(all.map((descriptor) => read<StateDescriptor>(descriptor, key)))).toEqual([
      undefined,
      new Map(),
      [],
      new Set(),
      undefined,
      undefined,
      new Map(),
    ]);
  });

  test('is what was committed, no more', async () => {
    const { run, read } = await after([5, 7, 3], { batchSize: 2, partitions: 1 });
    expect(await read(list)).toEqual([5, 7]);
    await run.job.crash();
    expect(await read(list)).toEqual([5, 7]);
  });

  test('can be a map of more elements than are read at once', async () => {
    const { read } = await after(Array.from({ length: 9 }, (_, n) => n + 1));
    expect((await read(large)).size).toBe(9);
  });

  test.each([undefined, null, Number.NaN, new Date(0)])('has a key, which %p is not', async (key) => {
    const { read } = await after([5]);
    await expect(read(value, key ?? null)).rejects.toMatchObject({ code: 'RS_INVALID_KEY' });
    await expect(read(large, key ?? null)).rejects.toMatchObject({ code: 'RS_INVALID_KEY' });
  });
});

describe('with a time to live', () => {
  const recent = valueState<number>('recent', { ttl: 10 });
  const expiring: HarnessJob = (env) => {
    const keyed = env.input<{ key: string; n: number }>().keyBy(({ key }) => key);
    const state = keyed.getState(recent);
    keyed.process<void>((_key, { n }) => state.update(n)).addSink(() => undefined);
  };

  async function read(run: Simulated, key: string) {
    const [state] = await run.job.states();
    return state === undefined ? 'not declared' : readState(state.task.backend, state, recent, key);
  }

  test('it is gone when that is over, by the time of the records', async () => {
    const run = new Simulated(expiring, { partitions: 1 });
    await run.keyed('a', { key: 'a', n: 1 }, 1).keyed('b', { key: 'b', n: 2 }, 10).job.run();
    expect([await read(run, 'a'), await read(run, 'b')]).toEqual([1, 2]);
    await run.keyed('b', { key: 'b', n: 3 }, 11).job.run();
    expect([await read(run, 'a'), await read(run, 'b')]).toEqual([undefined, 3]);
  });

  test('or by the clock', async () => {
    const run = new Simulated(expiring, { partitions: 1, processingTime: 'clock' });
    await run.keyed('a', { key: 'a', n: 1 }, 1).job.run();
    await run.tickAt(9);
    expect(await read(run, 'a')).toBe(1);
    await run.tickAt(10);
    expect(await read(run, 'a')).toBeUndefined();
  });
});
