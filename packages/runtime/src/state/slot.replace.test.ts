import { describe, expect, test } from '@jest/globals';
import {
  type Codec,
  largeMapState,
  listState,
  mapState,
  reducingState,
  setState,
  valueState,
} from '@rs/core';
import { ResidentState } from '../test-support/resident.ts';
import type { StateContents } from './contents.ts';
import { openSlot } from './access.ts';
import { StateStore } from './store.ts';

/** Puts contents in the place of what a state holds. */
function put({ store }: { readonly store: StateStore }, contents: readonly StateContents[]): void {
  store.decodeAll(contents, (_operator, text) => text)();
}

/** The only state that a store holds. */
function contentsOf({ store }: { readonly store: StateStore }): StateContents {
  const [contents] = store.contents();
  if (contents === undefined) throw new Error('nothing is stored');
  return contents;
}

/** Each kind of state, and a way to write to it. */
const KINDS = {
  value: () => {
    const state = new ResidentState(valueState<unknown>('s'));
    return { state, write: () => state.handle.update([1n, new Date(5)]) };
  },
  map: () => {
    const state = new ResidentState(mapState<unknown, unknown>('s'));
    return { state, write: () => state.handle.put({ a: 1 }, undefined) };
  },
  list: () => {
    const state = new ResidentState(listState<string>('s'));
    return { state, write: () => state.handle.addAll(['b', 'a']) };
  },
  set: () => {
    const state = new ResidentState(setState<number>('s'));
    return { state, write: () => void state.handle.add(3) };
  },
  reducing: () => {
    const state = new ResidentState(reducingState<number>('s', { reduce: (a, b) => a + b }));
    return { state, write: () => state.handle.add(5) };
  },
  'large map': () => {
    const state = new ResidentState(largeMapState<string, undefined>('s'));
    return { state, write: () => state.handle.put('k', undefined) };
  },
};

describe('the contents of a state', () => {
  test.each(Object.entries(KINDS))('of kind %s can be put back', (_kind, make) => {
    const { state, write } = make();
    for (const key of ['a', 7, 7n, true, ['a', { b: 1 }], Uint8Array.of(1)]) {
      state.key = key;
      write();
    }
    const contents = contentsOf(state);
    expect(contents.cells).toHaveLength(6);
    put(state, []);
    expect(state.cells).toBe(0);
    put(state, [contents]);
    expect(state.store.contents()).toEqual([contents]);
  });

  test('are a copy: nothing of them changes with the state, nor when a codec uses one buffer again', () => {
    const buffer = new Uint8Array(1);
    const codec: Codec<number> = {
      name: 'byte',
      encode: (value) => {
        buffer[0] = value;
        return buffer;
      },
      decode: (data) => Number(data[0]),
    };
    const state = new ResidentState(valueState<number>('s', { codec }));
    state.for('a', (handle) => handle.update(1));
    state.for('b', (handle) => handle.update(2));
    const contents = state.store.contents();
    state.for('a', (handle) => handle.update(3));
    put(state, contents);
    expect(['a', 'b'].map((key) => state.for(key, (handle) => handle.value()))).toEqual([1, 2]);
  });

  test('leave out what has expired', () => {
    const state = new ResidentState(valueState('s', { default: () => 0, ttl: 10 }));
    state.for('a', (handle) => handle.update(1));
    state.clock.time = 9;
    state.for('b', (handle) => handle.update(2));
    state.clock.time = 10;
    expect(state.store.contents()[0]?.cells.map(({ key }) => key)).toEqual(['s:b']);
  });

  test('expire when they would have', () => {
    const state = new ResidentState(valueState('s', { default: () => 0, ttl: 10 }));
    for (const [key, time] of [
      ['late', 5],
      ['early', 0],
    ] as const) {
      state.clock.time = time;
      state.for(key, (handle) => handle.update(1));
    }
    const contents = contentsOf(state);
    put(state, [{ ...contents, cells: contents.cells.toReversed() }]);
    state.clock.time = 12;
    expect(state.for('early', (handle) => handle.value())).toBe(0);
    expect(state.for('late', (handle) => handle.value())).toBe(1);
  });

  test('in whatever order they are put back, those that expire first are removed first', () => {
    const state = new ResidentState(valueState('s', { default: () => 0, ttl: 100 }));
    for (let i = 0; i < 20; i++) {
      state.clock.time = i;
      state.for(i, (handle) => handle.update(1));
    }
    const contents = contentsOf(state);
    put(state, [{ ...contents, cells: contents.cells.toReversed() }]);
    state.clock.time = 110; // 0 to 10 have expired
    for (let i = 0; i < 5; i++) state.for('writes', (handle) => handle.update(1));
    expect(state.cells).toBe(10);
  });

  test('that cannot be decoded change nothing', () => {
    const state = new ResidentState(valueState('s', { default: () => 0 }));
    state.for('a', (handle) => handle.update(1));
    const contents = contentsOf(state);
    const bad = {
      ...contents,
      cells: [{ key: 's:a', namespace: '', stored: { layout: 'value', data: '{', version: 1 } }],
    } as const;
    expect(() => put(state, [bad])).toThrow(expect.objectContaining({ code: 'RS_INVALID_VALUE' }));
    expect(state.for('a', (handle) => handle.value())).toBe(1);
  });

  test('wait for a state that is declared later, and are not lost until then', () => {
    const first = new ResidentState(valueState('s', { default: () => 0 }));
    first.for('a', (handle) => handle.update(1));
    const contents = first.store.contents();
    const store = new StateStore({ resident: true });
    store.decodeAll(contents, (_operator, text) => text)();
    expect(store.waiting()).toEqual(contents);
    expect(store.contents()).toEqual(contents);
    const place = { operator: 'op', state: 's', now: () => 0 };
    const slot = openSlot(store, valueState('s', { default: () => 0 }), place);
    expect(slot.present('a', '')?.value).toBe(1);
    expect(store.waiting()).toEqual([]);
    expect(store.contents()).toEqual(contents);
  });
});

describe('a cell that is in hand when all are replaced', () => {
  test('is known as such, and what is done with it has no effect', () => {
    const state = new ResidentState(valueState('s', { default: () => 0, ttl: 5 }), 'window');
    state.for('a', (handle) => handle.update(1));
    const { slot } = state;
    const inHand = slot.present('a', 'window');
    if (inHand === undefined) throw new Error('there is no cell');
    slot.obtain('a', 'other').value = 8;
    expect(slot.replaced(inHand)).toBe(false);
    put(state, state.store.contents());
    expect(slot.replaced(inHand)).toBe(true);
    slot.obtain('a', 'newest').value = 9;
    slot.touch(inHand);
    inHand.value = 99;
    slot.remove(inHand);
    expect(state.for('a', (handle) => handle.value())).toBe(1);
    expect(slot.present('a', 'other')?.value).toBe(8);
    const now = slot.present('a', 'window');
    expect(now === undefined ? undefined : slot.replaced(now)).toBe(false);
  });
});
