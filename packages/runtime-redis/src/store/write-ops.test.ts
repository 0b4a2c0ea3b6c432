import { describe, expect, test } from '@jest/globals';
import { coded } from '../test-support/coded.ts';
import { ChangeList } from './change-list.ts';
import { ENTRY_VALUES } from './commit-limits.ts';
import type { CommitOp } from './commit-op.ts';
import { writeOps } from './write-ops.ts';

function argsOf(ops: readonly CommitOp[]): readonly unknown[] {
  const list = new ChangeList();
  writeOps(list, ops);
  return list.args;
}

test('writes are flat, in their order, each key with its number', () => {
  const list = new ChangeList();
  writeOps(list, [
    { type: 'hset', key: 'h', fields: ['a', 1, 'b', '2'] },
    { type: 'zadd', key: 'z', members: [5, 'm'] },
    { type: 'hdel', key: 'h', fields: ['c'] },
    { type: 'zrem', key: 'z', members: ['n', 'o'] },
    { type: 'xtrim', key: 'x', minId: '5-0' },
    { type: 'unlink', key: 'u' },
  ]);
  expect(list.keys).toEqual(['h', 'z', 'x', 'u']);
  expect(list.args).toEqual([
    ...['hset', 1, 4, 'a', 1, 'b', '2'],
    ...['zadd', 2, 2, 5, 'm'],
    ...['hdel', 1, 1, 'c'],
    ...['zrem', 2, 2, 'n', 'o'],
    ...['xtrim', 3, 1, '5-0'],
    ...['unlink', 4, 0],
  ]);
  expect(list.operations).toBe(8);
});

test('entries with as many fields are one change', () => {
  expect(
    argsOf([
      {
        type: 'xadd',
        key: 'x',
        entries: [
          { id: '1-0', fields: ['a', '1'] },
          { id: '1-1', fields: ['a', '2'] },
          { id: '1-2', fields: ['a', '3', 'b', '4'] },
        ],
      },
      { type: 'append', key: 'y', entries: [['a', '1']] },
    ]),
  ).toEqual([
    ...['xadd', 1, 7, 2, '1-0', 'a', '1', '1-1', 'a', '2'],
    ...['xadd', 1, 6, 4, '1-2', 'a', '3', 'b', '4'],
    ...['append', 2, 4, 2, '*', 'a', '1'],
  ]);
});

test('nothing to write is no change', () => {
  expect(
    argsOf([
      { type: 'hdel', key: 'h', fields: [] },
      { type: 'zrem', key: 'z', members: [] },
      { type: 'xadd', key: 'x', entries: [] },
    ]),
  ).toEqual([]);
});

describe('refused, since Redis would refuse it half way', () => {
  const key = 'k';
  const wrong: readonly CommitOp[] = [
    { type: 'hset', key, fields: ['a'] },
    { type: 'zadd', key, members: [1] },
    { type: 'zadd', key, members: ['nan', 'm'] },
    { type: 'zadd', key, members: [NaN, 'm'] },
    { type: 'zadd', key, members: [Infinity, 'm'] },
    { type: 'zadd', key, members: [' 1', 'm'] },
    { type: 'zadd', key, members: ['1\0', 'm'] },
    { type: 'zadd', key, members: ['0x1', 'm'] },
    { type: 'xadd', key, entries: [{ id: '0-0', fields: ['a', 'b'] }] },
    { type: 'xadd', key, entries: [{ id: '1', fields: ['a', 'b'] }] },
    { type: 'zadd', key, members: ['1e400', 'm'] },
    { type: 'xadd', key, entries: [{ id: '1-*', fields: ['a', 'b'] }] },
    { type: 'xadd', key, entries: [{ id: '01-0', fields: ['a', 'b'] }] },
    { type: 'xadd', key, entries: [{ id: '18446744073709551616-0', fields: ['a', 'b'] }] },
    { type: 'xadd', key, entries: [{ id: '1-0', fields: [] }] },
    { type: 'xadd', key, entries: [{ id: '1-0', fields: ['a'] }] },
    { type: 'append', key, entries: [new Array<string>(ENTRY_VALUES + 2).fill('a')] },
    { type: 'xtrim', key, minId: '-' },
  ];

  test.each(wrong)('%j', (op) => {
    expect(() => argsOf([op])).toThrow(coded('RS_INVALID_ARGUMENT'));
  });

  test.each(['1-0', '0-1', '18446744073709551615-18446744073709551615'])('but not the id %p', (id) => {
    expect(argsOf([{ type: 'xtrim', key, minId: id }])).toHaveLength(4);
  });

  test.each(['1', '-1.5', '+inf', '-inf', '2e10', '1.'])('but not the score %p', (score) => {
    expect(argsOf([{ type: 'zadd', key, members: [score, 'm'] }])).toHaveLength(5);
  });
});
