import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { eventually } from './eventually.ts';

const PROGRAM = join(__dirname, 'test-support/abandoning-program.ts');

interface Abandoned {
  readonly port: number;
  readonly pid: number;
  readonly directory: string;
}

function abandon(how: string): Promise<{ servers: Abandoned[]; signal: string | null; code: number | null }> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      process.execPath,
      ['--conditions=@rs/source', '--import', 'tsx', PROGRAM, how],
      (_error, stdout, stderr) => {
        try {
          const servers = JSON.parse(stdout) as Abandoned[];
          resolve({ servers, signal: child.signalCode, code: child.exitCode });
        } catch (error) {
          reject(new Error(stderr, { cause: error }));
        }
      },
    );
  });
}

function runs(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test.each([
  ['SIGKILL', { signal: 'SIGKILL', code: null }],
  ['exit', { signal: null, code: 3 }],
  ['throw', { signal: null, code: 1 }],
  ['by coming to its end', { signal: null, code: 0 }],
])('a process that ends without stopping its servers (%s) leaves none behind', async (how, end) => {
  const { servers, signal, code } = await abandon(how);
  expect({ signal, code }).toEqual(end);
  expect(servers).toHaveLength(3);
  for (const { pid, directory } of servers) {
    await eventually(`server ${pid} to end`, async () => !runs(pid) || undefined);
    await eventually(
      `${directory} to be removed`,
      async () => !existsSync(join(directory, '..')) || undefined,
    );
  }
});
