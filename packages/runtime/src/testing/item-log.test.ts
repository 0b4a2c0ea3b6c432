import { expect, test } from '@jest/globals';
import { errorOf } from '../test-support/error-of.ts';
import { ItemLog, loggedItem, transferred } from './item-log.ts';

test('gives new copies of what was pushed, from one place to another', () => {
  const log = new ItemLog();
  const value = { tags: ['a'], at: new Date(5), none: undefined };
  log.push(
    loggedItem({ type: 'record', input: 1, value, timestamp: 7, key: 3n }),
    loggedItem({ type: 'watermark', input: 0, timestamp: Infinity }),
    loggedItem({ type: 'end', input: 0 }),
  );
  value.tags.push('later');
  const record = { type: 'record', input: 1, timestamp: 7, key: 3n };
  const [first] = log.read(0, 1);
  expect(first).toEqual({ ...record, value: { tags: ['a'], at: new Date(5), none: undefined } });
  expect(log.read(0, 1)[0]).not.toBe(first);
  expect(log.read(1, 99)).toEqual([
    { type: 'watermark', input: 0, timestamp: Infinity },
    { type: 'end', input: 0 },
  ]);
  expect([log.length, log.typeAt(0), log.typeAt(3)]).toEqual([3, 'record', undefined]);
});

test('refuses a value that cannot be stored, and says which part of it', () => {
  const item = { type: 'record', input: 0, value: { run: () => 1 }, timestamp: 1 } as const;
  const error = errorOf(() => loggedItem(item, 'a message'));
  expect([error.code, error.message]).toEqual([
    'RS_INVALID_VALUE',
    expect.stringMatching(/^a message: the value at run is a function/),
  ]);
});

test('a value that goes from one place to another is a copy', () => {
  const value = { list: [1] };
  expect(transferred(value, 'a sink')).toEqual(value);
  expect(transferred(value, 'a sink')).not.toBe(value);
  expect(errorOf(() => transferred(() => 1, 'a sink')).message).toMatch(/^a sink: /);
});
