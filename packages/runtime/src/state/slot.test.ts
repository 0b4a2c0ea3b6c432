import { describe, expect, test } from '@jest/globals';
import { valueState } from '@rs/core';
import fc from 'fast-check';
import { Overlay } from '../test-support/overlay.ts';
import { openSlot } from './access.ts';
import type { Namespace } from './cell.ts';
import { StateStore } from './store.ts';

const STATE = valueState<number>('state');

function residentSlot() {
  return openSlot(new StateStore({ resident: true }), STATE, {
    operator: 'op',
    state: 'state',
    now: () => 0,
  });
}

describe('a slot of resident state', () => {
  test('a missing cell is an empty one', () => {
    const slot = residentSlot();
    expect([slot.find('k', ''), slot.present('k', '')]).toEqual([undefined, undefined]);
    const cell = slot.obtain('k', '');
    expect(slot.present('k', '')).toBeUndefined(); // There is a cell now, but no value.
    cell.value = 1;
    expect(slot.present('k', '')).toBe(cell);
    expect(slot.obtain('k', '')).toBe(cell);
    slot.remove(cell);
    expect(cell.value).toBeUndefined();
    expect([...slot.cells()]).toEqual([]);
  });

  test('does not note when a cell was wanted, since none leaves the memory', () => {
    const store = new StateStore({ resident: true });
    const slot = openSlot(store, STATE, { operator: 'op', state: 'state', now: () => 0 });
    expect(slot.want('k', '')).toBe(false);
    const cell = slot.obtain('k', '');
    expect(slot.want('k', '')).toBe(true);
    store.evict(0);
    expect(slot.find('k', '')).toBe(cell);
  });

  test('keeps cells of many keys and namespaces apart', () => {
    const keys: unknown[] = ['a', 1, '1', ['a'], { b: 1 }];
    const namespaces: Namespace[] = ['', 0, 10, '0|10'];
    const steps = fc.array(
      fc.record({
        key: fc.nat(keys.length - 1),
        namespace: fc.nat(namespaces.length - 1),
        value: fc.option(fc.nat(9)),
      }),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(steps, (all) => {
        const slot = residentSlot();
        const model = new Map<string, number>();
        for (const step of all) {
          const [key, namespace] = [keys[step.key], namespaces[step.namespace] ?? ''];
          const id = `${step.key} ${step.namespace}`;
          expect(slot.present(key, namespace)?.value).toBe(model.get(id));
          if (step.value === null) {
            const cell = slot.present(key, namespace);
            if (cell !== undefined) slot.remove(cell);
            model.delete(id);
          } else {
            slot.obtain(key, namespace).value = step.value;
            model.set(id, step.value);
          }
          expect([...slot.cells()].map((cell) => Number(cell.value)).sort()).toEqual(
            [...model.values()].sort(),
          );
        }
      }),
      { numRuns: 500, seed: 1 },
    );
  });
});

describe('a slot over a backend', () => {
  test('a cell that was not read is an error that names the state', () => {
    const overlay = new Overlay();
    const slot = overlay.open(STATE);
    const expected = {
      code: 'RS_STATE_NOT_LOADED',
      details: { operator: 'op', state: 'state', key: 'k', namespace: '' },
    };
    expect(() => slot.present('k', '')).toThrow(expect.objectContaining(expected));
    expect(() => slot.obtain('k', '')).toThrow(expect.objectContaining(expected));
    expect(slot.find('k', '')).toBeUndefined();
  });

  test('a removed cell stays in memory as an empty one until the commit', async () => {
    const overlay = new Overlay();
    const slot = overlay.open(STATE);
    (await overlay.handle(slot, STATE)).update(1);
    await overlay.commit();
    const cell = slot.obtain('k', '');
    slot.remove(cell);
    expect(slot.present('k', '')).toBeUndefined();
    expect(slot.obtain('k', '')).toBe(cell);
    expect(overlay.store.changes()).toEqual([{ address: expect.anything(), op: 'delete' }]);
    overlay.store.collected();
    overlay.store.applied();
    expect(slot.find('k', '')).toBeUndefined();
  });
});
