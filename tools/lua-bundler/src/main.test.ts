import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const PROJECT = join(__dirname, '..');

/** Runs the program in this project, which has no scripts of its own. */
function bundler(...args: readonly string[]) {
  const program = ['--conditions=@rs/source', '--import', 'tsx', join(__dirname, 'main.ts'), ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, program, { cwd: PROJECT, encoding: 'utf8' });
  return { status, stdout, stderr };
}

test('the exit status and the streams are those of a good program', () => {
  expect(bundler('--help')).toMatchObject({ status: 0, stderr: '' });
  expect(bundler('--write')).toEqual({ status: 2, stdout: '', stderr: "error: unknown option '--write'\n" });
  expect(bundler('--check')).toEqual({
    status: 1,
    stdout: '',
    stderr: `error: there are no scripts in src/lua of ${PROJECT}\n`,
  });
});
