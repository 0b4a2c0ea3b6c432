import { describe, expect, test } from '@jest/globals';
import { isRsError, listState, mapState, setState, type StateDescriptor, valueState } from '@rs/core';
import { Overlay } from '../test-support/overlay.ts';
import { ResidentState } from '../test-support/resident.ts';

describe('ValueState', () => {
  test('gives the stored value, else the default, else undefined', () => {
    const plain = new ResidentState(valueState<string>('v'));
    expect(plain.handle.value()).toBeUndefined();
    plain.handle.update('a');
    expect(plain.handle.value()).toBe('a');
    const counted = new ResidentState(valueState('v', { default: () => 0 }));
    expect(counted.handle.value()).toBe(0);
    counted.handle.update(5);
    counted.handle.clear();
    counted.handle.clear();
    expect(counted.handle.value()).toBe(0);
  });

  test('makes a new default for each read, so keys share nothing', () => {
    const state = new ResidentState(valueState('v', { default: () => [] as string[] }));
    state.for('a', (list) => list.value().push('lost'));
    expect(state.for('a', (list) => list.value())).toEqual([]);
    expect(state.for('b', (list) => list.value())).toEqual([]);
    expect(state.cells).toBe(0); // A read stores nothing.
  });

  test.each([null, undefined])('update(%p) clears', (nothing) => {
    const state = new ResidentState(valueState('v', { default: () => 7 }));
    state.handle.update(1);
    state.handle.update(nothing);
    expect(state.handle.value()).toBe(7);
    expect(state.cells).toBe(0);
  });

  test.each([['', 0, false, NaN, 0n]])('%p, 0, false, NaN and 0n are values', (...values) => {
    const state = new ResidentState(valueState<unknown>('v', { default: () => 'default' }));
    for (const value of values) {
      state.handle.update(value);
      expect(state.handle.value()).toBe(value);
    }
  });

  test('keeps the values of keys apart, whatever their type', () => {
    const state = new ResidentState(valueState<number>('v'));
    const keys = [1, '1', 1n, true, ['1'], { k: 1 }, Uint8Array.of(1)];
    keys.forEach((key, index) => state.for(key, (value) => value.update(index)));
    expect(keys.map((key) => state.for(key, (value) => value.value()))).toEqual(
      keys.map((_, index) => index),
    );
    expect(state.for({ k: 1.0 }, (value) => value.value())).toBe(5);
  });
});

describe('MapState', () => {
  test('is a map in the order in which keys were first put', () => {
    const { handle } = new ResidentState(mapState<unknown, number>('m'));
    expect([handle.isEmpty(), handle.contains('a'), handle.get('a')]).toEqual([true, false, undefined]);
    handle.put('b', 1);
    handle.put(2, 2);
    handle.put(['a'], 3);
    handle.put('b', 4);
    expect([...handle.entries()]).toEqual([['b', 4], [2, 2], [['a'], 3]]); // prettier-ignore
    expect([...handle.keys()]).toEqual(['b', 2, ['a']]);
    expect([...handle.values()]).toEqual([4, 2, 3]);
    expect([handle.contains(['a']), handle.contains('2'), handle.get(2)]).toEqual([true, false, 2]);
    handle.remove('not there');
    handle.remove('b');
    handle.put('b', 5);
    expect([...handle.keys()]).toEqual([2, ['a'], 'b']);
    expect(handle.isEmpty()).toBe(false);
    handle.clear();
    expect([handle.isEmpty(), [...handle.entries()]]).toEqual([true, []]);
  });

  test('counts words that are properties of Object', () => {
    const { handle } = new ResidentState(mapState<string, number>('m'));
    const words = 'constructor __proto__ toString constructor hasOwnProperty __proto__ valueOf a'.split(' ');
    for (const word of words) handle.put(word, (handle.get(word) ?? 0) + 1);
    expect([...handle.entries()]).toEqual([
      ['constructor', 2],
      ['__proto__', 2],
      ['toString', 1],
      ['hasOwnProperty', 1],
      ['valueOf', 1],
      ['a', 1],
    ]);
  });

  test('may be changed while it is iterated', () => {
    const state = new ResidentState(mapState<number, string>('m'));
    for (const key of [1, 2, 3]) state.handle.put(key, 'x');
    for (const [key] of state.handle.entries()) {
      state.handle.remove(key);
      state.handle.put(key + 10, 'y');
    }
    expect([...state.handle.keys()]).toEqual([11, 12, 13]);
    for (const key of state.handle.keys()) state.handle.remove(key);
    expect(state.cells).toBe(0);
  });

  test('values may be undefined or null', () => {
    const { handle } = new ResidentState(mapState<string, unknown>('m'));
    handle.put('u', undefined);
    handle.put('n', null);
    expect([handle.contains('u'), handle.contains('n'), [...handle.values()]]).toEqual([
      true,
      true,
      [undefined, null],
    ]);
  });

  test.each([null, undefined, NaN, new Date(0)])('refuses the key %p', (key) => {
    const { handle } = new ResidentState(mapState<unknown, number>('m'));
    expect(() => handle.put(key, 1)).toThrow(expect.objectContaining({ code: 'RS_INVALID_KEY' }));
    expect(handle.isEmpty()).toBe(true);
  });
});

describe('ListState', () => {
  test('is a list', () => {
    const { handle } = new ResidentState(listState<number>('l'));
    expect(handle.get()).toEqual([]);
    handle.add(2);
    handle.addAll(new Set([1, 3]));
    handle.addAll([]);
    expect(handle.get()).toEqual([2, 1, 3]);
    handle.update([9].values());
    handle.add(8);
    expect(handle.get()).toEqual([9, 8]);
    handle.update([]);
    expect(handle.get()).toEqual([]);
    handle.add(1);
    handle.clear();
    expect(handle.get()).toEqual([]);
  });

  test('what it gives and takes are copies', () => {
    const { handle } = new ResidentState(listState<number>('l'));
    const given = [1, 2];
    handle.update(given);
    given.push(3);
    handle.get().push(4);
    expect(handle.get()).toEqual([1, 2]);
  });

  test('may be changed while it is iterated', () => {
    const { handle } = new ResidentState(listState<number>('l'));
    handle.addAll([1, 2, 3]);
    for (const value of handle.get()) handle.add(value * 10);
    expect(handle.get()).toEqual([1, 2, 3, 10, 20, 30]);
    handle.addAll(handle.get());
    expect(handle.get()).toHaveLength(12);
  });

  test('takes all elements of a call or none', () => {
    const { handle } = new ResidentState(listState<unknown>('l'));
    handle.add('kept');
    for (const change of [handle.addAll, handle.update]) {
      expect(() => change.call(handle, ['a', () => 1])).toThrow(
        expect.objectContaining({ code: 'RS_INVALID_VALUE' }),
      );
    }
    expect(handle.get()).toEqual(['kept']);
  });
});

describe('SetState', () => {
  test('is a set by value, in the order in which values were added', () => {
    const state = new ResidentState(setState<unknown>('s'));
    const { handle } = state;
    expect([handle.isEmpty(), handle.size(), handle.get(), handle.remove('x')]).toEqual([true, 0, [], false]);
    expect([handle.add('b'), handle.add({ x: 1, y: 2 }), handle.add({ y: 2, x: 1 }), handle.add(1)]).toEqual([
      true,
      true,
      false,
      true,
    ]);
    expect([handle.size(), handle.contains({ y: 2, x: 1 }), handle.contains('1')]).toEqual([3, true, false]);
    expect(handle.get()).toEqual(['b', { x: 1, y: 2 }, 1]);
    expect([handle.remove('b'), handle.remove('b')]).toEqual([true, false]);
    for (const value of handle.get()) handle.remove(value);
    expect([handle.isEmpty(), state.cells]).toEqual([true, 0]);
    handle.add(1);
    handle.clear();
    expect(handle.isEmpty()).toBe(true);
  });

  test.each([null, undefined, NaN, () => 1])('refuses the value %p', (value) => {
    const { handle } = new ResidentState(setState<unknown>('s'));
    expect(() => handle.add(value)).toThrow(expect.objectContaining({ code: 'RS_INVALID_KEY' }));
  });
});

describe('values that plain JSON would change or refuse', () => {
  const kept: unknown = {
    d: new Date(0),
    u: undefined,
    n: NaN,
    i: Infinity,
    z: -0,
    b: 10n,
    m: new Map([[1, 2]]),
    s: new Set([1]),
    bytes: Uint8Array.of(0xc3, 0x28, 0, 0xff),
    text: '\u0000 \ud800 \u{1f600} \r\n \u202e',
    integer: 1700000000123456,
    list: [],
    obj: {},
    f: 0.1,
  };
  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;

  test('come back as they were from a backend, in every kind of state', async () => {
    const [value, map, list] = [
      valueState<unknown>('v'),
      mapState<string, unknown>('m'),
      listState<unknown>('l'),
    ];
    const before = new Overlay();
    (await before.handle(before.open(value), value)).update(kept);
    (await before.handle(before.open(map), map)).put('k', kept);
    (await before.handle(before.open(list), list)).add(kept);
    await before.commit();
    const after = new Overlay(before);
    expect((await after.handle(after.open(value), value)).value()).toStrictEqual(kept);
    expect((await after.handle(after.open(map), map)).get('k')).toStrictEqual(kept);
    expect((await after.handle(after.open(list), list)).get()).toStrictEqual([kept]);
  });

  class Money {}
  const refused: [string, unknown][] = [
    ['a function', () => 1],
    ['a cycle', cycle],
    ['a symbol', Symbol('s')],
    ['a class instance', new Money()],
    ['a promise', Promise.resolve(1)],
    ['a function deep inside', { a: [{ b: () => 1 }] }],
  ];
  const writes: [string, StateDescriptor, (handle: never, value: unknown) => void][] = [
    ['update', valueState('state'), (handle: { update(v: unknown): void }, value) => handle.update(value)],
    [
      'put',
      mapState('state'),
      (handle: { put(k: string, v: unknown): void }, value) => handle.put('k', value),
    ],
    ['add', listState('state'), (handle: { add(v: unknown): void }, value) => handle.add(value)],
  ];

  test.each(refused)('%s is refused at the call, and nothing is stored', async (_name, value) => {
    for (const [, descriptor, write] of writes) {
      const resident = new ResidentState(descriptor);
      const overlay = new Overlay();
      const slot = overlay.open(descriptor);
      for (const handle of [resident.handle, await overlay.handle(slot, descriptor)]) {
        let caught: unknown;
        try {
          write(handle as never, value);
        } catch (error) {
          caught = error;
        }
        expect(isRsError(caught, 'RS_INVALID_VALUE') && caught.message).toMatch(/^state 'state': /);
      }
      expect(resident.cells).toBe(0);
      expect(overlay.store.changes()).toEqual([]);
    }
  });
});
