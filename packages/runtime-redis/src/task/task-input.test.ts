import { describe, expect, test } from '@jest/globals';
import { type Message, RsError } from '@rs/core';
import { turn } from '../test-support/turn.ts';
import { InputQueue } from './input-queue.ts';
import type { LogEntry } from './log-entry.ts';
import type { LogPage } from './log-reader.ts';
import { TaskInput, type TaskInputOptions } from './task-input.ts';

const ALL = { records: 100, bytes: Infinity };

function entry(number: number, bytes = 1): LogEntry {
  return { id: `${number}-0`, fields: [], bytes };
}

function messageOf({ id }: LogEntry): Message<unknown> {
  const timestamp = Number(id.split('-')[0]);
  return { id, topic: 't', partition: 0, key: `k${timestamp}`, value: id, timestamp, headers: {} };
}

/** An input over pages that a test gives when it likes. */
function input(options: Partial<TaskInputOptions> = {}) {
  const queue = options.queue ?? new InputQueue(0, { offset: '0-0', ended: false });
  const asked: { resolve(page: LogPage): void; reject(error: unknown): void }[] = [];
  let reads = 0;
  const reader = {
    next: () => new Promise<LogPage>((resolve, reject) => asked.push({ resolve, reject })),
  };
  const made = new TaskInput({
    reader,
    queue,
    decode: messageOf,
    announces: false,
    page: { records: 100, bytes: 1_000 },
    batches: () => 1,
    onRead: () => reads++,
    ...options,
  });
  const give = async (numbers: readonly number[], drained = false, ended = false): Promise<void> => {
    asked.shift()?.resolve({ entries: numbers.map((n) => entry(n)), drained, ended });
    await turn();
  };
  return { input: made, queue, asked, give, reads: () => reads };
}

/** What the items of a batch are, by their times. */
function shown(next: ReturnType<TaskInput['next']>): unknown {
  if (next.type !== 'items') return next.type;
  return next.items.map((item) => (item.type === 'record' ? item.timestamp : item.type));
}

test('reads one page at a time, ahead of what is processed', async () => {
  const { input: it, give, asked, reads } = input();
  it.read();
  it.read();
  expect(asked).toHaveLength(1);
  expect(it.reading).toBe(true);
  expect(shown(it.next(0, ALL))).toBe('none');
  await give([1, 2, 3]);
  expect(reads()).toBe(1);
  it.read();
  expect(asked).toHaveLength(1);
  expect(shown(it.next(0, ALL))).toEqual([1, 2, 3]);
  expect(shown(it.next(2, ALL))).toEqual([3]);
  expect(it.next(0, { ...ALL, records: 1 })).toMatchObject({
    items: [{ type: 'record', input: 0, key: 'k1', value: { id: '1-0' } }],
  });
});

test.each([
  ['records', { records: 2, bytes: 1_000 }],
  ['bytes', { records: 100, bytes: 3 }],
])('reads no further when enough %s wait', async (_, limit) => {
  const { input: it, give, asked, queue } = input({ page: limit });
  it.read();
  await give([1, 2, 3]);
  it.read();
  expect(asked).toHaveLength(0);
  queue.settled(2);
  it.read();
  expect(asked).toHaveLength(1);
});

test('reads while another batch is held, where that many may be', async () => {
  let batches = 2;
  const {
    input: it,
    give,
    asked,
    queue,
  } = input({ page: { records: 2, bytes: 10 }, batches: () => batches });
  it.read();
  await give([1, 2]);
  it.read();
  await give([3]);
  it.read();
  expect(asked).toHaveLength(1);
  await give([4]);
  it.read();
  expect(asked).toHaveLength(0);
  queue.settled(2);
  batches = 1;
  it.read();
  expect(asked).toHaveLength(0);
  batches = 2;
  it.read();
  expect(asked).toHaveLength(1);
});

test('at the end of the log nothing is read until something wakes it', async () => {
  const { input: it, give, asked } = input();
  it.read();
  await give([], true);
  expect(it.waiting).toBe(true);
  it.read();
  expect(asked).toHaveLength(0);
  it.wake();
  expect(it.waiting).toBe(false);
  it.read();
  expect(asked).toHaveLength(1);
});

test('batches are cut by records and bytes, and have one record at least', async () => {
  const { input: it, give } = input({ decode: messageOf });
  it.read();
  await give([1, 2, 3, 4]);
  expect(shown(it.next(0, { records: 3, bytes: 100 }))).toEqual([1, 2, 3]);
  expect(shown(it.next(1, { records: 3, bytes: 2 }))).toEqual([2, 3]);
  expect(shown(it.next(1, { records: 3, bytes: 0 }))).toEqual([2]);
});

describe('what stands around the entries', () => {
  test('a bounded input ends once, behind the last entry', async () => {
    const { input: it, give, queue, asked } = input();
    it.read();
    await give([1], true);
    expect(it.ended).toBe(false);
    it.wake();
    it.read();
    await give([], true, true);
    expect(it.ended).toBe(true);
    expect(shown(it.next(0, ALL))).toEqual([1, 'end']);
    queue.settled(2);
    it.read();
    expect(asked).toHaveLength(0);
    expect(queue.position).toEqual({ offset: '1-0', ended: true });
  });

  test('one that had ended before has nothing more', () => {
    const { input: it, asked } = input({
      queue: new InputQueue(2, { offset: '1-0', ended: true }),
    });
    it.read();
    expect(asked).toHaveLength(0);
    expect(it.ended).toBe(true);
    expect(it.none(2)).toBe(true);
  });

  test('an announcement comes before the first entry there ever was', async () => {
    const { input: it, give, queue } = input({ announces: true });
    it.read();
    await give([]);
    expect(shown(it.next(0, ALL))).toBe('none');
    it.read();
    await give([1]);
    expect(shown(it.next(0, ALL))).toEqual(['status', 1]);
    queue.settled(2);
    it.read();
    await give([2]);
    expect(shown(it.next(2, ALL))).toEqual([2]);
  });
});

describe('what is no message', () => {
  const unreadable = new RsError('RS_INVALID_VALUE', 'no message');
  const decode = (read: LogEntry): Message<unknown> => {
    if (read.id === '2-0') throw unreadable;
    return messageOf(read);
  };

  test('waits until what stands before it was processed, and is told apart', async () => {
    const { input: it, give } = input({ decode });
    it.read();
    await give([1, 2, 3]);
    expect(shown(it.next(0, ALL))).toEqual([1]);
    expect(it.next(1, ALL)).toEqual({ type: 'unreadable', entry: entry(2), error: unreadable });
    expect(shown(it.next(2, ALL))).toEqual([3]);
  });
});

test('a read that fails is told once there is nothing else to do, and made again', async () => {
  const { input: it, give, asked, reads } = input();
  it.read();
  await give([1]);
  it.read();
  asked.shift()?.reject(new RsError('RS_REDIS_TIMEOUT', 'late'));
  await turn();
  expect(reads()).toBe(2);
  expect(shown(it.next(0, ALL))).toEqual([1]);
  expect(it.waiting).toBe(false);
  expect(() => it.next(1, ALL)).toThrow(expect.objectContaining({ code: 'RS_REDIS_TIMEOUT' }));
  it.read();
  await give([2]);
  expect(shown(it.next(1, ALL))).toEqual([2]);
});
