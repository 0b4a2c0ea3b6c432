import { describe, expect, test } from '@jest/globals';
import { listState, mapState, valueState } from '@rs/core';
import { Overlay } from '../test-support/overlay.ts';
import { addressText, compareAddresses } from './store.ts';
import type { CellAddress } from './stored.ts';

const VALUE = valueState<unknown>('value');
const LIST = listState<string>('list');
const MAP = mapState<string, number>('map');

const address = (state: string, layout: CellAddress['layout'], key = 's:k') => ({
  operator: 'op',
  state,
  layout,
  key,
  onDemand: false,
  namespace: '',
});

describe('changes', () => {
  test('of a value: what is stored, with its version', async () => {
    const overlay = new Overlay();
    const state = await overlay.handle(overlay.open(VALUE), VALUE, ['k', 1]);
    state.update({ n: 1 });
    state.update({ n: 2 });
    expect(overlay.store.changes()).toEqual([
      {
        address: address('value', 'value', 'a[3:s:k3:n:1'),
        op: 'put',
        stored: { layout: 'value', data: '{"n":2}', version: 1 },
      },
    ]);
    expect(overlay.store.changes()).toHaveLength(1); // Asking changes nothing.
    await overlay.commit();
    expect(overlay.store.changes()).toEqual([]);
    state.clear();
    expect(overlay.store.changes()).toEqual([{ address: expect.anything(), op: 'delete' }]);
  });

  test('of a list: an added element is written alone', async () => {
    const overlay = new Overlay();
    const slot = overlay.open(LIST);
    const first = await overlay.handle(slot, LIST);
    first.addAll(['a', 'b']);
    await overlay.commit();
    first.add('c');
    expect(await overlay.commit()).toEqual([
      {
        address: address('list', 'elements'),
        op: 'elements',
        clear: false,
        put: [{ id: '2', order: 2, data: '"c"' }],
        remove: [],
        version: 1,
      },
    ]);
    first.update(['x']);
    first.add('y');
    expect(overlay.store.changes()).toMatchObject([
      {
        clear: true,
        put: [
          { id: '0', data: '"x"' },
          { id: '1', data: '"y"' },
        ],
      },
    ]);
  });

  test('of a map: only the elements that changed', async () => {
    const overlay = new Overlay();
    const state = await overlay.handle(overlay.open(MAP), MAP);
    for (const name of ['a', 'b', 'c']) state.put(name, 1);
    await overlay.commit();
    state.put('b', 2);
    state.remove('c');
    state.put('d', 4);
    state.remove('d'); // Never stored; removing it is harmless.
    expect(overlay.store.changes()).toMatchObject([
      { clear: false, put: [{ id: 's:b', order: 1, data: '2' }], remove: ['s:c', 's:d'] },
    ]);
  });

  test('of a map that was cleared and filled again: everything is replaced', async () => {
    const overlay = new Overlay();
    const state = await overlay.handle(overlay.open(MAP), MAP);
    state.put('a', 1);
    await overlay.commit();
    state.clear();
    state.put('b', 2);
    expect(overlay.store.changes()).toMatchObject([
      { op: 'elements', clear: true, put: [{ id: 's:b', data: '2' }] },
    ]);
    state.remove('b');
    expect(overlay.store.changes()).toMatchObject([{ op: 'delete' }]);
  });

  test('come in the order in which cells were first changed', async () => {
    const overlay = new Overlay();
    const slot = overlay.open(VALUE);
    const second = await overlay.handle(slot, VALUE, 'second');
    const first = await overlay.handle(slot, VALUE, 'first');
    first.update(1);
    second.update(2);
    first.update(3);
    expect(overlay.store.changes().map((change) => change.address.key)).toEqual(['s:first', 's:second']);
  });
});

describe('rollback', () => {
  test('undoes changes inside objects by reading them again', async () => {
    const overlay = new Overlay();
    const slot = overlay.open(VALUE);
    const state = await overlay.handle(slot, VALUE);
    state.update({ n: 1 });
    await overlay.commit();
    const value = state.value() as { n: number };
    value.n = 99;
    state.update(value);
    overlay.store.rollback();
    expect(slot.find('k', '')).toBeUndefined();
    expect((await overlay.handle(slot, VALUE)).value()).toEqual({ n: 1 });
  });

  test('leaves untouched cells in memory', async () => {
    const overlay = new Overlay();
    const slot = overlay.open(VALUE);
    (await overlay.handle(slot, VALUE, 'a')).update(1);
    await overlay.commit();
    (await overlay.handle(slot, VALUE, 'b')).update(2);
    overlay.store.rollback();
    expect([...slot.cells()].map((cell) => cell.key)).toEqual(['a']);
    expect(overlay.store.changes()).toEqual([]);
  });
});

describe('evict', () => {
  test('keeps as many bytes as it may', async () => {
    const overlay = new Overlay();
    const slots = [overlay.open(VALUE), overlay.open(valueState<unknown>('other'))];
    for (const slot of slots) {
      for (const key of [1, 2, 3]) (await overlay.handle(slot, VALUE, key)).update(key);
    }
    await overlay.commit();
    const left = () => slots.reduce((sum, slot) => sum + [...slot.cells()].length, 0);
    const all = overlay.store.bytes;
    overlay.store.evict(all);
    expect(left()).toBe(6);
    overlay.store.evict((all / 6) * 4.5);
    expect(left()).toBe(4);
    expect(overlay.store.bytes).toBe((all / 6) * 4);
    overlay.store.evict(0);
    expect(left()).toBe(0);
    const [slot] = slots;
    if (slot !== undefined) expect((await overlay.handle(slot, VALUE, 3)).value()).toBe(3);
  });
});

describe('addresses', () => {
  test('have one text each and are ordered by its bytes', () => {
    const all: CellAddress[] = [
      address('a', 'value', 's:\u{10000}'),
      address('a', 'value', 's:\uffff'),
      address('a', 'value', 's:a'),
      { ...address('a', 'value', 's:a'), namespace: '10' },
      // Keys and namespaces are any text, also parts of other addresses.
      { ...address('a', 'value', 's:a'), namespace: 's:b\u001fs:c' },
      { ...address('a', 'value', 's:a\u001fs:b'), namespace: 's:c' },
      { ...address('a', 'value', 's:a\u001f5'), namespace: '' },
      address('b', 'value', 's:a'),
    ];
    const sorted = [...all].sort(compareAddresses).map(addressText);
    expect(new Set(sorted).size).toBe(all.length);
    const byBytes = all.map(addressText).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    expect(sorted).toEqual(byBytes);
  });
});
