import { expect, test } from '@jest/globals';
import { useRedis } from '@rs/redis-server/jest';
import { address, newCommit } from '../test-support/new-commit.ts';
import { useStore } from '../test-support/use-store.ts';

const bench = useStore(useRedis());

test('a page of large elements ends before it is too large, and the pages together are complete', async () => {
  const task = await bench.acquire(bench.place());
  const names = Array.from({ length: 300 }, (_, n) => `s:${String(n).padStart(3, '0')}`);
  const at = address({ state: 'large', onDemand: true });
  const data = 'x'.repeat(20_000);
  await task.store.commit(
    task.store.prepare(
      newCommit(1, {
        cells: names.map((namespace) => ({
          address: { ...at, namespace },
          op: 'put',
          stored: { layout: 'value', data, version: 1 },
        })),
      }),
    ),
  );
  const sizes: number[] = [];
  const found: string[] = [];
  for (let after: string | undefined, more = true; more;) {
    const { cells, next } = await task.store.scan(at, after, 1_000);
    sizes.push(cells.length);
    found.push(...cells.map(([namespace]) => namespace));
    after = next;
    more = next !== undefined;
  }
  expect(found).toEqual(names);
  // A mebibyte, read in steps of 64.
  expect(sizes).toEqual([64, 64, 64, 64, 44]);
});
