import { describe, expect, test } from '@jest/globals';
import { largeMapState, listState, mapState, type StateDescriptor, type StateOf, valueState } from '@rs/core';
import { collected } from '../test-support/collected.ts';
import { Overlay } from '../test-support/overlay.ts';
import type { SchemaMismatch } from './store.ts';

/** State that version 1 of the code has stored, as version 2 reads it, without a way from one to the other. */
async function readAs<D extends StateDescriptor>(
  schemaMismatch: SchemaMismatch,
  before: D,
  after: D,
  fill: (state: StateOf<D>) => void,
) {
  const old = new Overlay();
  fill(await old.handle(old.open(before), before));
  await old.commit();
  const overlay = new Overlay(old, schemaMismatch);
  const slot = overlay.open(after);
  return { overlay, open: () => overlay.handle(slot, after) };
}

const value = (schemaVersion: number) => valueState<unknown>('value', { schemaVersion });
const list = (schemaVersion: number) => listState<number>('list', { schemaVersion });
const map = (schemaVersion: number) => mapState<string, number>('map', { schemaVersion });
const large = (schemaVersion: number) => largeMapState<string, number>('large', { schemaVersion });

describe('stored state of another version', () => {
  test('is an error, unless something else was asked for', async () => {
    for (const [before, after] of [
      [1, 2],
      [2, 1],
    ] as const) {
      // prettier-ignore
      const { open } = await readAs('fail', value(before), value(after), (state) => state.update(7));
      await expect(open()).rejects.toMatchObject({
        code: 'RS_INVALID_VALUE',
        details: { state: 'value', stored: before, expected: after },
      });
    }
  });

  test('is decoded all the same with `ignore`, and written with the new version', async () => {
    const values = await readAs('ignore', value(1), value(2), (state) => state.update(7));
    expect((await values.open()).value()).toBe(7);
    const maps = await readAs('ignore', map(1), map(2), (state) =>
      ['a', 'b'].forEach((key) => state.put(key, 1)),
    );
    const state = await maps.open();
    expect(state.entries()).toEqual([['a', 1], ['b', 1]]); // prettier-ignore
    state.put('c', 2);
    expect(await maps.overlay.commit()).toMatchObject([
      { op: 'elements', clear: true, version: 2, put: [{ id: 's:a' }, { id: 's:b' }, { id: 's:c' }] },
    ]);
    const larges = await readAs('ignore', large(1), large(2), (held) => held.put('a', 1));
    expect(await (await larges.open()).get('a')).toBe(1);
  });

  test('counts as absent with `clear`, and is removed', async () => {
    const values = await readAs('clear', value(1), value(2), (state) => state.update(7));
    expect((await values.open()).value()).toBeUndefined();
    expect(await values.overlay.commit()).toMatchObject([{ op: 'delete' }]);
    expect(values.overlay.backend.cells()).toEqual([]);
    const lists = await readAs('clear', list(1), list(2), (state) => state.addAll([1, 2, 3]));
    const state = await lists.open();
    expect(state.get()).toEqual([]);
    state.add(9);
    await lists.overlay.commit();
    expect(lists.overlay.backend.cells()).toMatchObject([
      ['op\u001flist\u001f3\u001fs:k\u001f', { version: 2, elements: [{ id: '0', data: '9' }] }],
    ]);
  });

  test('counts as absent with `clear` where it is read on demand', async () => {
    const { overlay, open } = await readAs('clear', large(1), large(2), (state) => state.put('a', 1));
    const state = await open();
    expect([await state.isEmpty(), await state.get('a'), await collected(state.keys())]).toEqual([true, undefined, []]); // prettier-ignore
    state.put('b', 2);
    await overlay.commit();
    expect(await collected(state.entries())).toEqual([['b', 2]]);
  });

  test.each(['clear', 'ignore'] as const)(
    'is migrated where the descriptor can, also with `%s`',
    async (policy) => {
      const after = valueState<unknown>('value', { schemaVersion: 2, migrate: (old) => [old] });
      const { open } = await readAs(policy, value(1), after, (state) => state.update(7));
      expect((await open()).value()).toEqual([7]);
    },
  );

  test('comes back when its removal is undone', async () => {
    const { overlay, open } = await readAs('clear', value(1), value(2), (state) => state.update(7));
    await open();
    overlay.store.rollback();
    expect(overlay.backend.cells()).toHaveLength(1);
    expect((await open()).value()).toBeUndefined();
    expect(overlay.store.changes()).toMatchObject([{ op: 'delete' }]);
  });
});
