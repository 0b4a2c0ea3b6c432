import { useRedis } from '@rs/redis-server/jest';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { checkSums, expectedSums } from '../load/expected.ts';
import type { Work } from '../load/work.ts';
import { Tasks } from '../worker/tasks.ts';
import { CountingRedis } from './counting-redis.ts';
import { WAYS, type WayName } from './ways.ts';

const redis = useRedis({ own: true });
const RECORDS = 1_500;

const WORKS: readonly Work[] = [
  { kind: 'sum', customers: 20 },
  { kind: 'tumbling', customers: 20, size: 400 },
  { kind: 'sliding', customers: 20, size: 400, slide: 40 },
  { kind: 'sessions', customers: 20, gap: 25 },
];

beforeEach(async () => void (await redis().cli('FLUSHALL')));

describe.each(Object.keys(WAYS) as WayName[])('%s', (name) => {
  test.each(WORKS)('%j: all sums are right, pass by pass', async (work) => {
    const { host, port } = redis();
    const place = { host, port, partitions: 3, prefix: 'bench', work };
    const tasks = new Tasks(WAYS[name]);
    await tasks.fill({ ...place, records: RECORDS });
    const filled = await redis().cli('DBSIZE');
    for (const run of [1, 2]) {
      const worked = await tasks.work({ ...place, run });
      expect(worked.elapsedMs).toBeGreaterThan(0);
      expect(worked.calls).toBeGreaterThan(3);
      checkSums(await tasks.sums({ ...place, run }), expectedSums(work, RECORDS));
      await tasks.clear({ ...place, run });
      expect(await redis().cli('DBSIZE')).toBe(filled);
    }
  });
});

test('calls are counted over all connections', async () => {
  const first = CountingRedis.connectTo(redis());
  const second = first.duplicate();
  await first.set('a', 1);
  await second.pipeline().get('a').get('b').exec();
  const { calls } = first;
  expect(second.calls).toBe(calls);
  await first.get('a');
  expect(second.calls).toBe(calls + 1);
  await Promise.all([first.quit(), second.quit()]);
});
