import { join } from 'node:path';
import { buildWorker, Worker } from '@rs/bench-harness';
import { eventually } from '@rs/redis-server';
import { useRedis } from '@rs/redis-server/jest';
import { afterEach, beforeAll, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { checkSums, expectedSums } from '../load/expected.ts';
import { countedIn, readCounts } from '../ways/rs/counting-job.ts';
import type { Member } from './member.ts';
import type { Tasks } from './tasks.ts';

const redis = useRedis({ own: true });
let program: string;
const workers: Worker<object>[] = [];

beforeAll(async () => {
  program = await buildWorker(join(__dirname, '../..'));
});

afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.stop('SIGKILL')));
  await redis().cli('FLUSHALL');
});

function started<T extends object>(role: string): Worker<T> {
  const worker = new Worker<T>(program, role);
  workers.push(worker);
  return worker;
}

test('the built program does a pass', async () => {
  const worker = started<Tasks>('rs');
  const { host, port } = redis();
  const work = { kind: 'sum', customers: 10 } as const;
  const job = { host, port, partitions: 2, prefix: 'rs', work, run: 0 };
  await worker.call('fill', { ...job, records: 200 });
  const worked = await worker.call('work', job);
  expect(worked.cpuMs).toBeGreaterThan(0);
  expect(worked.rssMb).toBeGreaterThan(1);
  checkSums(await worker.call('sums', job), expectedSums(work, 200));
});

test('members share a job, and one that is killed is replaced', async () => {
  const { host, port } = redis();
  const place = { host, port, partitions: 2, prefix: 'rs' };
  const [sender, first, second] = [
    started<Member>('member'),
    started<Member>('member'),
    started<Member>('member'),
  ];
  await sender.call('prepare', place);
  for (const member of [first, second]) await member.call('join', { place, leaseMs: 1_000 });
  await eventually('a half for each', async () =>
    (await first.call('owned', undefined)) === 1 && (await second.call('owned', undefined)) === 1
      ? true
      : undefined,
  );
  await first.stop('SIGKILL');
  await sender.call('send', { place, first: 0, count: 100, customers: 1 });
  const connection = new Redis(redis().url);
  await eventually('all payments', async () =>
    (await countedIn(connection, place)) === 100 ? true : undefined,
  );
  expect(new Set((await readCounts(connection, place)).values()).size).toBe(100);
  await connection.quit();
});
