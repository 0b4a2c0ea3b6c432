import { expect, jest, test } from '@jest/globals';
import { RsError } from '@rs/core';
import type { RedisCommand, RedisReply } from '@rs/redis';
import { LogReader } from './log-reader.ts';

/** A log of entries whose only field has so many bytes. */
function log(entries: readonly number[]) {
  const command = jest.fn(({ name, args }: RedisCommand): Promise<RedisReply> => {
    if (name === 'XINFO') return Promise.resolve(['last-generated-id', `${entries.length}-0`]);
    const [, from, to, , count] = args ?? [];
    const after = Number(String(from).slice(1).split('-')[0]);
    const until = to === '+' ? Infinity : Number(String(to).split('-')[0]);
    const found = entries
      .map((bytes, at): RedisReply => [Buffer.from(`${at + 1}-0`), [Buffer.from('d'), Buffer.alloc(bytes)]])
      .slice(after, Math.min(until, after + Number(count)));
    return Promise.resolve(found);
  });
  return { command, counts: () => command.mock.calls.map(([{ args }]) => args?.[4]) };
}

const OPTIONS = { log: 'p', until: undefined };
const LIMIT = { records: 4, bytes: 100_000 };

async function ids(reader: LogReader): Promise<readonly string[]> {
  return (await reader.next(LIMIT)).entries.map(({ id }) => id);
}

test('reads in order, page after page', async () => {
  const { command } = log([1, 1, 1, 1, 1]);
  const reader = new LogReader({ ...OPTIONS, client: { command } }, '1-0');
  const first = await reader.next(LIMIT);
  expect(first.entries.map(({ id, bytes }) => [id, bytes])).toEqual([
    ['2-0', 2],
    ['3-0', 2],
    ['4-0', 2],
    ['5-0', 2],
  ]);
  expect(first.drained).toBe(false);
  expect(reader.position).toBe('5-0');
  expect(await reader.next(LIMIT)).toEqual({ entries: [], drained: true, ended: false });
  expect(reader.position).toBe('5-0');
});

test('ends where it is told', async () => {
  const { command } = log([1, 1, 1, 1, 1]);
  const reader = new LogReader({ ...OPTIONS, client: { command }, until: '3-0' }, '0-0');
  const page = await reader.next(LIMIT);
  expect(page.entries.map(({ id }) => id)).toEqual(['1-0', '2-0', '3-0']);
  expect(page).toMatchObject({ drained: true, ended: true });
});

test('an end that the log has not come to is waited for; one that it has gone past is not', async () => {
  const entries = [1, 1];
  const { command } = log(entries);
  const reader = new LogReader({ ...OPTIONS, client: { command }, until: '4-0' }, '0-0');
  expect(await reader.next(LIMIT)).toMatchObject({ drained: true, ended: false });
  entries.push(1);
  expect(await reader.next(LIMIT)).toMatchObject({ entries: [{ id: '3-0' }], ended: false });
  // What comes after the look at the log is not overlooked.
  command.mockImplementationOnce(() => {
    entries.push(1, 1);
    return Promise.resolve(['last-generated-id', '3-0']);
  });
  expect(await reader.next(LIMIT)).toMatchObject({ entries: [{ id: '4-0' }], drained: true, ended: false });
  expect(await reader.next(LIMIT)).toEqual({ entries: [], drained: true, ended: true });
});

test('an end before the beginning is there at once', async () => {
  const { command } = log([]);
  const reader = new LogReader({ ...OPTIONS, client: { command }, until: '0-0' }, '0-0');
  expect(await reader.next(LIMIT)).toEqual({ entries: [], drained: true, ended: true });
});

test('asks for fewer entries once they are large, and for one at least', async () => {
  const { command, counts } = log([1, 1, 1, 1, ...Array.from({ length: 40 }, () => 60_000)]);
  const reader = new LogReader({ ...OPTIONS, client: { command } }, '0-0');
  for (let page = 0; page < 9; page++) await reader.next(LIMIT);
  expect(counts()[0]).toBe(4);
  expect(counts().at(-1)).toBe(1);
});

test('after a failure the same entries are asked for', async () => {
  const { command } = log([1, 1]);
  const reader = new LogReader({ ...OPTIONS, client: { command } }, '0-0');
  command.mockRejectedValueOnce(new RsError('RS_REDIS_CONNECTION_LOST', 'gone'));
  await expect(reader.next(LIMIT)).rejects.toThrow(
    expect.objectContaining({ code: 'RS_REDIS_CONNECTION_LOST' }),
  );
  expect(await ids(reader)).toEqual(['1-0', '2-0']);
});

test('a reply that is no list of entries is refused', async () => {
  const reader = new LogReader({ ...OPTIONS, client: { command: () => Promise.resolve('OK') } }, '0-0');
  await expect(reader.next(LIMIT)).rejects.toThrow(expect.objectContaining({ code: 'RS_REDIS_REPLY' }));
});

test('the first reads bring few entries, since nobody knows how large they are', async () => {
  const { command, counts } = log(Array.from({ length: 100 }, () => 1));
  const reader = new LogReader({ ...OPTIONS, client: { command } }, '0-0');
  for (let page = 0; page < 4; page++) await reader.next({ records: 60, bytes: 1_000_000 });
  expect(counts()).toEqual([16, 32, 60, 60]);
  await reader.next({ records: 1, bytes: 1_000_000 });
  expect(counts().at(-1)).toBe(1);
});

test('gives text where that is what the log holds, and bytes elsewhere', async () => {
  const bytes = Buffer.of(0xc3, 0x28);
  const stored: RedisReply = [
    [Buffer.from('1-0'), [Buffer.from('d'), Buffer.from('"é"')]],
    [Buffer.from('2-0'), [Buffer.from('d'), bytes]],
  ];
  const reader = new LogReader({ ...OPTIONS, client: { command: () => Promise.resolve(stored) } }, '0-0');
  expect((await reader.next(LIMIT)).entries).toEqual([
    { id: '1-0', fields: ['d', '"é"'], bytes: 5 },
    { id: '2-0', fields: ['d', bytes], bytes: 3 },
  ]);
});
