import { describe, expect, test } from '@jest/globals';
import { listState, mapState, valueState } from '@rs/core';
import fc from 'fast-check';
import { Overlay } from '../test-support/overlay.ts';
import type { AnySlot } from './access.ts';

const VALUE = valueState<unknown>('value');
const MAP = mapState<string, string>('map');
const LIST = listState<string>('list');

/** Keys of the cells in memory. */
const keysIn = (slot: AnySlot) => [...slot.cells()].map(({ key }) => key).sort();

describe('what memory forgets', () => {
  /** One batch: these keys are wanted, and committed when they are written. */
  async function batch(overlay: Overlay, slot: AnySlot, keys: readonly string[]): Promise<void> {
    for (const key of keys) {
      if (!slot.want(key, '')) await overlay.load(slot, key);
    }
    await overlay.commit();
  }

  test('is what was not wanted for longest', async () => {
    const overlay = new Overlay();
    const slot = overlay.open(VALUE);
    await batch(overlay, slot, ['a']);
    const one = overlay.store.bytes;
    for (const [wanted, left] of [
      [['b'], ['a', 'b']],
      [['c'], ['a', 'b', 'c']],
      [['a'], ['a', 'b', 'c']],
      [['d'], ['a', 'c', 'd']],
      [
        ['c', 'e'],
        ['a', 'c', 'e'],
      ],
    ] as const) {
      await batch(overlay, slot, wanted);
      overlay.store.evict(3 * one);
      expect(keysIn(slot)).toEqual(left);
    }
  });

  test('is something, also when everything was wanted by the last batch', async () => {
    const overlay = new Overlay();
    const slot = overlay.open(VALUE);
    await batch(overlay, slot, ['a', 'b', 'c']);
    overlay.store.evict(Infinity);
    await batch(overlay, slot, ['a', 'b', 'c']);
    overlay.store.evict(overlay.store.bytes - 1);
    expect(keysIn(slot)).toEqual(['b', 'c']);
  });

  test('is nothing that a commit changes or will change', async () => {
    const overlay = new Overlay();
    const slot = overlay.open(VALUE);
    (await overlay.handle(slot, VALUE, 'on its way')).update(1);
    await overlay.load(slot, 'read');
    overlay.store.collected();
    (await overlay.handle(slot, VALUE, 'changed')).update(1);
    overlay.store.evict(0);
    expect(keysIn(slot)).toEqual(['changed', 'on its way']);
    overlay.store.applied();
    overlay.store.evict(0);
    expect(keysIn(slot)).toEqual(['changed']);
  });
});

describe('the bytes of cells', () => {
  const PAYLOAD = 'x'.repeat(1_000);

  test('are those of key and encoded value, read or written', async () => {
    const overlay = new Overlay();
    const slot = overlay.open(VALUE);
    await overlay.load(slot, 'k');
    const empty = overlay.store.bytes;
    const state = await overlay.handle(slot, VALUE, 'k');
    state.update(PAYLOAD);
    await overlay.commit();
    expect(overlay.store.bytes).toBe(empty + PAYLOAD.length + 2); // As JSON.
    const again = new Overlay(overlay);
    await again.load(again.open(VALUE), 'k');
    expect(again.store.bytes).toBe(overlay.store.bytes);
    state.update('');
    await overlay.commit();
    expect(overlay.store.bytes).toBe(empty + 2);
    state.clear();
    await overlay.commit();
    expect(overlay.store.bytes).toBe(0);
    await overlay.load(slot, 'k'.repeat(11));
    expect(overlay.store.bytes).toBe(empty + 10);
  });

  test('of collections follow their elements, replaced ones too', async () => {
    const overlay = new Overlay();
    const [maps, lists] = [overlay.open(MAP), overlay.open(LIST)];
    const map = await overlay.handle(maps, MAP);
    const list = await overlay.handle(lists, LIST);
    const read = async () => {
      const other = new Overlay(overlay);
      await other.load(other.open(MAP), 'k');
      await other.load(other.open(LIST), 'k');
      return other.store.bytes;
    };
    for (let round = 0; round < 20; round++) {
      for (let i = 0; i < 10; i++) map.put(`element ${i}`, PAYLOAD);
      list.add(PAYLOAD);
      await overlay.commit();
      expect(Math.abs(overlay.store.bytes / (await read()) - 1)).toBeLessThan(0.01);
    }
    for (let i = 0; i < 9; i++) {
      map.remove(`element ${i}`);
      await overlay.commit();
    }
    list.update([PAYLOAD]);
    await overlay.commit();
    expect(Math.abs(overlay.store.bytes / (await read()) - 1)).toBeLessThan(0.01);
  });

  test('are none when there are no cells, whatever happened to them', async () => {
    const steps = fc.array(
      fc.record({
        op: fc.constantFrom('read', 'put', 'clear', 'commit', 'rollback', 'evict'),
        key: fc.constantFrom('a', 'b', 'c', 'd'),
        n: fc.nat(2_000),
      }),
    );
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const overlay = new Overlay();
        const slot = overlay.open(VALUE);
        for (const { op, key, n } of all) {
          if (op === 'read') await overlay.load(slot, key);
          else if (op === 'put') (await overlay.handle(slot, VALUE, key)).update('x'.repeat(n));
          else if (op === 'clear') (await overlay.handle(slot, VALUE, key)).clear();
          else if (op === 'commit') await overlay.commit();
          else if (op === 'rollback') overlay.store.rollback();
          else if (op === 'evict') overlay.store.evict(n);
          const sizes = [...slot.cells()].map(({ size }) => size);
          expect(overlay.store.bytes).toBe(sizes.reduce((sum, size) => sum + size, 0));
        }
        await overlay.commit();
        overlay.store.evict(0);
        expect([overlay.store.bytes, [...slot.cells()]]).toEqual([0, []]);
      }),
      { numRuns: 300, seed: 1 },
    );
  });
});
