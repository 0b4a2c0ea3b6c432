import { describe, expect, test } from '@jest/globals';
import { SlotTable, readClusterSlots } from './slot-table.ts';

const asked = { host: '10.0.0.1', port: 7000 };

test('reads who serves which slots, replicas left out', () => {
  const table = readClusterSlots(
    [
      [0, 5460, ['10.0.0.1', 7000, 'id-a', []], ['10.0.0.4', 7003, 'id-d', []]],
      [5461, 5461, [Buffer.from('10.0.0.2'), 7001, 'id-b']],
      [5463, 16383, ['10.0.0.1', 7000, 'id-a', []]],
    ],
    asked,
  );
  const a = { host: '10.0.0.1', port: 7000 };
  const b = { host: '10.0.0.2', port: 7001 };
  expect(table.masters).toEqual([a, b]);
  expect([0, 5460, 5461, 5462, 5463, 16383].map((slot) => table.nodeOf(slot))).toEqual([
    a,
    a,
    b,
    undefined,
    a,
    a,
  ]);
  expect(table.has({ host: '10.0.0.4', port: 7003 })).toBe(false);
});

describe('a node that is announced without a name', () => {
  test.each([
    ['', [], '10.0.0.1'],
    [null, [], '10.0.0.1'],
    ['?', [], '10.0.0.1'],
    ['?', ['ip', '10.0.0.9'], '10.0.0.9'],
    [null, ['hostname', 'redis-3'], 'redis-3'],
    ['?', ['hostname', '?', 'ip', ''], '10.0.0.1'],
  ])('%p with %p is %s', (host, metadata, expected) => {
    const table = readClusterSlots([[0, 16383, [host, 7005, 'id', metadata]]], asked);
    expect(table.nodeOf(7)).toEqual({ host: expected, port: 7005 });
  });
});

test('an assigned slot changes its node alone', () => {
  const table = new SlotTable();
  table.assign(0, 16383, asked);
  table.assign(7, 7, { host: 'b', port: 1 });
  expect([6, 7, 8].map((slot) => table.nodeOf(slot)?.host)).toEqual(['10.0.0.1', 'b', '10.0.0.1']);
});

test.each([['OK'], [[['0', 1, []]]], [[[0, 1]]], [null]])('%j cannot be read', (reply) => {
  expect(() => readClusterSlots(reply as never, asked)).toThrow(
    expect.objectContaining({
      code: 'RS_REDIS_REPLY',
      message: 'CLUSTER SLOTS of 10.0.0.1:7000 cannot be read',
    }),
  );
});
