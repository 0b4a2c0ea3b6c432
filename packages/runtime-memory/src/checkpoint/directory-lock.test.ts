import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { coded } from '../test-support/coded.ts';
import { DirectoryLock } from './directory-lock.ts';

let directory = '';
let lock: DirectoryLock;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'rs-lock-'));
  lock = new DirectoryLock(directory);
});

afterEach(() => rmSync(directory, { recursive: true }));

interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly started: string;
}

function holder(): Holder {
  return JSON.parse(readFileSync(lock.path, 'utf8')) as Holder;
}

/** What another process has left or holds. */
function leave(changes: Partial<Record<keyof Holder, unknown>>): void {
  writeFileSync(lock.path, JSON.stringify({ ...holder(), token: 'another', ...changes }));
}

/** The number of a process that has ended. */
async function endedPid(): Promise<number> {
  const child = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  await once(child, 'exit');
  return child.pid ?? 0;
}

test('says who holds it', async () => {
  await lock.acquire();
  expect(holder()).toMatchObject({ pid: process.pid });
  await lock.check();
  await lock.release();
  await expect(lock.check()).rejects.toThrow(coded('RS_CHECKPOINT_LOCKED'));
});

describe('what a process has left that does not exist any more is taken over:', () => {
  beforeEach(() => lock.acquire());

  test('of a process that was killed', async () => {
    leave({ pid: await endedPid() });
    await new DirectoryLock(directory).acquire();
    expect(holder()).toMatchObject({ pid: process.pid });
    await expect(lock.check()).rejects.toThrow(coded('RS_CHECKPOINT_LOCKED'));
  });

  test('of a process whose number this one has now, where the system tells when a process was started', async () => {
    leave({ started: '1' });
    const acquiring = new DirectoryLock(directory).acquire();
    if (process.platform === 'linux') await acquiring;
    else await expect(acquiring).rejects.toThrow(coded('RS_CHECKPOINT_LOCKED'));
  });

  test.each(['', 'no json', '{"pid":'])('of one that was killed while it wrote %p', async (text) => {
    writeFileSync(lock.path, text);
    await new DirectoryLock(directory).acquire();
  });
});

describe('where several take it over at once,', () => {
  test('one of them has it, and the others are refused', async () => {
    for (let round = 0; round < 30; round++) {
      writeFileSync(lock.path, 'no holder');
      const locks = [lock, new DirectoryLock(directory), new DirectoryLock(directory)];
      const acquired = await Promise.allSettled(locks.map((one) => one.acquire()));
      const reasons = acquired.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
      for (const reason of reasons) expect(reason).toEqual(coded('RS_CHECKPOINT_LOCKED'));
      const checked = await Promise.allSettled(locks.map((one) => one.check()));
      expect(checked.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const one of locks) await one.release();
      expect(readdirSync(directory)).toEqual([]);
    }
  });

  test('what is left of one that was killed meanwhile is removed', async () => {
    writeFileSync(join(directory, 'lock.3b241101-e2bb-4255-8caf-4136c566a962'), 'half of it');
    writeFileSync(join(directory, 'lock.txt'), 'mine');
    await lock.acquire();
    expect(readdirSync(directory).sort()).toEqual(['lock', 'lock.txt']);
  });
});

describe('somebody else keeps it:', () => {
  beforeEach(() => lock.acquire());

  test('another lock of this process', async () => {
    await expect(new DirectoryLock(directory).acquire()).rejects.toThrow(coded('RS_CHECKPOINT_LOCKED'));
    await lock.check();
  });

  test('a process that is alive', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], { stdio: 'ignore' });
    try {
      leave({ pid: child.pid, started: undefined });
      const acquiring = new DirectoryLock(directory).acquire();
      await expect(acquiring).rejects.toThrow(`is held by process ${child.pid}`);
    } finally {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    await new DirectoryLock(directory).acquire();
  });

  test('a process on another machine, of which nobody knows whether it is alive', async () => {
    leave({ host: 'elsewhere', pid: await endedPid() });
    await expect(new DirectoryLock(directory).acquire()).rejects.toThrow('elsewhere');
  });

  test('and a release leaves that alone', async () => {
    leave({ host: 'elsewhere' });
    await lock.release();
    expect(holder().host).toBe('elsewhere');
  });
});
