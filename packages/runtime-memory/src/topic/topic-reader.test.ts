import { describe, expect, test } from '@jest/globals';
import { silentLogger } from '@rs/core';
import { type AnyReceiver, NOWHERE, systemScheduler, Task } from '@rs/runtime';
import { settle } from '../test-support/settle.ts';
import { PartitionLog } from './partition-log.ts';
import { TopicReader } from './topic-reader.ts';

function newTask(): Task {
  return new Task({
    mode: 'async',
    processingTime: 'records',
    clock: { now: () => 0 },
    logger: silentLogger,
    scheduler: systemScheduler,
    residentState: true,
  });
}

/** A reader of a log that holds `values`, and what it sends. */
function reading(values: readonly string[], limit = Infinity) {
  const log = new PartitionLog('t', 3);
  const add = (value: string) => log.append({ key: `key of ${value}`, value, timestamp: 7, headers: {} });
  values.forEach(add);
  const sent: unknown[] = [];
  const out: AnyReceiver = {
    ...NOWHERE,
    record: (message: { value: string }, timestamp: number, key: unknown) =>
      void sent.push([message.value, timestamp, key]),
  };
  return { reader: new TopicReader('source', log, limit), add, sent, out };
}

/** Whether the promise is settled once everything that can happen has happened. */
async function isSettled(promise: unknown): Promise<boolean> {
  let settled = false;
  void (promise as Promise<void>).then(() => (settled = true));
  await settle();
  return settled;
}

describe('TopicReader', () => {
  test('sends messages with their time and key, as many as it may', () => {
    const { reader, sent, out } = reading(['a', 'b', 'c']);
    expect(reader.pump(out, newTask(), 2)).toBe('more');
    expect(sent).toEqual([
      ['a', 7, 'key of a'],
      ['b', 7, 'key of b'],
    ]);
  });

  test('stops when the task asks for attention', () => {
    const { reader, sent, out } = reading(['a', 'b']);
    const task = newTask();
    const stopping = {
      ...out,
      record: (message: never) => (out.record(message, 0, undefined), task.begin()),
    };
    expect(reader.pump(stopping, task, 10)).toBe('more');
    expect(sent).toHaveLength(1);
  });

  test('is ready while there is something to read', () => {
    const { reader, add, out } = reading([]);
    expect(reader.ready()).toBe(false);
    add('a');
    expect(reader.ready()).toBe(true);
    void reader.pump(out, newTask(), 10);
    expect(reader.ready()).toBe(false);
    expect(reading(['a'], 0).reader.ready()).toBe(false);
  });

  test('ends at its limit, also when that is nothing', () => {
    const { reader, sent, out } = reading(['a', 'b', 'c'], 2);
    expect(reader.pump(out, newTask(), 10)).toBe('ended');
    expect(sent).toHaveLength(2);
    expect(reading(['a'], 0).reader.pump(out, newTask(), 10)).toBe('ended');
  });

  test('waits at the end of the log until something is sent', async () => {
    const { reader, add, sent, out } = reading(['a']);
    const waiting = reader.pump(out, newTask(), 10);
    expect(await isSettled(waiting)).toBe(false);
    add('b');
    add('c');
    expect(await isSettled(waiting)).toBe(true);
    expect(await isSettled(reader.pump(out, newTask(), 10))).toBe(false);
    expect(sent.map((one) => (one as [string])[0])).toEqual(['a', 'b', 'c']);
  });

  test.each(['cancel', 'close'] as const)('no longer listens after %s', async (end) => {
    const { reader, add, out } = reading([]);
    const waiting = reader.pump(out, newTask(), 10);
    reader[end]();
    add('a');
    expect(await isSettled(waiting)).toBe(false);
  });

  test.each(['cancel', 'close'] as const)('%s before anything was read does nothing', (end) => {
    expect(() => reading([]).reader[end]()).not.toThrow();
  });
});
