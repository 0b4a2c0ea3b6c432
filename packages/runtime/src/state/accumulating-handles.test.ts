import { describe, expect, test } from '@jest/globals';
import { aggregatingState, type Codec, reducingState, type RsError } from '@rs/core';
import { errorOf } from '../test-support/error-of.ts';
import { Overlay } from '../test-support/overlay.ts';
import { ResidentState } from '../test-support/resident.ts';

const TOTAL = reducingState<number>('total', { reduce: (a, b) => a + b });
const MEAN = aggregatingState('mean', {
  aggregate: {
    createAccumulator: () => ({ sum: 0, count: 0 }),
    add: (value: number, acc) => {
      acc.sum += value; // In place, as users do.
      acc.count += 1;
      return acc;
    },
    getResult: ({ sum, count }) => sum / count,
  },
});

/** Functions of either kind of state that do what the test says. */
const reducing = (reduce: () => unknown) => reducingState<unknown>('state', { reduce });
const aggregating = (parts: { createAccumulator?(): unknown; add?(): unknown; getResult?(): unknown }) =>
  aggregatingState<unknown, unknown, unknown>('state', {
    aggregate: { createAccumulator: () => 0, add: () => 1, getResult: () => 2, ...parts },
  });
const undef = () => undefined;
const fn = () => () => 1;
const late = () => Promise.reject(new Error('nobody asks'));

describe('ReducingState', () => {
  test('combines what is added, the first value as it is', () => {
    const { handle } = new ResidentState(reducingState<string>('s', { reduce: (a, b) => `(${a}${b})` }));
    expect(handle.get()).toBeUndefined();
    for (const value of ['a', 'b', 'c']) handle.add(value);
    expect(handle.get()).toBe('((ab)c)');
    handle.clear();
    handle.clear();
    expect(handle.get()).toBeUndefined();
    handle.add('d');
    expect(handle.get()).toBe('d');
  });

  test.each([[0, '', false, null, NaN, 0n]])(
    '%p, the empty text, false, null, NaN and 0n are values',
    (...values) => {
      for (const value of values) {
        const { handle } = new ResidentState(reducingState<unknown>('s', { reduce: (_a, b) => b }));
        handle.add('first');
        handle.add(value);
        expect(handle.get()).toBe(value);
      }
    },
  );

  test('is one value per key', () => {
    const state = new ResidentState(TOTAL);
    for (const [key, value] of [['a', 1], [['a'], 2], ['a', 3]] as const) state.for(key, (total) => total.add(value)); // prettier-ignore
    expect([state.for('a', (total) => total.get()), state.for(['a'], (total) => total.get())]).toEqual([
      4, 2,
    ]);
  });
});

describe('AggregatingState', () => {
  test('folds what is added into an accumulator of each key', () => {
    const state = new ResidentState(MEAN);
    expect(state.handle.get()).toBeUndefined();
    state.for('a', (mean) => [1, 2, 6].forEach((value) => mean.add(value)));
    state.for('b', (mean) => mean.add(5));
    expect([state.for('a', (mean) => mean.get()), state.for('b', (mean) => mean.get())]).toEqual([3, 5]);
    state.for('a', (mean) => mean.clear());
    expect(state.for('a', (mean) => mean.get())).toBeUndefined();
    expect(state.cells).toBe(1);
  });

  test('a result may be undefined, and so may a new accumulator', () => {
    const { handle } = new ResidentState(aggregating({ createAccumulator: undef, getResult: undef }));
    handle.add(1);
    expect(handle.get()).toBeUndefined();
  });

  test('calls its functions as methods', () => {
    class Longest {
      readonly #start = '';
      createAccumulator() {
        return this.#start;
      }
      add(value: string, longest: string) {
        return value.length > longest.length ? value : longest + this.#start;
      }
      getResult(longest: string) {
        return longest + this.#start;
      }
    }
    const { handle } = new ResidentState(aggregatingState('s', { aggregate: new Longest() }));
    ['a', 'ccc', 'bb'].forEach((text) => handle.add(text));
    expect(handle.get()).toBe('ccc');
  });
});

describe('what cannot be kept', () => {
  const refused: readonly [
    string,
    RsError['code'],
    ReturnType<typeof reducing> | ReturnType<typeof aggregating>,
  ][] = [
    ['reduce returns undefined', 'RS_INVALID_VALUE', reducing(undef)],
    ['reduce returns a function', 'RS_INVALID_VALUE', reducing(fn)],
    ['reduce returns a promise', 'RS_ASYNC_NOT_ALLOWED', reducing(late)],
    ['add returns undefined', 'RS_INVALID_VALUE', aggregating({ add: undef })],
    ['add returns a function', 'RS_INVALID_VALUE', aggregating({ add: fn })],
    ['add returns a promise', 'RS_ASYNC_NOT_ALLOWED', aggregating({ add: late })],
    ['createAccumulator returns a promise', 'RS_ASYNC_NOT_ALLOWED', aggregating({ createAccumulator: late })],
  ];

  test.each(refused)('%s: refused when it is added', async (name, code, descriptor) => {
    const resident = new ResidentState(descriptor);
    const overlay = new Overlay();
    for (const handle of [resident.handle, await overlay.handle(overlay.open(descriptor), descriptor)]) {
      if (descriptor.kind === 'reducing') handle.add('first');
      const error = errorOf(() => handle.add('second'));
      expect([error.code, error.details]).toEqual([code, { state: 'state' }]);
      if (descriptor.kind === 'reducing') expect(handle.get()).toBe('first');
    }
    expect(resident.cells).toBe(name.startsWith('reduce') ? 1 : 0);
  });

  test.each([[undefined], [() => 1], [Symbol('s')]])(
    '%p as the first value of a reducing state',
    async (value) => {
      const resident = new ResidentState(reducing(() => 1));
      const overlay = new Overlay();
      const descriptor = reducing(() => 1);
      for (const handle of [resident.handle, await overlay.handle(overlay.open(descriptor), descriptor)]) {
        expect(errorOf(() => handle.add(value)).code).toBe('RS_INVALID_VALUE');
        expect(handle.get()).toBeUndefined();
      }
      expect([resident.cells, overlay.store.changes()]).toEqual([0, []]);
    },
  );

  test('a result that is a promise is refused when it is asked for', () => {
    const { handle } = new ResidentState(aggregating({ getResult: late }));
    handle.add(1);
    expect(errorOf(() => handle.get()).code).toBe('RS_ASYNC_NOT_ALLOWED');
  });

  test('a function that throws leaves everything as it was', async () => {
    const descriptor = reducingState<number>('s', {
      reduce: () => {
        throw new TypeError('boom');
      },
      ttl: 10,
    });
    const overlay = new Overlay();
    const handle = await overlay.handle(overlay.open(descriptor), descriptor);
    handle.add(1);
    await overlay.commit();
    overlay.clock.time = 5;
    expect(() => handle.add(2)).toThrow('boom');
    // It did not count as a write: the value lives no longer for it.
    expect([handle.get(), await overlay.commit()]).toMatchObject([
      1,
      [{ stored: { data: '1', expiresAt: 10 } }],
    ]);
  });
});

describe('over a backend', () => {
  test('the accumulator is stored, and found again after a crash', async () => {
    const before = new Overlay();
    const mean = await before.handle(before.open(MEAN), MEAN);
    [1, 2].forEach((value) => mean.add(value));
    (await before.handle(before.open(TOTAL), TOTAL)).add(7);
    expect(await before.commit()).toMatchObject([
      { op: 'put', stored: { layout: 'value', data: '{"sum":3,"count":2}', version: 1 } },
      { op: 'put', stored: { data: '7' } },
    ]);
    const after = new Overlay(before);
    const again = await after.handle(after.open(MEAN), MEAN);
    again.add(6);
    expect([again.get(), (await after.handle(after.open(TOTAL), TOTAL)).get()]).toEqual([3, 7]);
  });

  test.each(['read', 'added to'])(
    'an accumulator that was %s in place is undone by a rollback',
    async (how) => {
      const overlay = new Overlay();
      const slot = overlay.open(MEAN);
      (await overlay.handle(slot, MEAN)).add(4);
      await overlay.commit();
      if (how === 'read') (slot.present('k', '')?.value as { sum: number }).sum = 99;
      else (await overlay.handle(slot, MEAN)).add(100);
      overlay.store.rollback();
      expect((await overlay.handle(slot, MEAN)).get()).toBe(4);
    },
  );

  test('what a function changed in place before it threw is stored or undone, not forgotten', async () => {
    const descriptor = reducingState<number[]>('s', {
      reduce: (list, more) => {
        list.push(...more);
        if (more.includes(0)) throw new TypeError('boom');
        return list;
      },
    });
    const overlay = new Overlay();
    const handle = await overlay.handle(overlay.open(descriptor), descriptor);
    handle.add([1]);
    await overlay.commit();
    expect(() => handle.add([0])).toThrow('boom'); // The user's function catches it and goes on.
    const inMemory = [...(handle.get() ?? [])];
    await overlay.commit();
    const after = new Overlay(overlay);
    expect((await after.handle(after.open(descriptor), descriptor)).get()).toEqual(inMemory);
  });

  test('codec, schemaVersion and migrate are about the accumulator', async () => {
    const codec: Codec<number> = {
      name: 'hex',
      encode: (n) => n.toString(16),
      decode: (text) => parseInt(String(text), 16),
    };
    const reduce = (a: number, b: number) => a + b;
    const before = new Overlay();
    const first = reducingState('total', { reduce, codec });
    const total = await before.handle(before.open(first), first);
    [200, 55].forEach((value) => total.add(value));
    expect(await before.commit()).toMatchObject([{ stored: { data: 'ff', version: 1 } }]);
    // Version 1 counted in halves.
    const second = reducingState('total', {
      reduce,
      codec,
      schemaVersion: 2,
      migrate: (old) => Number(old) * 2,
    });
    const after = new Overlay(before);
    const migrated = await after.handle(after.open(second), second);
    expect(migrated.get()).toBe(510);
    migrated.add(2);
    expect(await after.commit()).toMatchObject([{ stored: { data: '200', version: 2 } }]);
  });

  test('ttl counts from the last value that was added', () => {
    const state = new ResidentState(reducingState<number>('s', { reduce: (a, b) => a + b, ttl: 10 }));
    state.handle.add(1);
    state.clock.time = 9;
    state.handle.add(2);
    state.clock.time = 18;
    expect(state.handle.get()).toBe(3);
    state.clock.time = 19;
    expect(state.handle.get()).toBeUndefined();
    state.handle.add(4);
    expect(state.handle.get()).toBe(4);
  });
});
