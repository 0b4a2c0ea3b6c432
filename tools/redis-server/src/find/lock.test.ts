import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { withLock } from './lock.ts';

let directory: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'rs-lock-'));
});

afterAll(async () => {
  await rm(directory, { recursive: true });
});

test('work under one lock never overlaps', async () => {
  const file = join(directory, 'lock');
  const events: string[] = [];
  const work = (name: string) => async (): Promise<void> => {
    events.push(`${name} begins`);
    // Longer than the others need to try.
    await withLock(join(directory, `other-${name}`), async () => undefined);
    events.push(`${name} ends`);
  };
  await Promise.all(['a', 'b', 'c'].map((name) => withLock(file, work(name))));
  expect(events).toHaveLength(6);
  for (const at of [0, 2, 4]) {
    expect(events[at + 1]).toBe(String(events[at]).replace('begins', 'ends'));
  }
});

test('work that fails gives the lock back', async () => {
  const file = join(directory, 'lock');
  await expect(withLock(file, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(await withLock(file, async () => 'free')).toBe('free');
});

test('a file that cannot be written is an error', async () => {
  const file = join(directory, 'absent', 'lock');
  await expect(withLock(file, async () => undefined)).rejects.toThrow(`No lock on ${file}`);
});
