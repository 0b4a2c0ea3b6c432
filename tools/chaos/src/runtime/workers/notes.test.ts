import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { RsError } from '@rs/core';
import type { RedisReply } from '@rs/redis';
import { Journal } from '../../journal/journal.ts';
import { readJournal } from '../../journal/read-journal.ts';
import type { Entry } from '../history/entry.ts';
import { note } from './notes.ts';

const OWN = 'rs:{chaos#3}:p11:t:chaos:records:own';

async function noted(name: string, args: readonly string[], reply: RedisReply): Promise<object[]> {
  const directory = await mkdtemp(join(tmpdir(), 'notes-'));
  try {
    const path = join(directory, 'a.jsonl');
    const journal = new Journal<Entry>(path);
    note(journal, { name, keys: [OWN], args }, reply);
    journal.close();
    return (await readJournal<Entry>(path)).map(({ at: _, ...entry }) => entry);
  } finally {
    await rm(directory, { recursive: true });
  }
}

test('a commit, with what Redis said to it', async () => {
  const args = ['token', '7', 't:chaos:records', '5-1', '', '0'];
  const commit = { type: 'commit', partition: 11, token: 'token', seq: 7, offset: '5-1' };
  expect(await noted('commit-task', args, 'OK')).toEqual([{ ...commit, reply: 'OK' }]);
  expect(await noted('commit-task', args, ['FENCED'])).toEqual([{ ...commit, reply: 'FENCED' }]);
  const error = new RsError('RS_REDIS_REPLY', 'OOM');
  expect(await noted('commit-task', args, error)).toEqual([{ ...commit, reply: 'RS_REDIS_REPLY OOM' }]);
});

test('a partition that is acquired, with what was committed before', async () => {
  const facts = ['gen', 'g', 'seq', '41', 'offset', '9-0'];
  expect(
    await noted(
      'acquire-task',
      ['token', 'me'],
      ['OK', 3, 0, '', 1_000, facts.map((each) => Buffer.from(each))],
    ),
  ).toEqual([{ type: 'acquired', partition: 11, token: 'token', epoch: 3, seq: 41, offset: '9-0' }]);
  expect(await noted('acquire-task', ['token', 'me'], ['BUSY', 500, 'other'])).toEqual([]);
});

test('one that is given back', async () => {
  expect(await noted('release-task', ['token', '1'], 1)).toEqual([
    { type: 'released', partition: 11, token: 'token' },
  ]);
  expect(await noted('renew-tasks', ['token'], 1)).toEqual([]);
});
