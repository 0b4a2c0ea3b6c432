import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { Entry } from '../mq/history/entry.ts';
import { Journal } from './journal.ts';
import { parseJournal, readJournal } from './read-journal.ts';

test('each entry is in the file when the call returns, with a time that does not go back', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'journal-'));
  try {
    const path = join(directory, 'a.jsonl');
    const journal = new Journal<Entry>(path);
    journal.write({ type: 'hello' });
    expect(await readFile(path, 'utf8')).toMatch(/^\{"type":"hello","at":\d+(\.\d+)?\}\n$/);
    journal.write({ type: 'acquired', partition: 3, epoch: 7 });
    journal.close();
    const [hello, acquired] = await readJournal<Entry>(path);
    expect(acquired).toMatchObject({ type: 'acquired', partition: 3, epoch: 7 });
    expect(acquired?.at).toBeGreaterThanOrEqual(hello?.at ?? Infinity);
  } finally {
    await rm(directory, { recursive: true });
  }
});

test('a process that never came to write one has an empty journal', async () => {
  expect(await readJournal(join(tmpdir(), 'no-such-journal.jsonl'))).toEqual([]);
});

test('a line in the middle of which the process was killed is left out', () => {
  expect(parseJournal('{"type":"hello","at":1}\n{"type":"lost","par')).toEqual([{ type: 'hello', at: 1 }]);
  expect(parseJournal('')).toEqual([]);
});
