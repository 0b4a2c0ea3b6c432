import { describe, expect, test } from '@jest/globals';
import { type LargeMapState, largeMapState } from '@rs/core';
import { collected } from '../test-support/collected.ts';
import { errorOf } from '../test-support/error-of.ts';
import { accessTo, Overlay } from '../test-support/overlay.ts';
import { ResidentState } from '../test-support/resident.ts';
import { LARGE_MAP, letters, StoredMap } from '../test-support/stored-map.ts';
import { stateHandle } from './handles.ts';

describe('a large map', () => {
  test('is a map whose reads are promises', async () => {
    const { handle } = new ResidentState(LARGE_MAP);
    expect([await handle.isEmpty(), await handle.contains('a'), await handle.get('a')]).toEqual([
      true,
      false,
      undefined,
    ]);
    handle.put('a', 1);
    handle.put(['a', 2], 2);
    handle.put({ y: 1, x: 2 }, 3);
    handle.put('a', 4);
    expect([await handle.get('a'), await handle.get(['a', 2]), await handle.get({ x: 2, y: 1 })]).toEqual([
      4, 2, 3,
    ]);
    expect([await handle.contains('a'), await handle.contains('1'), await handle.isEmpty()]).toEqual([
      true,
      false,
      false,
    ]);
    handle.remove('a');
    handle.remove('never there');
    expect(await collected(handle.entries())).toEqual([[['a', 2], 2], [{ x: 2, y: 1 }, 3]]); // prettier-ignore
    handle.clear();
    expect([await handle.isEmpty(), await collected(handle.entries())]).toEqual([true, []]);
  });

  test.each(['in memory', 'from a backend'])(
    'gives its entries in the order of the encoded keys, %s',
    async (where) => {
      const keys = [10, 9, 'b', 'a', -1, 'aa', true, 2n, '\u{10000}', '\uffff'];
      const put = (map: LargeMapState<unknown, unknown>) => keys.forEach((key, index) => map.put(key, index));
      const resident = new ResidentState(LARGE_MAP);
      put(resident.handle);
      const handle = where === 'in memory' ? resident.handle : (await new StoredMap().with(put)).handle;
      expect(await collected(handle.keys())).toEqual([
        2n,
        -1,
        10,
        9,
        'a',
        'aa',
        'b',
        '\uffff',
        '\u{10000}',
        true,
      ]);
      expect(await collected(handle.values())).toEqual([7, 4, 0, 1, 3, 5, 2, 9, 8, 6]);
    },
  );

  test('values may be undefined or null', async () => {
    const stored = await new StoredMap().with((map) => {
      map.put('u', undefined);
      map.put('n', null);
    });
    const resident = new ResidentState(LARGE_MAP);
    resident.handle.put('u', undefined);
    resident.handle.put('n', null);
    for (const map of [stored.handle, resident.handle]) {
      expect([await map.get('u'), await map.contains('u'), await map.get('n')]).toEqual([
        undefined,
        true,
        null,
      ]);
      expect(await collected(map.entries())).toEqual([['n', null], ['u', undefined]]); // prettier-ignore
    }
  });

  test.each([null, undefined, NaN, new Date(0)])('refuses the key %p', async (key) => {
    const { handle, slot } = new ResidentState(LARGE_MAP);
    for (const refused of [() => handle.put(key, 1), () => handle.remove(key)])
      expect(errorOf(refused).code).toBe('RS_INVALID_KEY');
    await expect(handle.get(key)).rejects.toMatchObject({ code: 'RS_INVALID_KEY' });
    await expect(handle.contains(key)).rejects.toMatchObject({ code: 'RS_INVALID_KEY' });
    expect([...slot.cells()]).toEqual([]);
  });

  test('refuses a value that cannot be stored, and nothing changes', async () => {
    const stored = await new StoredMap().with(letters('a'));
    expect(errorOf(() => stored.handle.put('a', () => 1)).code).toBe('RS_INVALID_VALUE');
    expect([await stored.handle.get('a'), stored.overlay.store.changes()]).toEqual(['A', []]);
  });

  test('many elements can be removed one by one, in any order', async () => {
    const { handle, slot } = new ResidentState(LARGE_MAP);
    for (const order of ['forwards', 'backwards'] as const) {
      const names = Array.from({ length: 100 }, (_, i) => i);
      for (const name of names) handle.put(name, 0);
      for (const name of order === 'forwards' ? names : names.toReversed()) handle.remove(name);
      expect([...slot.cells()]).toEqual([]);
    }
  });
});

describe('reads', () => {
  test('take what is in memory, and remember what they had to ask for', async () => {
    const stored = await new StoredMap().with(letters('ab'));
    const map = stored.handle;
    map.put('b', 'new');
    expect([await map.get('a'), await map.get('a'), await map.get('b'), await map.get('c')]).toEqual(['A', 'A', 'new', undefined]); // prettier-ignore
    expect([await map.contains('c'), stored.reads]).toEqual([false, ['s:a', 's:c']]);
  });

  test('at the same time give one object', async () => {
    const stored = await new StoredMap().with((map) => map.put('a', { n: 1 }));
    const [first, second] = await Promise.all([stored.handle.get('a'), stored.handle.get('a')]);
    expect(first).toBe(second);
    expect([first, stored.cells]).toEqual([{ n: 1 }, 1]);
  });

  test('give the map as it was when they were begun', async () => {
    const changes: Record<string, (map: LargeMapState<unknown, unknown>) => void> = {
      put: (map) => map.put('a', 'new'),
      remove: (map) => map.remove('a'),
      clear: (map) => map.clear(),
      'clear and put': (map) => {
        map.clear();
        map.put('a', 'new');
      },
    };
    for (const [name, change] of Object.entries(changes)) {
      const stored = await new StoredMap().with(letters('ab'));
      const map = stored.handle;
      const reading = [map.get('a'), map.contains('a'), map.isEmpty(), map.get('x')];
      change(map);
      expect([name, ...(await Promise.all(reading))]).toEqual([name, 'A', true, false, undefined]);
      // What was read does not cover what was changed.
      const after = name === 'put' || name === 'clear and put' ? 'new' : undefined;
      expect([name, await map.get('a'), await map.contains('b')]).toEqual([
        name,
        after,
        !name.includes('clear'),
      ]);
      await stored.overlay.commit();
      stored.crash();
      expect([name, await stored.handle.get('a')]).toEqual([name, after]);
    }
  });

  test('after a clear ask for nothing', async () => {
    const stored = await new StoredMap().with(letters('abcdefgh'));
    const map = stored.handle;
    map.clear();
    map.put('x', 1);
    expect([await map.get('a'), await map.isEmpty(), await collected(map.keys()), stored.reads]).toEqual([
      undefined,
      false,
      ['x'],
      [],
    ]);
  });

  test('an object changed in place is put back by a rollback', async () => {
    const stored = await new StoredMap().with((map) => map.put('a', { n: 1 }));
    ((await stored.handle.get('a')) as { n: number }).n = 99;
    stored.overlay.store.rollback();
    expect(await stored.handle.get('a')).toEqual({ n: 1 });
  });
});

describe('changes', () => {
  test('need no read', async () => {
    const stored = await new StoredMap().with(letters('ab'));
    stored.handle.put('a', 'new');
    stored.handle.remove('b');
    expect([await stored.overlay.commit(), stored.reads]).toMatchObject([
      [
        { op: 'put', address: { key: 's:k', namespace: 's:a', layout: 'value' }, stored: { data: '"new"' } },
        { op: 'delete', address: { namespace: 's:b' } },
      ],
      [],
    ]);
  });

  test('what is known not to be there is not deleted', async () => {
    const stored = await new StoredMap().with(letters('a'));
    await stored.handle.get('x');
    stored.handle.remove('x');
    expect(stored.overlay.store.changes()).toEqual([]);
  });

  test('a clear is one change, before what is put afterwards', async () => {
    const stored = await new StoredMap().with(letters('abc'));
    const map = stored.handle;
    map.put('b', 'lost');
    await map.get('a');
    map.clear();
    map.put('d', 'D');
    map.remove('c');
    map.clear();
    map.put('b', 'kept');
    expect(await stored.overlay.commit()).toMatchObject([
      { op: 'clear', address: { operator: 'op', state: 'map', key: 's:k', layout: 'value' } },
      { op: 'put', address: { namespace: 's:b' }, stored: { data: '"kept"' } },
    ]);
    expect([await collected(stored.handle.entries()), stored.cells]).toEqual([[['b', 'kept']], 1]);
    // The clear is over: others are asked for again.
    stored.reads.length = 0;
    expect([await stored.handle.get('c'), stored.reads]).toEqual([undefined, ['s:c']]);
  });

  test('a clear is about one key', async () => {
    const overlay = new Overlay();
    const slot = overlay.open(LARGE_MAP);
    const maps = ['k', 'k\u001fs:a', ''].map((key) =>
      stateHandle(
        LARGE_MAP,
        accessTo(slot, () => key),
      ),
    );
    for (const map of maps) letters('ab')(map);
    await overlay.commit();
    overlay.store.evict(0);
    maps[0]?.clear();
    await overlay.commit();
    overlay.store.evict(0);
    expect(await Promise.all(maps.map((map) => collected(map.keys())))).toEqual([[], ['a', 'b'], ['a', 'b']]);
  });

  test('a rollback undoes all of them, also a clear', async () => {
    const stored = await new StoredMap().with(letters('abc'));
    const map = stored.handle;
    map.put('d', 1);
    map.clear();
    map.put('a', 1);
    stored.settle();
    stored.overlay.store.rollback();
    expect([stored.cells, stored.overlay.store.changes()]).toEqual([0, []]);
    expect(await collected(stored.handle.entries())).toEqual([['a', 'A'], ['b', 'B'], ['c', 'C']]); // prettier-ignore
  });
});

describe('a ttl', () => {
  const BRIEF = largeMapState<unknown, unknown>('map', { ttl: 10 });

  test('is that of each element, from its last write', async () => {
    const state = new ResidentState(BRIEF);
    const stored = new StoredMap(BRIEF);
    const clocks = [state.clock, stored.overlay.clock];
    for (const map of [state.handle, stored.handle]) letters('ab')(map);
    await stored.with(() => undefined);
    for (const clock of clocks) clock.time = 6;
    for (const map of [state.handle, stored.handle]) map.put('b', 'B');
    await stored.with(() => undefined);
    for (const clock of clocks) clock.time = 10;
    for (const map of [state.handle, stored.handle]) {
      expect([await map.get('a'), await map.get('b'), await collected(map.keys())]).toEqual([
        undefined,
        'B',
        ['b'],
      ]);
    }
    for (const clock of clocks) clock.time = 16;
    for (const map of [state.handle, stored.handle]) expect(await map.isEmpty()).toBe(true);
  });

  test('elements that a loop finds expired are removed', async () => {
    const stored = await new StoredMap(BRIEF).with(letters('abcde'));
    stored.overlay.clock.time = 5;
    await stored.with((map) => map.put('c', 'C'));
    stored.overlay.clock.time = 10;
    expect(await collected(stored.handle.keys())).toEqual(['c']);
    await stored.overlay.commit();
    expect(stored.overlay.backend.cells().length).toBe(1);
  });

  test('a read that was begun before a change does not give what had expired', async () => {
    const stored = await new StoredMap(BRIEF).with(letters('a'));
    stored.overlay.clock.time = 10;
    const reading = stored.handle.get('a');
    stored.handle.put('a', 'new');
    expect([await reading, await stored.handle.get('a')]).toEqual([undefined, 'new']);
  });

  test('resident elements that nobody asks for are removed as others are written', () => {
    const { handle, slot, clock } = new ResidentState(BRIEF);
    for (let i = 0; i < 1000; i++) {
      clock.time = i;
      handle.put(i, i);
    }
    expect([...slot.cells()]).toHaveLength(10);
  });
});

describe('elements of an older version', () => {
  const OLD = largeMapState<unknown, unknown>('map');
  const NEW = largeMapState<unknown, unknown>('map', {
    schemaVersion: 2,
    migrate: (old, version) => `${String(old)} of ${version}`,
  });
  const STRICT = largeMapState<unknown, unknown>('map', { schemaVersion: 2 });

  async function reopened(descriptor: typeof OLD) {
    const { overlay } = await new StoredMap(OLD).with(letters('abcd'));
    const after = new Overlay(overlay);
    const slot = after.open(descriptor);
    return {
      after,
      slot,
      map: stateHandle(
        descriptor,
        accessTo(slot, () => 'k'),
      ),
    };
  }

  test('are migrated when they are read, each by itself', async () => {
    const { after, map } = await reopened(NEW);
    map.put('b', 'new');
    expect([await map.get('a'), await collected(map.values())]).toEqual([
      'A of 1',
      ['A of 1', 'new', 'C of 1', 'D of 1'],
    ]);
    expect(await after.commit()).toMatchObject([{ stored: { data: '"new"', version: 2 } }]);
    expect(await collected(map.values())).toEqual(['A of 1', 'new', 'C of 1', 'D of 1']);
  });

  test('that cannot be read fail the read, and do not look like nothing', async () => {
    const { after, slot, map } = await reopened(STRICT);
    await expect(map.get('a')).rejects.toMatchObject({ code: 'RS_INVALID_VALUE' });
    await expect(map.get('a')).rejects.toMatchObject({ code: 'RS_INVALID_VALUE' });
    await expect(collected(map.keys())).rejects.toMatchObject({ code: 'RS_INVALID_VALUE' });
    expect([[...slot.cells()], after.failures]).toEqual([[], []]); // It is no failure of the backend.
    map.put('a', 'repaired');
    expect(await map.get('a')).toBe('repaired');
  });
});
