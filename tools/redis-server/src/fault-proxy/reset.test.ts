import { expect, test } from '@jest/globals';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

test('a process that has reset a connection in the middle of its end can exit', async () => {
  const child = fork(join(__dirname, '../test-support/resetting-program.ts'), {
    execArgv: ['--conditions=@rs/source', '--import', 'tsx'],
  });
  try {
    expect(await once(child, 'exit', { signal: AbortSignal.timeout(30_000) })).toEqual([0, null]);
  } finally {
    child.kill('SIGKILL');
  }
});
