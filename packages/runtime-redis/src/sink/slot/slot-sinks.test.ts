import { describe, expect, test } from '@jest/globals';
import { ChangeList } from '../../store/change-list.ts';
import { writeOps } from '../../store/write-ops.ts';
import { coded, thrownBy } from '../../test-support/coded.ts';
import { redisHash } from './redis-hash.ts';
import { redisSortedSet } from './redis-sorted-set.ts';
import { redisStream } from './redis-stream.ts';
import { type SlotSink, isSlotSink } from './slot-sink.ts';
import { SlotTaskSink } from './slot-task-sink.ts';

interface Total {
  readonly customer: string;
  readonly amount: number;
  readonly closed?: boolean;
}

/** The writes of one commit that emits these values. */
function opsOf<T>(sink: SlotSink<T>, values: readonly T[]) {
  const task = new SlotTaskSink("sink 'x'", 'key', sink.declaration);
  return task.ops(values.map((value) => ({ sink: 'x', value: task.transfer(value), timestamp: 0 })));
}

const totals: readonly Total[] = [
  { customer: 'ada', amount: 1 },
  { customer: 'bob', amount: 2 },
  { customer: 'ada', amount: 3 },
  { customer: 'bob', amount: 2, closed: true },
];

describe('redisHash', () => {
  test('writes the last result of each field', () => {
    const sink = redisHash<Total>('totals', {
      field: ({ customer }) => customer,
      value: ({ amount }) => amount,
      delete: ({ closed = false }) => closed,
    });
    expect(opsOf(sink, totals)).toEqual([
      { type: 'hset', key: 'key', fields: ['ada', 3] },
      { type: 'hdel', key: 'key', fields: ['bob'] },
    ]);
    expect(opsOf(sink, totals.slice(1, 2))).toEqual([{ type: 'hset', key: 'key', fields: ['bob', 2] }]);
    expect(opsOf(sink, totals.slice(3))).toEqual([{ type: 'hdel', key: 'key', fields: ['bob'] }]);
  });

  test('writes results as JSON, and text as it is, where it is not told how', () => {
    const sink = redisHash<unknown>('x', { field: (value) => typeof value });
    expect(opsOf(sink, [{ a: 1 }, 'text', 5, null])).toEqual([
      { type: 'hset', key: 'key', fields: ['object', 'null', 'string', 'text', 'number', '5'] },
    ]);
  });

  test('refuses what Redis would change', () => {
    const field = (value: unknown) => value as string;
    for (const value of [undefined, null, {}, Number.NaN, 'a\ud800']) {
      expect(() => opsOf(redisHash('x', { field }), [value])).toThrow(coded('RS_INVALID_VALUE'));
    }
    const wrong = redisHash('x', { field: () => 'f', value: () => ({}) as never });
    const error = thrownBy(() => opsOf(wrong, [1]), 'RS_INVALID_VALUE');
    expect(error.message).toBe(
      "sink 'x': redisHash 'x': a value must be a string, a number or bytes, got object",
    );
  });

  test('tells what a function of the user throws, with the name of the sink', () => {
    const cause = new Error('no customer');
    const sink = redisHash('x', {
      field: () => {
        throw cause;
      },
    });
    expect(thrownBy(() => opsOf(sink, [1]), 'RS_SINK_FAILED')).toMatchObject({
      message: "sink 'x' failed: no customer",
      cause,
    });
  });
});

describe('redisSortedSet', () => {
  test('writes the last score of each member', () => {
    const sink = redisSortedSet<Total>('best', {
      member: ({ customer }) => customer,
      score: ({ amount }) => amount,
      delete: ({ closed = false }) => closed,
    });
    expect(opsOf(sink, totals)).toEqual([
      { type: 'zadd', key: 'key', members: [3, 'ada'] },
      { type: 'zrem', key: 'key', members: ['bob'] },
    ]);
  });

  test('takes infinite scores and refuses what is none', () => {
    const sink = redisSortedSet<number>('x', { member: () => 'm', score: (value) => value });
    expect(opsOf(sink, [-Infinity])).toEqual([{ type: 'zadd', key: 'key', members: ['-inf', 'm'] }]);
    expect(() => opsOf(sink, [Number.NaN])).toThrow(coded('RS_INVALID_VALUE'));
    expect(() => opsOf(sink, ['5' as never])).toThrow(coded('RS_INVALID_VALUE'));
  });
});

describe('redisStream', () => {
  test('appends every result, those with other fields too, in order', () => {
    const sink = redisStream<Record<string, number>>('x', { fields: (value) => value });
    expect(opsOf(sink, [{ a: 1 }, { b: 2 }, { a: 1, b: 2 }, { c: 3 }])).toEqual([
      {
        type: 'append',
        key: 'key',
        entries: [
          ['a', 1],
          ['b', 2],
        ],
      },
      { type: 'append', key: 'key', entries: [['a', 1, 'b', 2]] },
      { type: 'append', key: 'key', entries: [['c', 3]] },
    ]);
    expect(opsOf(redisStream('x'), [{ a: 1 }])).toEqual([
      { type: 'append', key: 'key', entries: [['value', '{"a":1}']] },
    ]);
    expect(() => opsOf(sink, [{}])).toThrow(coded('RS_INVALID_VALUE'));
  });

  test('takes as many fields as a commit does, and fails the record that leads to more', () => {
    const sink = redisStream<number>('x', {
      fields: (count) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, at])),
    });
    expect(() => writeOps(new ChangeList(), opsOf(sink, [1_000]))).not.toThrow();
    expect(() => opsOf(sink, [1_001])).toThrow(coded('RS_INVALID_VALUE'));
  });
});

describe('every sink in the slot', () => {
  const hash = redisHash('totals', { field: String });

  test('is known to the engine, and useless to another one, which it says', () => {
    expect([isSlotSink(hash), isSlotSink({ invoke: () => undefined }), isSlotSink(undefined)]).toEqual([
      true,
      false,
      false,
    ]);
    expect(() => hash.open?.()).toThrow(coded('RS_UNSUPPORTED'));
    expect(() => hash.invoke(1)).toThrow(coded('RS_UNSUPPORTED'));
  });

  test('has a name, and functions as options', () => {
    const calls: (() => unknown)[] = [
      () => redisHash('x', undefined as never),
      () => redisHash('x', {} as never),
      () => redisHash('x', { field: 'id' as never }),
      () => redisHash('x', { field: String, value: 5 as never }),
      () => redisSortedSet('x', { member: String } as never),
      () => redisStream('x', { fields: {} as never }),
      () => redisStream('x', null as never),
      () => redisStream('x', { maxLen: -1 } as never),
      () => redisSortedSet('x', { member: String, score: Number, remove: () => true } as never),
    ];
    for (const call of calls) expect(call).toThrow(coded('RS_INVALID_ARGUMENT'));
    expect(() => redisStream('a b')).toThrow(coded('RS_INVALID_NAME'));
  });
});
