import { join } from 'node:path';
import { buildWorker, Worker } from '@rs/bench-harness';
import { useRedis } from '@rs/redis-server/jest';
import { afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Tasks } from './tasks.ts';

const redis = useRedis({ own: true });
let program: string;
let worker: Worker<Tasks>;

beforeAll(async () => {
  program = await buildWorker(join(__dirname, '../..'));
});

afterEach(() => worker.stop());

test('a child process does what it is told, and says what went wrong', async () => {
  worker = new Worker<Tasks>(program, 'rs');
  const { host, port } = redis();
  const place = { host, port, partitions: 2 };
  await worker.call('prepare', place);
  const sending = { until: { orders: 300 }, inFlight: 2 };
  const { sent, cpuMs } = await worker.call('send', { place, batch: 100, sending });
  expect(sent.orders).toBe(300);
  expect(cpuMs).toBeGreaterThan(0);
  expect(await worker.call('stored', place)).toBe(300);
  await expect(worker.call('receive', 1)).rejects.toThrow(/the worker for 'rs' failed: .*no receiver/);
});

test('calls of a process that has ended are rejected', async () => {
  worker = new Worker<Tasks>(program, 'script');
  const call = worker.call('receive', 1).catch((error: unknown) => error);
  await worker.stop();
  const ended = "the worker for 'script' ended with SIGTERM";
  expect(await call).toEqual(new Error(ended));
  await expect(worker.call('receive', 1)).rejects.toThrow(ended);
});
