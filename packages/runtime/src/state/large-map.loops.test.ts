import { describe, expect, test } from '@jest/globals';
import { collected } from '../test-support/collected.ts';
import { ResidentState } from '../test-support/resident.ts';
import { LARGE_MAP, letters, StoredMap } from '../test-support/stored-map.ts';

describe('loops', () => {
  test('read page by page, only as far as they go, and keep nothing in memory', async () => {
    const stored = await new StoredMap().with(letters('abcdefgh'));
    const seen: unknown[] = [];
    for await (const key of stored.handle.keys()) {
      seen.push(key);
      if (key === 'e') break;
    }
    expect([seen.join(''), stored.reads, stored.cells]).toEqual(['abcde', ['after nothing', 'after s:c'], 0]);
    stored.reads.length = 0;
    expect(await collected(stored.handle.values())).toEqual([...'ABCDEFGH']);
    expect(stored.reads).toEqual(['after nothing', 'after s:c', 'after s:f']);
  });

  test('give what is in memory and what is stored in one order', async () => {
    const stored = await new StoredMap().with(letters('bdfhk'));
    const map = stored.handle;
    map.put('a', 'new');
    map.put('e', 'new');
    map.put('f', 'changed');
    map.remove('h');
    map.put('z', 'new');
    await map.get('d');
    expect(await collected(map.entries())).toEqual([
      ['a', 'new'], ['b', 'B'], ['d', 'D'], ['e', 'new'], ['f', 'changed'], ['k', 'K'], ['z', 'new'],
    ]); // prettier-ignore
  });

  test.each(['in memory', 'from a backend'])('may change the map, %s', async (where) => {
    const resident = new ResidentState(LARGE_MAP);
    letters('abcdefg')(resident.handle);
    const map =
      where === 'in memory' ? resident.handle : (await new StoredMap().with(letters('abcdefg'))).handle;
    const seen: unknown[] = [];
    for await (const [key, value] of map.entries()) {
      seen.push(`${String(key)}${String(value)}`);
      map.put(`${String(key)}+`, 'added'); // Not part of the loop.
      map.put('a', 'too late');
      if (key === 'b') map.remove('c');
      if (key === 'd') map.put('e', 'changed');
      if (key === 'e') map.remove('f');
      if (key === 'e') map.put('f', 'again');
    }
    expect(seen).toEqual(['aA', 'bB', 'dD', 'echanged', 'fagain', 'gG']);
    seen.length = 0;
    for await (const key of map.keys()) {
      seen.push(key);
      if (key === 'a+') map.clear();
    }
    expect([seen, await map.isEmpty()]).toEqual([['a', 'a+'], true]);
  });

  test('can be run again by the iterable that entries() returned', async () => {
    const stored = await new StoredMap().with(letters('ab'));
    const keys = stored.handle.keys();
    expect(await collected(keys)).toEqual(['a', 'b']);
    stored.handle.put('c', 1);
    expect(await collected(keys)).toEqual(['a', 'b', 'c']);
  });

  test('isEmpty goes on where the first elements are gone', async () => {
    const stored = await new StoredMap().with(letters('abcd'));
    [...'abc'].forEach((key) => stored.handle.remove(key));
    expect(await stored.handle.isEmpty()).toBe(false);
    stored.handle.remove('d');
    expect(await stored.handle.isEmpty()).toBe(true);
  });
});
