import { describe, expect, test } from '@jest/globals';
import { largeMapState, type StateDescriptor, type StateOf, valueState } from '@rs/core';
import { accessTo, Overlay } from '../test-support/overlay.ts';
import { stateHandle } from './handles.ts';

const VALUE = valueState<number>('value');
const MAP = largeMapState<string, number>('map');

/** A store whose backend holds nothing yet; nothing is ever read by it. */
class Begun extends Overlay {
  readonly values = this.open(VALUE);

  constructor() {
    super();
    this.store.begin();
    this.backend.read = () => Promise.reject(new Error('read'));
    this.backend.scan = () => Promise.reject(new Error('scanned'));
  }

  of<D extends StateDescriptor>(descriptor: D, key: string, slot = this.values): StateOf<D> {
    return stateHandle(
      descriptor,
      accessTo(slot, () => key),
    );
  }
}

describe('a store that begins with nothing', () => {
  test('needs no reads: what is not in memory is not stored', async () => {
    const store = new Begun();
    expect(store.of(VALUE, 'a').value()).toBeUndefined();
    store.of(VALUE, 'a').update(1);
    await store.commit();
    expect(store.of(VALUE, 'a').value()).toBe(1);
    expect(store.of(VALUE, 'b').value()).toBeUndefined();
    expect(store.store.complete).toBe(true);
  });

  test('nor does it for elements of large maps', async () => {
    const store = new Begun();
    const map = store.of(MAP, 'a', store.open(MAP));
    expect([await map.get('x'), await map.isEmpty()]).toEqual([undefined, true]);
    map.put('x', 1);
    map.remove('y');
    expect(await store.commit()).toHaveLength(1);
    const entries: unknown[] = [];
    for await (const entry of map.entries()) entries.push(entry);
    expect([entries, await map.get('y')]).toEqual([[['x', 1]], undefined]);
  });

  test('does not know any more once it has forgotten what is stored', async () => {
    const store = new Begun();
    store.of(VALUE, 'a').update(1);
    await store.commit();
    store.store.evict(0);
    expect(store.store.complete).toBe(false);
    for (const key of ['a', 'b'])
      expect(() => store.of(VALUE, key).value()).toThrow(
        expect.objectContaining({ code: 'RS_STATE_NOT_LOADED' }),
      );
  });

  test('nor after a failure that undoes a change of what is stored', async () => {
    const store = new Begun();
    store.of(VALUE, 'a').update(1);
    await store.commit();
    store.of(VALUE, 'b').update(1);
    store.store.rollback();
    expect(store.store.complete).toBe(true);
    expect([store.of(VALUE, 'a').value(), store.of(VALUE, 'b').value()]).toEqual([1, undefined]);
    store.of(VALUE, 'a').update(2);
    store.store.rollback();
    expect(store.store.complete).toBe(false);
  });

  test('what is removed is forgotten, and known to be gone', async () => {
    const store = new Begun();
    store.of(VALUE, 'a').update(1);
    await store.commit();
    store.of(VALUE, 'a').clear();
    await store.commit();
    expect(store.values.find('a', '')).toBeUndefined();
    expect([store.store.complete, store.of(VALUE, 'a').value()]).toEqual([true, undefined]);
  });

  test('keeps what was used last, although nobody has wanted it', async () => {
    const store = new Begun();
    for (const key of ['a', 'b', 'c']) store.of(VALUE, key).update(1);
    await store.commit();
    store.store.evict(Infinity);
    store.of(VALUE, 'a').value();
    store.store.evict(store.store.bytes - 1);
    expect(['a', 'b', 'c'].filter((key) => store.values.find(key, '') !== undefined)).toEqual(['a', 'c']);
  });
});
