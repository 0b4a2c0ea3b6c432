import { describe, expect, test } from '@jest/globals';
import type { CellChange, KeyAddress } from '../state/stored.ts';
import { CommitLogBackend } from './commit-log-backend.ts';

const address = (key: string, state = 'map'): KeyAddress => ({
  operator: 'op',
  state,
  layout: 'value',
  key,
  onDemand: true,
});
const put = (key: string, namespace: string, state?: string): CellChange => ({
  address: { ...address(key, state), namespace },
  op: 'put',
  stored: { layout: 'value', data: namespace, version: 1 },
});

async function backendWith(...batches: readonly (readonly CellChange[])[]): Promise<CommitLogBackend> {
  const backend = new CommitLogBackend();
  for (const [index, cells] of batches.entries()) {
    const empty = { offset: 0, timers: [], outputs: [], sent: [], operators: {}, late: {} };
    await backend.commit({ ...empty, seq: index + 1, cells });
  }
  return backend;
}

/** The namespaces of each page. */
async function pages(backend: CommitLogBackend, at: KeyAddress, limit: number): Promise<string[][]> {
  const all: string[][] = [];
  let after: string | undefined;
  do {
    const { cells, next } = await backend.scan(at, after, limit);
    expect(cells.map(([namespace, { layout }]) => [namespace, layout])).toEqual(
      cells.map(([namespace]) => [namespace, 'value']),
    );
    all.push(cells.map(([namespace]) => namespace));
    after = next;
  } while (after !== undefined);
  return all;
}

describe('scan', () => {
  test('gives the cells of one key, page by page, in the order of the bytes of their namespaces', async () => {
    const names = ['s:b', 'n:10', 's:\u{10000}', 's:\uffff', 'n:9', 's:a', ''];
    const others = [
      put('s:k', 's:z', 'other'),
      put('s:kk', 's:z'),
      put('s:k\u001fs:a', 's:z'),
      put('s:', 's:z'),
    ];
    const backend = await backendWith([...names.map((name) => put('s:k', name)), ...others]);
    const sorted = ['', 'n:10', 'n:9', 's:a', 's:b', 's:\uffff', 's:\u{10000}'];
    for (const limit of [1, 2, 100]) {
      const given = await pages(backend, address('s:k'), limit);
      expect(given.flat()).toEqual(sorted);
      expect(Math.max(...given.map((page) => page.length))).toBe(Math.min(limit, 3));
    }
    const { cells } = await backend.scan(address('s:k'), 's:az', 100);
    expect(cells.map(([namespace]) => namespace)).toEqual(['s:b', 's:\uffff', 's:\u{10000}']);
    expect(await backend.scan(address('s:none'), undefined, 100)).toEqual({ cells: [], next: undefined });
  });

  test('of an owner that has lost its task still reads', async () => {
    const backend = await backendWith([put('s:k', 's:a')]);
    const stale = backend.acquire();
    backend.acquire();
    expect((await stale.scan(address('s:k'), undefined, 1)).cells).toHaveLength(1);
  });
});

describe('clear', () => {
  test('deletes all cells of a key and no others, and what is put afterwards stays', async () => {
    const backend = await backendWith(
      [
        put('s:k', 's:a'),
        put('s:k', 's:b'),
        put('s:kk', 's:a'),
        put('s:k', 's:a', 'other'),
        put('s:k\u001fs:a', 's:x'),
      ],
      [{ address: address('s:k'), op: 'clear' }, put('s:k', 's:c')],
    );
    expect(await pages(backend, address('s:k'), 9)).toEqual([['s:c']]);
    for (const other of [address('s:kk'), address('s:k', 'other'), address('s:k\u001fs:a')])
      expect((await pages(backend, other, 9)).flat()).toHaveLength(1);
  });
});
