import { describe, expect, test } from '@jest/globals';
import type { DataStream } from '@rs/core';
import { TumblingWindow } from '@rs/window';
import { errorOf } from '../test-support/error-of.ts';
import { JobRun } from '../test-support/job-run.ts';
import { readNumber } from './numbers.ts';

type Amount = { readonly n?: number | bigint | null };
type Operation = 'sum' | 'min' | 'max';

function rolling(operation: Operation, amounts: readonly Amount['n'][]): unknown[] {
  const run = new JobRun<Amount>((input): DataStream<number | bigint> => {
    const keyed = input.keyBy(() => 'k');
    if (operation === 'sum') return keyed.sum((value) => value.n);
    return operation === 'min' ? keyed.min((value) => value.n) : keyed.max((value) => value.n);
  });
  amounts.forEach((n, time) => run.feed([n === undefined ? {} : { n }, time]));
  return run.output().values;
}

describe('a rolling operation', () => {
  test.each<[Operation, Amount['n'][], unknown[]]>([
    ['sum', [1, 2, 3], [1, 3, 6]],
    ['min', [2, 1, 3], [2, 1, 1]],
    ['max', [2, 1, 3], [2, 2, 3]],
    ['sum', [1n, 2n ** 64n], [1n, 2n ** 64n + 1n]],
    ['min', [5n, -1n, 3n], [5n, -1n, -1n]],
    ['max', [5n, -1n, 7n], [5n, 5n, 7n]],
    ['sum', [0.5, -0.25], [0.5, 0.25]],
  ])('%s of %p', (operation, amounts, expected) => {
    expect(rolling(operation, amounts)).toEqual(expected);
  });

  test('a record without a number adds nothing to a sum, and is emitted all the same', () => {
    expect(rolling('sum', [null, undefined, 2, null, 3])).toEqual([0, 0, 2, 2, 5]);
    expect(rolling('sum', [null, 5n, undefined])).toEqual([0, 5n, 5n]);
  });

  test('a minimum or maximum begins with the first number', () => {
    expect(rolling('min', [null, 2, undefined, 1])).toEqual([2, 2, 1]);
    expect(rolling('max', [undefined, -2, null, -3])).toEqual([-2, -2, -2]);
  });

  test.each<Operation>(['sum', 'min', 'max'])('%s refuses to mix numbers and bigints', (operation) => {
    for (const amounts of [
      [1, 1n],
      [1n, 1],
    ]) {
      // prettier-ignore
      expect(errorOf(() => rolling(operation, amounts)).code).toBe('RS_INVALID_VALUE');
    }
  });

  test('each key has its own', () => {
    const run = new JobRun<number>((input) => input.keyBy((value) => value % 2).sum());
    run.feed([1, 0], [2, 1], [3, 2], [4, 3]);
    expect(run.output().records).toEqual([[1, 0], [2, 1], [4, 2], [6, 3]]); // prettier-ignore
  });
});

describe('without a field', () => {
  test('the record itself is the number', () => {
    expect([readNumber(5, undefined), readNumber(5n, undefined)]).toEqual([5, 5n]);
  });

  test.each([['5'], [null], [undefined], [{ n: 5 }], [true]])('%p is refused', (record) => {
    const { code, message } = errorOf(() => readNumber(record, undefined));
    expect(code).toBe('RS_INVALID_VALUE');
    expect(message).toContain('pass a field selector');
  });

  test('a field that gives something else is refused too', () => {
    for (const bad of ['5', true, {}, new Date(0)]) {
      expect(errorOf(() => readNumber(1, () => bad as never)).code).toBe('RS_INVALID_VALUE');
    }
  });
});

describe('the sum of a window', () => {
  const sumOf = (...amounts: readonly Amount['n'][]) => {
    const run = new JobRun<Amount>((input): DataStream<number | bigint> =>
      input
        .keyBy(() => 'k')
        .window(TumblingWindow.of(100))
        .sum((value) => value.n),
    );
    for (const n of amounts) run.feed([n === undefined ? {} : { n }, 1]);
    return run.end().output().values;
  };

  test('treats missing numbers as the rolling one does', () => {
    expect(sumOf(1, null, 2)).toEqual([3]);
    expect(sumOf(null, undefined)).toEqual([0]);
    expect(sumOf(null, 7n)).toEqual([7n]);
    expect(errorOf(() => sumOf(1, 1n)).code).toBe('RS_INVALID_VALUE');
  });
});
