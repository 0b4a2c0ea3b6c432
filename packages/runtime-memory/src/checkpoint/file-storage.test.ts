import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { newCheckpoint } from '@rs/runtime';
import fc from 'fast-check';
import { FileCheckpointStorage } from '../index.ts';
import { coded } from '../test-support/coded.ts';

let directory = '';
let storage: FileCheckpointStorage;

beforeEach(() => {
  directory = join(mkdtempSync(join(tmpdir(), 'rs-checkpoints-')), 'deep', 'er');
  storage = new FileCheckpointStorage(directory);
});

afterEach(async () => {
  await storage.close();
  rmSync(join(directory, '../..'), { recursive: true });
});

function checkpoint(checkpointId: number, parts: Record<string, unknown> = { job: {} }) {
  return newCheckpoint({
    checkpointId,
    timestamp: 1_000 + checkpointId,
    parts: new Map(Object.entries(parts)),
  });
}

async function storeAll(...ids: readonly number[]): Promise<void> {
  for (const id of ids) await storage.storeCheckpoint(checkpoint(id));
}

const fileOf = (id: number) => join(directory, `checkpoint-${id}.jsonl`);
const idsOf = (checkpoints: readonly { checkpointId: number }[]) =>
  checkpoints.map(({ checkpointId }) => checkpointId);

describe('what is stored', () => {
  test('comes back, whatever is in it', async () => {
    const part = fc.anything({
      withBigInt: true,
      withMap: true,
      withSet: true,
      withDate: true,
      withNullPrototype: false,
      maxDepth: 3,
    });
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), part), async (parts) => {
        await storage.storeCheckpoint(checkpoint(1, parts));
        const loaded = await storage.loadCheckpoint(1);
        expect(loaded).toMatchObject({ checkpointId: 1, timestamp: 1_001, completed: true });
        expect(loaded?.getKeys()).toEqual(Object.keys(parts));
        for (const [name, value] of Object.entries(parts)) expect(loaded?.getState(name)).toEqual(value);
      }),
      { numRuns: 30, seed: 5 },
    );
    const odd = { bytes: Uint8Array.of(0, 255), lines: 'a\n\r\u2028b\ud800', infinite: -Infinity };
    await storage.storeCheckpoint(checkpoint(2, odd));
    expect((await storage.loadCheckpoint(2))?.getState('bytes')).toEqual(odd.bytes);
    expect((await storage.loadCheckpoint(2))?.getState('lines')).toBe(odd.lines);
    expect((await storage.loadCheckpoint(2))?.getState('infinite')).toBe(odd.infinite);
    expect((await storage.loadCheckpoint(2))?.getState('other')).toBeUndefined();
  });

  test('replaces what has the same id', async () => {
    await storage.storeCheckpoint(checkpoint(1, { a: 1 }));
    await storage.storeCheckpoint(checkpoint(1, { a: 2 }));
    expect((await storage.loadCheckpoint(1))?.getState('a')).toBe(2);
  });

  test('is completed', async () => {
    const incomplete = newCheckpoint({ checkpointId: 1, timestamp: 0, parts: undefined });
    await expect(storage.storeCheckpoint(incomplete)).rejects.toThrow(coded('RS_INVALID_ARGUMENT'));
  });

  test('leaves no other file behind', async () => {
    await storeAll(1, 2);
    expect(readdirSync(directory).sort()).toEqual(['checkpoint-1.jsonl', 'checkpoint-2.jsonl', 'lock']);
    await storage.close();
    expect(readdirSync(directory).sort()).toEqual(['checkpoint-1.jsonl', 'checkpoint-2.jsonl']);
  });

  test('is found by another storage, which needs no lock to read', async () => {
    await storeAll(1);
    const reader = new FileCheckpointStorage(directory);
    expect(await reader.getLatestCheckpoint()).toMatchObject({ checkpointId: 1 });
  });
});

describe('the newest', () => {
  test('come first, by number', async () => {
    await storeAll(2, 9, 10, 100);
    expect(idsOf(await storage.listCheckpoints(3))).toEqual([100, 10, 9]);
    expect(await storage.getLatestCheckpoint()).toMatchObject({ checkpointId: 100 });
  });

  test('stay when old ones are removed', async () => {
    await storeAll(1, 2, 3, 10);
    expect(await storage.cleanupOldCheckpoints(2)).toBe(2);
    expect(idsOf(await storage.listCheckpoints(10))).toEqual([10, 3]);
    expect(await storage.cleanupOldCheckpoints(2)).toBe(0);
  });

  test('is undefined where there are none', async () => {
    expect(await storage.getLatestCheckpoint()).toBeUndefined();
    expect(await storage.listCheckpoints(5)).toEqual([]);
    expect(await storage.loadCheckpoint(1)).toBeUndefined();
    expect(existsSync(directory)).toBe(false);
  });

  test('is the one before when it is deleted', async () => {
    await storeAll(1, 2);
    expect(await storage.deleteCheckpoint(2)).toBe(true);
    expect(await storage.deleteCheckpoint(2)).toBe(false);
    expect(await storage.getLatestCheckpoint()).toMatchObject({ checkpointId: 1 });
  });
});

describe('a file that is no whole checkpoint', () => {
  const damage: Record<string, (file: string) => void> = {
    'is empty': (file) => truncateSync(file, 0),
    'was cut off': (file) => truncateSync(file, readFileSync(file).length - 2),
    'was cut off within a line': (file) => truncateSync(file, 40),
    'lost its last line': (file) =>
      writeFileSync(file, readFileSync(file, 'utf8').split('\n').slice(0, -2).join('\n') + '\n'),
    'was changed': (file) => writeFileSync(file, readFileSync(file, 'utf8').replace('"count"', '"Count"')),
    'has more at its end': (file) => appendFileSync(file, 'more\n'),
    'is something else': (file) => writeFileSync(file, 'hello\nworld\n'),
    'has bytes that are no text': (file) => writeFileSync(file, Uint8Array.of(255, 254, 10, 0)),
  };

  test.each(Object.entries(damage))('since it %s is told of, with its path', async (_what, spoil) => {
    await storage.storeCheckpoint(checkpoint(1));
    await storage.storeCheckpoint(checkpoint(2, { states: { count: 'x'.repeat(100) } }));
    spoil(fileOf(2));
    for (const loading of [storage.loadCheckpoint(2), storage.getLatestCheckpoint()]) {
      await expect(loading).rejects.toThrow(coded('RS_CHECKPOINT_CORRUPT', { details: { path: fileOf(2) } }));
    }
    expect(await storage.loadCheckpoint(1)).toMatchObject({ checkpointId: 1 });
    await storage.deleteCheckpoint(2);
    expect(await storage.getLatestCheckpoint()).toMatchObject({ checkpointId: 1 });
  });

  test('since another version wrote it is told of', async () => {
    const { createHash } = await import('node:crypto');
    const header = '{"format":"rs-checkpoint","version":2,"checkpointId":1,"timestamp":0}\n';
    await storeAll(1);
    const sha256 = createHash('sha256').update(header).digest('hex');
    writeFileSync(fileOf(1), `${header}{"sha256":"${sha256}"}\n`);
    await expect(storage.loadCheckpoint(1)).rejects.toThrow(coded('RS_CHECKPOINT_CORRUPT'));
  });

  test('since a process was killed while it wrote is left out, and removed', async () => {
    await storeAll(1);
    await storage.close();
    writeFileSync(`${fileOf(2)}.unfinished`, 'half of it');
    writeFileSync(join(directory, 'notes.txt'), 'mine');
    expect(idsOf(await storage.listCheckpoints(5))).toEqual([1]);
    await storage.open();
    expect(readdirSync(directory).sort()).toEqual(['checkpoint-1.jsonl', 'lock', 'notes.txt']);
  });
});

describe('the lock', () => {
  test('keeps another storage out, until this one is closed', async () => {
    await storage.open();
    const other = new FileCheckpointStorage(directory);
    const refused = coded('RS_CHECKPOINT_LOCKED', { details: { path: join(directory, 'lock') } });
    await expect(other.open()).rejects.toThrow(refused);
    await expect(other.storeCheckpoint(checkpoint(1))).rejects.toThrow(refused);
    await expect(other.deleteCheckpoint(1)).rejects.toThrow(refused);
    await expect(other.cleanupOldCheckpoints(1)).rejects.toThrow(refused);
    await other.close();
    await storage.storeCheckpoint(checkpoint(1));
    await storage.close();
    await other.open();
    await other.close();
  });

  test('is taken again after a close', async () => {
    await storeAll(1);
    await storage.close();
    await storage.close();
    await storeAll(2);
    expect(existsSync(join(directory, 'lock'))).toBe(true);
  });

  test('that somebody takes over while a file is written is noticed before it has its name', async () => {
    await storeAll(1);
    const { getKeys, ...rest } = checkpoint(2);
    const getState = <T>() => {
      writeFileSync(join(directory, 'lock'), 'somebody else');
      return undefined as T | undefined;
    };
    const storing = storage.storeCheckpoint({ ...rest, getKeys, getState });
    await expect(storing).rejects.toThrow(coded('RS_CHECKPOINT_LOCKED'));
    expect(idsOf(await storage.listCheckpoints(5))).toEqual([1]);
  });

  test('that somebody has taken over is noticed before anything is written', async () => {
    await storeAll(1);
    writeFileSync(join(directory, 'lock'), 'somebody else');
    await expect(storage.storeCheckpoint(checkpoint(2))).rejects.toThrow(coded('RS_CHECKPOINT_LOCKED'));
    expect(idsOf(await storage.listCheckpoints(5))).toEqual([1]);
    await storage.close();
    expect(readFileSync(join(directory, 'lock'), 'utf8')).toBe('somebody else');
  });
});

test.each([undefined, '', 5])('refuses %p as a directory', (path) => {
  expect(() => new FileCheckpointStorage(path as never)).toThrow(coded('RS_INVALID_ARGUMENT'));
});
