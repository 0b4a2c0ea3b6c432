import { describe, expect, test } from '@jest/globals';
import type { CellChange } from '@rs/runtime';
import { TaskKeys } from '../keys/task-keys.ts';
import { coded, thrownBy } from '../test-support/coded.ts';
import { address, newCommit } from '../test-support/new-commit.ts';
import { BATCH_LIMITS, RECORD_LIMITS } from './commit-limits.ts';
import { prepareCommit, type PreparedCommit } from './prepare-commit.ts';
import type { TaskCommit } from './task-commit.ts';

const keys = new TaskKeys({
  prefix: 'rs',
  job: 'job',
  task: 'source-0',
  topic: 'orders',
  partition: 0,
  topicShards: 1,
  group: 'group',
  stateShards: 1,
});

function prepare(commit: TaskCommit, records?: number): PreparedCommit {
  return prepareCommit(keys, commit, { token: 'token', ...(records === undefined ? {} : { records }) });
}

const puts = (count: number, data = ''): CellChange[] =>
  Array.from({ length: count }, (_, n) => ({
    address: address({ key: `n:${n}` }),
    op: 'put',
    stored: { layout: 'value', data, version: 1 },
  }));

test('what goes to one key goes there at once', () => {
  const { call } = prepare(
    newCommit(1, {
      cells: [
        ...puts(2, 'x'),
        { address: address({ key: 'n:9' }), op: 'delete' },
        {
          address: address({ key: 's:a', namespace: '5' }),
          op: 'put',
          stored: { layout: 'value', data: 'y', version: 2 },
        },
      ],
    }),
  );
  const { own, meta, holds } = keys;
  expect(call.keys).toEqual([own, meta, holds, keys.state('op', 'value').shards[0]]);
  const facts = Number(call.args[6]);
  expect(call.args.slice(0, 6)).toEqual(['token', 1, 't:job:source-0', '1-0', '', 0]);
  expect(call.args.slice(7 + facts)).toEqual([
    ...['hset', 1, 6, 'n:0', '1|x', 'n:1', '1|x', '3:s:a5', '2|y'],
    ...['hdel', 1, 1, 'n:9'],
  ]);
});

test('of several changes of one timer the last one counts', () => {
  const timer = { operator: 'op', kind: 'event', time: 5, key: 's:a', namespace: '' } as const;
  const { call, operations } = prepare(
    newCommit(1, {
      timers: [
        { ...timer, op: 'add' },
        { ...timer, op: 'remove' },
        { ...timer, op: 'remove', time: 6 },
        { ...timer, op: 'add', time: 6 },
      ],
    }),
  );
  expect(operations).toBe(2);
  expect(call.args.slice(-8)).toEqual(
    [...['zadd', 1, 2, '6', '6,s:a\u001f'], ...['zrem', 1, 1, '5,s:a\u001f']].slice(-8),
  );
});

test('an empty large map, cleared and filled in one commit', () => {
  const at = address({ state: 'large', onDemand: true });
  const { call } = prepare(
    newCommit(1, {
      cells: [
        { address: at, op: 'clear' },
        {
          address: { ...at, namespace: 's:x' },
          op: 'put',
          stored: { layout: 'value', data: '1', version: 1 },
        },
      ],
    }),
  );
  const state = keys.state('op', 'large');
  const [collection, index] = [state.collection('s:a'), state.index('s:a')];
  expect(call.keys.slice(3)).toEqual([collection, index, state.shards[0]]);
  expect(call.args.slice(7 + Number(call.args[6]))).toEqual([
    ...['unlink', 1, 0],
    ...['unlink', 2, 0],
    ...['hset', 1, 2, 's:x', '1|1'],
    ...['zadd', 2, 2, '0', 's:x'],
    ...['mark', 3, 3, 1, 's:a', '0|'],
  ]);
});

test('only a large map is cleared as a whole', () => {
  const clear: CellChange = { address: address(), op: 'clear' };
  expect(() => prepare(newCommit(1, { cells: [clear] }))).toThrow(coded('RS_UNSUPPORTED'));
});

describe('too large', () => {
  test.each([
    ['several records', 2, BATCH_LIMITS.operations],
    ['one record', 1, RECORD_LIMITS.operations],
    ['one record when it is not said how many', undefined, RECORD_LIMITS.operations],
  ])('changes of %s', (_, records, most) => {
    const cells = puts(most + 1);
    expect(prepare(newCommit(1, { cells: cells.slice(1) }), records).operations).toBe(most);
    const error = thrownBy(() => prepare(newCommit(1, { cells }), records), 'RS_RECORD_TOO_LARGE');
    expect(error.details).toMatchObject({ operations: most + 1, records: records ?? 1 });
  });

  test.each([
    ['several records', 2, BATCH_LIMITS.bytes],
    ['one record', 1, RECORD_LIMITS.bytes],
  ])('bytes of %s', (_, records, most) => {
    const large = puts(4, 'x'.repeat(most / 4));
    expect(prepare(newCommit(1, { cells: large.slice(1) }), records).bytes).toBeGreaterThan((most * 3) / 4);
    expect(() => prepare(newCommit(1, { cells: large }), records)).toThrow(coded('RS_RECORD_TOO_LARGE'));
  });
});

test('the same commit is the same call, to the last byte', () => {
  const commit = newCommit(3, { cells: puts(5), operators: { op: { watermark: -Infinity } } });
  expect(prepare(commit).call).toEqual(prepare(commit).call);
});
