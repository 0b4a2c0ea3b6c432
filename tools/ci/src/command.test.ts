import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { succeeds } from './command.ts';

const node = (code: string, timeoutMs = 30_000) =>
  succeeds(process.execPath, ['-e', code], { cwd: tmpdir(), timeoutMs });

test('the exit code decides', async () => {
  expect(await node('process.exit(0)')).toBe(true);
  expect(await node('process.exit(3)')).toBe(false);
});

test('the command gets no input to wait for', async () => {
  expect(await node("process.stdin.resume().on('end', () => process.exit(0))")).toBe(true);
});

test('a command that does not exist is an error', async () => {
  await expect(succeeds('no-such-command', [], { cwd: tmpdir(), timeoutMs: 1_000 })).rejects.toThrow(
    'ENOENT',
  );
});

test('a command that takes too long is killed with what it started', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'rs-ci-command-'));
  const file = join(folder, 'pid');
  try {
    const grandchild = `fs.writeFileSync('${file}', String(process.pid)); setInterval(() => undefined, 1000)`;
    const child = `child_process.spawnSync(process.execPath, ['-e', ${JSON.stringify(grandchild)}])`;
    await expect(node(child, 3_000)).rejects.toThrow('did not end within 3 s');
    const pid = Number(readFileSync(file, 'utf8'));
    for (let polls = 0; isAlive(pid) && polls < 100; polls += 1) await setTimeout(50);
    expect(isAlive(pid)).toBe(false);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 30_000);

test.each(['SIGINT', 'SIGTERM'] as const)(
  '%s is passed on to the command and to what it started',
  async (signal) => {
    const folder = mkdtempSync(join(tmpdir(), 'rs-ci-command-'));
    const file = join(folder, 'pid');
    // Written under another name first, so that the file is complete once it is there.
    const grandchild = `
      fs.writeFileSync('${file}.new', String(process.pid));
      fs.renameSync('${file}.new', '${file}');
      setInterval(() => undefined, 1000);`;
    const child = `child_process.spawnSync(process.execPath, ['-e', ${JSON.stringify(grandchild)}])`;
    const main = `
      import { Interrupted, succeeds } from '${join(__dirname, 'command.ts')}';
      const options = { cwd: '${folder}', timeoutMs: 25_000 };
      succeeds(process.execPath, ['-e', ${JSON.stringify(child)}], options).catch((error) => {
        process.exitCode = error instanceof Interrupted && error.message.endsWith('${signal}') ? 7 : 1;
      });`;
    try {
      const ci = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', main], {
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      const ended = once(ci, 'close');
      for (let polls = 0; !existsSync(file) && polls < 400; polls += 1) await setTimeout(50);
      const pid = Number(readFileSync(file, 'utf8'));
      ci.kill(signal);
      expect(await ended).toEqual([7, null]);
      for (let polls = 0; isAlive(pid) && polls < 100; polls += 1) await setTimeout(50);
      expect(isAlive(pid)).toBe(false);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  30_000,
);

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
