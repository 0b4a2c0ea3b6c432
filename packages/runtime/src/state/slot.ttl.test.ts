import { describe, expect, test } from '@jest/globals';
import { listState, mapState, valueState } from '@rs/core';
import fc from 'fast-check';
import { Overlay } from '../test-support/overlay.ts';
import { ResidentState } from '../test-support/resident.ts';

const VALUE = valueState('count', { default: () => 0, ttl: 10 });
const MAP = mapState<string, number>('map', { ttl: 10 });
const LIST = listState<number>('list', { ttl: 10 });

describe('TTL of resident state', () => {
  test('counts from the last write, and an entry is gone exactly when it is over', () => {
    const state = new ResidentState(VALUE);
    state.handle.update(1);
    state.clock.time = 9;
    expect(state.handle.value()).toBe(1);
    state.handle.update(2);
    state.clock.time = 18;
    expect(state.handle.value()).toBe(2); // Reading does not extend it.
    state.clock.time = 19;
    expect(state.handle.value()).toBe(0);
    expect(state.cells).toBe(0);
  });

  test('is that of one key', () => {
    const state = new ResidentState(VALUE);
    state.for('a', (count) => count.update(1));
    state.clock.time = 5;
    state.for('b', (count) => count.update(2));
    state.clock.time = 10;
    expect(state.for('a', (count) => count.value())).toBe(0);
    expect(state.for('b', (count) => count.value())).toBe(2);
  });

  test('of a collection is extended by each of its writes, and it goes as a whole', () => {
    const state = new ResidentState(MAP);
    state.handle.put('a', 1);
    state.clock.time = 6;
    state.handle.put('b', 2);
    state.clock.time = 12;
    state.handle.remove('b');
    state.clock.time = 21;
    expect(state.handle.get('a')).toBe(1);
    state.clock.time = 22;
    expect([...state.handle.entries()]).toEqual([]);
    state.handle.put('c', 3);
    expect([...state.handle.keys()]).toEqual(['c']);
  });

  test('entries of keys that never come again are removed as others are written', () => {
    const state = new ResidentState(VALUE);
    let most = 0;
    for (let i = 0; i < 10_000; i++) {
      state.clock.time = i;
      state.for(`key ${i}`, (count) => count.update(i));
      most = Math.max(most, state.cells);
    }
    expect(most).toBe(10); // One key per millisecond lives for 10 ms.
  });

  test('after a burst the rest goes a few at a time', () => {
    const state = new ResidentState(VALUE);
    for (let i = 0; i < 1000; i++) state.for(i, (count) => count.update(1));
    state.clock.time = 10;
    for (let i = 0; i < 334; i++) state.for('again', (count) => count.update(1));
    expect(state.cells).toBe(1);
  });

  test('a long TTL of one state does not keep the entries of another', () => {
    const brief = new ResidentState(VALUE);
    const long = valueState<number>('long', { ttl: '1d' });
    const slot = brief.store.slot({
      operator: 'op',
      state: 'long',
      format: brief.slot.format,
      expiry: { ttl: long.ttl ?? 0, now: () => brief.clock.now() },
    });
    const cell = slot.obtain('k', '');
    slot.touch(cell);
    cell.value = 1;
    for (let i = 0; i < 100; i++) {
      brief.clock.time = i;
      brief.for(i, (count) => count.update(1));
    }
    expect(brief.cells).toBe(10);
    expect(slot.present('k', '')).toBe(cell);
  });

  test('cleared entries leave nothing behind an older one that lives on', () => {
    const state = new ResidentState(VALUE);
    state.for('old', (count) => count.update(1));
    for (let i = 0; i < 100; i++) {
      state.for('k', (count) => {
        count.update(1);
        count.clear();
      });
    }
    state.clock.time = 9;
    state.for('old', (count) => count.update(2));
    state.clock.time = 18;
    expect(state.for('old', (count) => count.value())).toBe(2);
    expect(state.cells).toBe(1);
  });

  test('a clock that is set back removes nothing too early', () => {
    const state = new ResidentState(VALUE);
    state.clock.time = 100;
    state.for('a', (count) => count.update(1));
    state.clock.time = 50;
    state.for('b', (count) => count.update(2));
    state.clock.time = 59;
    expect(state.for('b', (count) => count.value())).toBe(2);
    expect(state.for('a', (count) => count.value())).toBe(1);
  });
});

describe('TTL over a backend', () => {
  test('is stored, filtered after a crash, and its removal is committed', async () => {
    const overlay = new Overlay();
    overlay.clock.time = 100;
    (await overlay.handle(overlay.open(VALUE), VALUE)).update(1);
    (await overlay.handle(overlay.open(LIST), LIST)).add(7);
    expect(await overlay.commit()).toMatchObject([{ stored: { expiresAt: 110 } }, { expiresAt: 110 }]);

    overlay.clock.time = 109;
    const before = new Overlay(overlay);
    expect((await before.handle(before.open(VALUE), VALUE)).value()).toBe(1);
    expect((await before.handle(before.open(LIST), LIST)).get()).toEqual([7]);
    expect(before.store.changes()).toEqual([]);

    overlay.clock.time = 110;
    const after = new Overlay(overlay);
    const list = await after.handle(after.open(LIST), LIST);
    expect((await after.handle(after.open(VALUE), VALUE)).value()).toBe(0);
    expect(list.get()).toEqual([]);
    list.add(8);
    expect(await after.commit()).toMatchObject([
      { op: 'delete' },
      { op: 'elements', clear: true, put: [{ id: '0', data: '8' }], expiresAt: 120 },
    ]);
    expect(after.backend.cells()).toHaveLength(1);
  });

  test('equals a model in which each write lives for 10 ms', async () => {
    const steps = fc.array(
      fc.record({
        op: fc.constantFrom('put', 'put', 'remove', 'clear', 'read', 'commit', 'rollback', 'crash'),
        name: fc.constantFrom('a', 'b', 'c'),
        wait: fc.integer({ min: 0, max: 6 }),
      }),
      { maxLength: 40 },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        let overlay = new Overlay();
        let slot = overlay.open(MAP);
        let model = { entries: [] as [string, number][], expiresAt: 0 };
        let committed = structuredClone(model);
        for (const { op, name, wait } of all) {
          const now = (overlay.clock.time += wait);
          const map = await overlay.handle(slot, MAP);
          if (model.expiresAt <= now) model.entries = [];
          const at = model.entries.findIndex(([key]) => key === name);
          if (op === 'put') {
            map.put(name, now);
            if (at >= 0) model.entries[at] = [name, now];
            else model.entries.push([name, now]);
            model.expiresAt = now + 10;
          } else if (op === 'remove') {
            map.remove(name);
            if (at >= 0)
              model = { entries: model.entries.filter(([key]) => key !== name), expiresAt: now + 10 };
          } else if (op === 'clear') {
            map.clear();
            model.entries = [];
          } else if (op === 'commit') {
            await overlay.commit();
            committed = structuredClone(model);
          } else if (op === 'rollback' || op === 'crash') {
            if (op === 'rollback') overlay.store.rollback();
            else overlay = new Overlay(overlay);
            if (op === 'crash') slot = overlay.open(MAP);
            model = structuredClone(committed);
          }
          const expected = model.expiresAt <= now ? [] : model.entries;
          expect([...(await overlay.handle(slot, MAP)).entries()]).toEqual(expected);
        }
      }),
      { numRuns: 300, seed: 1 },
    );
  });
});
