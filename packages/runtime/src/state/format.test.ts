import { describe, expect, test } from '@jest/globals';
import { type Codec, listState, mapState, setState, type StateDescriptor, valueState } from '@rs/core';
import { Overlay } from '../test-support/overlay.ts';
import { Cell } from './cell.ts';
import { fillCell } from './format.ts';
import type { StoredCell } from './stored.ts';

const toNumber = (old: unknown, fromVersion: number) => Number(old) + fromVersion * 100;

/** A task whose code has changed since `before`: it opens the same state by another descriptor. */
function upgraded(before: Overlay, descriptor: StateDescriptor) {
  const overlay = new Overlay(before);
  return { overlay, slot: overlay.open(descriptor) };
}

function filled(descriptor: StateDescriptor, stored: StoredCell | undefined) {
  const cell = new Cell(new Overlay().open(descriptor), 'k', '');
  fillCell(cell, stored);
  return cell;
}

describe('elements', () => {
  test('keep their order through reloads, also where the backend returns them in another', () => {
    const elements = ['c', 'a', 'b'].map((id, order) => ({ id: `s:${id}`, order, data: `${order}` }));
    const stored: StoredCell = { layout: 'elements', elements: elements.toReversed(), version: 1 };
    expect([...(filled(mapState('m'), stored).value as Map<string, unknown>).keys()]).toEqual([
      's:c',
      's:a',
      's:b',
    ]);
    const list = elements.map(({ order }) => ({ id: `${order}`, order, data: `${order * 10}` }));
    expect(filled(listState('l'), { ...stored, elements: list.toReversed() }).value).toEqual([0, 10, 20]);
  });

  test('a key keeps its place when its value changes, and a new one goes last after a reload', async () => {
    const MAP = mapState<string, number>('map');
    let overlay = new Overlay();
    let map = await overlay.handle(overlay.open(MAP), MAP);
    for (const name of ['c', 'a', 'b']) map.put(name, 1);
    map.put('c', 2);
    await overlay.commit();
    overlay = new Overlay(overlay);
    map = await overlay.handle(overlay.open(MAP), MAP);
    map.remove('b');
    map.put('0', 3);
    map.put('a', 4);
    await overlay.commit();
    overlay = new Overlay(overlay);
    map = await overlay.handle(overlay.open(MAP), MAP);
    expect([...map.entries()]).toEqual([['c', 2], ['a', 4], ['0', 3]]); // prettier-ignore
  });

  test('an empty stored collection is none', () => {
    expect(filled(setState('s'), { layout: 'elements', elements: [], version: 1 }).value).toBeUndefined();
    expect(filled(setState('s'), undefined).value).toBeUndefined();
  });
});

describe('versions', () => {
  test('an older value is migrated when it is read, and stored in the new form when it is written', async () => {
    const v1 = valueState<string>('count');
    const v2 = valueState<number>('count', { schemaVersion: 3, migrate: toNumber });
    const before = new Overlay();
    (await before.handle(before.open(v1), v1)).update('7');
    await before.commit();

    const { overlay, slot } = upgraded(before, v2);
    const count = await overlay.handle(slot, v2);
    expect(count.value()).toBe(107);
    expect(overlay.store.changes()).toEqual([]); // Reading writes nothing.
    count.update(8);
    expect(await overlay.commit()).toMatchObject([{ stored: { data: '8', version: 3 } }]);
  });

  test.each(['add', 'remove', 'nothing'])(
    'no element of a collection is migrated twice, or never: %s',
    async (change) => {
      const v1 = setState<number>('set');
      const v2 = setState<number>('set', { schemaVersion: 2, migrate: (old) => Number(old) * 10 });
      const before = new Overlay();
      const old = await before.handle(before.open(v1), v1);
      for (const value of [1, 2, 3]) old.add(value);
      await before.commit();

      const first = upgraded(before, v2);
      const set = await first.overlay.handle(first.slot, v2);
      expect(set.get()).toEqual([10, 20, 30]);
      if (change === 'add') set.add(4);
      if (change === 'remove') set.remove(1);
      await first.overlay.commit();
      const expected = { add: [10, 20, 30, 4], remove: [20, 30], nothing: [10, 20, 30] }[change];
      const second = upgraded(first.overlay, v2);
      expect((await second.overlay.handle(second.slot, v2)).get()).toEqual(expected);
    },
  );

  test('elements of a list too', async () => {
    const v1 = listState<number>('list');
    const v2 = listState<number>('list', { schemaVersion: 2, migrate: (old) => Number(old) * 10 });
    const before = new Overlay();
    (await before.handle(before.open(v1), v1)).addAll([1, 2]);
    await before.commit();
    const first = upgraded(before, v2);
    (await first.overlay.handle(first.slot, v2)).add(3);
    await first.overlay.commit();
    const second = upgraded(first.overlay, v2);
    const list = await second.overlay.handle(second.slot, v2);
    expect(list.get()).toEqual([10, 20, 3]);
    list.add(4);
    expect(await second.overlay.commit()).toMatchObject([{ clear: false, put: [{ data: '4' }] }]);
  });

  test.each([
    ['without migrate', valueState<number>('count', { schemaVersion: 2 }), 1],
    ['from a newer version', valueState<number>('count', { schemaVersion: 2, migrate: toNumber }), 3],
  ])('%s is an error that names state and versions', (_name, descriptor, version) => {
    expect(() => filled(descriptor, { layout: 'value', data: '7', version })).toThrow(
      expect.objectContaining({
        code: 'RS_INVALID_VALUE',
        details: { state: 'count', stored: version, expected: 2 },
      }),
    );
  });

  test('a migrate function that throws is an error that names the state', () => {
    const descriptor = valueState<number>('count', {
      schemaVersion: 2,
      migrate: () => {
        throw new Error('no idea');
      },
    });
    expect(() => filled(descriptor, { layout: 'value', data: '7', version: 1 })).toThrow(
      expect.objectContaining({
        code: 'RS_INVALID_VALUE',
        message: "state 'count': no idea",
        details: { state: 'count' },
      }),
    );
  });
});

describe('codecs', () => {
  const bytes: Codec<string> = {
    name: 'bytes',
    encode: (value) => {
      if (value === 'bad') throw new Error('not that');
      return Buffer.from(value, 'utf16le');
    },
    decode: (data) => {
      if (typeof data === 'string') throw new Error('no bytes');
      return Buffer.from(data).toString('utf16le');
    },
  };
  const VALUE = valueState('value', { codec: bytes, default: () => '' });

  test('a codec of bytes is used for storing and reading', async () => {
    const before = new Overlay();
    (await before.handle(before.open(VALUE), VALUE)).update('ä\ud800');
    expect(await before.commit()).toMatchObject([{ stored: { data: expect.any(Uint8Array) } }]);
    const { overlay, slot } = upgraded(before, VALUE);
    expect((await overlay.handle(slot, VALUE)).value()).toBe('ä\ud800');
  });

  test('without assertEncodable, encode refuses at the call', async () => {
    const overlay = new Overlay();
    const state = await overlay.handle(overlay.open(VALUE), VALUE);
    state.update('good');
    expect(() => state.update('bad')).toThrow(
      expect.objectContaining({ code: 'RS_INVALID_VALUE', message: "state 'value': not that" }),
    );
    expect(state.value()).toBe('good');
  });

  test('what cannot be decoded is an error that names the state', () => {
    for (const stored of [filled.bind(undefined, VALUE), filled.bind(undefined, valueState('value'))]) {
      expect(() => stored({ layout: 'value', data: 'no JSON', version: 1 })).toThrow(
        expect.objectContaining({ code: 'RS_INVALID_VALUE', details: { state: 'value' } }),
      );
    }
  });

  test('state of another kind is refused', () => {
    expect(() => filled(valueState('s'), { layout: 'elements', elements: [], version: 1 })).toThrow(
      expect.objectContaining({ code: 'RS_INVALID_VALUE' }),
    );
    expect(() => filled(listState('s'), { layout: 'value', data: '1', version: 1 })).toThrow(
      expect.objectContaining({ code: 'RS_INVALID_VALUE' }),
    );
  });
});
