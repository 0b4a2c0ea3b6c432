import { describe, expect, test } from '@jest/globals';
import { errorOf } from '../test-support/error-of.ts';
import { JobRun } from '../test-support/job-run.ts';

function counting(selector: (value: never) => unknown) {
  return new JobRun<unknown>((input) =>
    input
      .keyBy(selector as (value: unknown) => unknown, { name: 'by' })
      .map(() => 1)
      .process<unknown>((key, _value, _ctx, out) => out.collect(key)),
  );
}

describe('keyBy', () => {
  test('keys are compared by value', () => {
    const run = new JobRun<unknown>((input) =>
      input
        .keyBy((value) => value)
        .map(() => 1)
        .sum(),
    );
    const same = [{ a: 1, b: [2] }, { b: [2], a: 1 }, { a: 1.0, b: [2.0] }]; // prettier-ignore
    const others = [1, '1', 1n, true, [1], ['1'], { a: 1 }];
    for (const value of [...same, ...others]) run.feed([value, 0]);
    expect(run.output().values).toEqual([1, 2, 3, ...others.map(() => 1)]);
  });

  test('0 and -0 are one key, and it is 0', () => {
    const run = counting((value: number) => value);
    run.feed([-0, 0], [0, 1]);
    expect(run.output().values).toEqual([0, 0]);
  });

  test('words that are properties of Object are keys like others', () => {
    const run = new JobRun<string>((input) =>
      input
        .keyBy((word) => word)
        .map(() => 1)
        .sum(),
    );
    'constructor __proto__ toString constructor hasOwnProperty __proto__ valueOf a'
      .split(' ')
      .forEach((word, time) => run.feed([word, time]));
    expect(run.output().values).toEqual([1, 1, 1, 2, 1, 2, 1, 1]);
  });

  test('a record that is changed later does not change its key', () => {
    const run = new JobRun<{ tags: string[] }>((input) =>
      input
        .keyBy((record) => record.tags)
        .map((record) => {
          record.tags.push('seen');
          return 1;
        })
        .sum(),
    );
    for (let i = 0; i < 3; i++) run.feed([{ tags: ['a'] }, i]);
    expect(run.output().values).toEqual([1, 2, 3]);
    expect(run.leftovers()).toEqual(['accumulator a']);
  });

  test('an object key has one order of properties, and bytes one type, whichever came', () => {
    const run = counting((value: unknown) => value);
    run.feed([{ b: 1, a: 2 }, 0], [{ a: 2, b: 1 }, 1], [Buffer.from([1]), 2]);
    expect(run.output().values.map((key) => JSON.stringify(key))).toEqual([
      '{"a":2,"b":1}',
      '{"a":2,"b":1}',
      '{"0":1}',
    ]);
  });

  test.each([[undefined], [null], [NaN], [Infinity], [new Date(0)], [() => 1], [Symbol('s')], [new Map()]])(
    '%p is no key, and the message names the operator',
    (bad) => {
      const error = errorOf(() => counting(() => bad).feed([1, 0]));
      expect(error.code).toBe('RS_INVALID_KEY');
      expect(error.message).toMatch(/^keyBy 'by': a key must be/);
    },
  );

  test('an async selector is refused, and its rejection does not surface by itself', async () => {
    const error = errorOf(() => counting(() => Promise.reject(new Error('late'))).feed([1, 0]));
    expect([error.code, error.message]).toEqual([
      'RS_INVALID_KEY',
      expect.stringContaining('selectors are synchronous'),
    ]);
    await new Promise((resolve) => setImmediate(resolve));
  });

  test('a selector that throws fails the run', () => {
    const failing = counting(() => {
      throw new Error('boom');
    });
    expect(errorOf(() => failing.feed([1, 0])).code).toBe('RS_USER_FUNCTION_FAILED');
    expect(failing.task.failed).toBe(true);
  });
});
