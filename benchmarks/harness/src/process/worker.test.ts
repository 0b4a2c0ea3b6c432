import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { Worker } from './worker.ts';

/** As `serveTasks` would do it, without anything that had to be built first. */
const PROGRAM = `
process.on('message', ({ number, task, input }) => {
  if (task === 'hang') return;
  process.send(task === 'fail' ? { number, failure: 'Error: ' + input } : { number, output: [process.argv[2], input] });
});
process.on('disconnect', () => process.exit());
`;

interface Tasks {
  echo(input: unknown): Promise<unknown>;
  fail(input: string): Promise<void>;
  hang(input: undefined): Promise<void>;
  readonly noTask: number;
}

let folder: string;
let worker: Worker<Tasks>;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'worker-'));
  writeFileSync(join(folder, 'program.cjs'), PROGRAM);
});

afterEach(() => worker.stop('SIGKILL'));
afterAll(() => rmSync(folder, { recursive: true }));

function start(way: string): void {
  worker = new Worker<Tasks>(join(folder, 'program.cjs'), way);
}

test('tasks are called by name; what they throw is thrown here', async () => {
  start('fast');
  const sums = new Map([['a', 1]]);
  const [one, other, failed] = await Promise.all([
    worker.call('echo', sums),
    worker.call('echo', 2),
    worker.call('fail', 'it broke').catch((error: unknown) => error),
  ]);
  expect(one).toEqual(['fast', sums]);
  expect(other).toEqual(['fast', 2]);
  expect(failed).toEqual(new Error("the worker for 'fast' failed: Error: it broke"));
});

test.each(['SIGTERM', 'SIGKILL'] as const)(
  'calls of a process that has ended are rejected: %s',
  async (signal) => {
    start('slow');
    const call = worker.call('hang', undefined).catch((error: unknown) => error);
    await worker.call('echo', 'up');
    await worker.stop(signal);
    const ended = new Error(`the worker for 'slow' ended with ${signal}`);
    expect(await call).toEqual(ended);
    await expect(worker.call('echo', 1)).rejects.toThrow(ended);
    await worker.stop(signal);
  },
);
