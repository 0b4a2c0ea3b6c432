import { describe, expect, test } from '@jest/globals';
import { isRsError, largeMapState, RsError } from '@rs/core';
import { collected } from '../test-support/collected.ts';
import { errorOf } from '../test-support/error-of.ts';
import { accessTo } from '../test-support/overlay.ts';
import { ResidentState } from '../test-support/resident.ts';
import { LARGE_MAP, letters, StoredMap } from '../test-support/stored-map.ts';
import { turn } from '../test-support/turn.ts';
import { stateHandle } from './handles.ts';

describe('when its record is settled', () => {
  test.each(['in memory', 'being read'])('a read is rejected, with the element %s', async (where) => {
    const stored = await new StoredMap().with(letters('a'));
    if (where === 'in memory') await stored.handle.get('a');
    const { cells } = stored;
    const map = stored.handle;
    const reading = [map.get('a'), map.contains('a'), map.isEmpty()];
    stored.settle();
    const outcomes = await Promise.allSettled(reading);
    expect(
      outcomes.map((one) => one.status === 'rejected' && isRsError(one.reason, 'RS_CONTEXT_CLOSED')),
    ).toEqual([true, true, true]);
    expect(stored.cells).toBe(cells);
  });

  test('resident maps are no different', async () => {
    const settled = { yet: false };
    const { slot } = new ResidentState(LARGE_MAP);
    const key = () => {
      if (settled.yet) throw new RsError('RS_CONTEXT_CLOSED', 'the record was settled');
      return 'k';
    };
    const reading = stateHandle(LARGE_MAP, accessTo(slot, key)).get('a');
    settled.yet = true;
    await expect(reading).rejects.toMatchObject({ code: 'RS_CONTEXT_CLOSED' });
  });

  test('a read that nobody awaits harms nobody', async () => {
    const unhandled: unknown[] = [];
    const listen = (reason: unknown) => void unhandled.push(reason);
    process.on('unhandledRejection', listen);
    try {
      const stored = await new StoredMap().with(letters('a'));
      void stored.handle.get('a');
      void stored.handle.isEmpty();
      stored.settle();
      await turn();
      await turn();
    } finally {
      process.off('unhandledRejection', listen);
    }
    expect(unhandled).toEqual([]);
  });

  test('a loop does not go on, and touches nothing', async () => {
    const BRIEF = largeMapState<unknown, unknown>('map', { ttl: 10 });
    const stored = await new StoredMap(BRIEF).with(letters('abcdefgh'));
    await stored.handle.get('b');
    const map = stored.handle;
    const loop = map.keys()[Symbol.asyncIterator]();
    const late = map.keys();
    expect((await loop.next()).value).toBe('a');
    stored.settle();
    stored.overlay.clock.time = 10; // The rest has expired; a loop would remove it.
    await expect(loop.next()).rejects.toMatchObject({ code: 'RS_CONTEXT_CLOSED' });
    await expect(collected(late)).rejects.toMatchObject({ code: 'RS_CONTEXT_CLOSED' });
    expect(errorOf(() => map.entries()).code).toBe('RS_CONTEXT_CLOSED');
    expect([stored.reads, stored.cells, stored.overlay.store.changes()]).toEqual([
      ['s:b', 'after nothing'],
      1,
      [],
    ]);
  });

  test('changes are refused at once', async () => {
    const stored = await new StoredMap().with(letters('a'));
    const map = stored.handle;
    stored.settle();
    for (const change of [() => map.put('a', 1), () => map.remove('a'), () => map.clear()])
      expect(errorOf(change).code).toBe('RS_CONTEXT_CLOSED');
    expect(stored.overlay.store.changes()).toEqual([]);
  });
});

describe('an error of the backend', () => {
  const broken = new Error('connection lost');

  async function failing() {
    const stored = await new StoredMap().with(letters('abcdefgh'));
    const { backend } = stored.overlay;
    const scan = backend.scan.bind(backend);
    backend.read = () => Promise.reject(broken);
    backend.scan = (address, after, limit) =>
      after === undefined ? scan(address, after, limit) : Promise.reject(broken);
    return stored;
  }

  test('is told to the engine before anybody can catch it, and leaves nothing in memory', async () => {
    const stored = await failing();
    await expect(stored.handle.get('a')).rejects.toBe(broken);
    const seen: unknown[] = [];
    const loop = async () => {
      for await (const key of stored.handle.keys()) seen.push(key);
    };
    await expect(loop()).rejects.toBe(broken);
    expect([seen, stored.overlay.failures, stored.cells]).toEqual([['a', 'b', 'c'], [broken, broken], 0]);
  });

  test('that comes too late for its record is none of it', async () => {
    const stored = await failing();
    const reading = stored.handle.get('a');
    stored.settle();
    await expect(reading).rejects.toMatchObject({ code: 'RS_CONTEXT_CLOSED' });
    expect(stored.overlay.failures).toEqual([]);
  });
});
