import { describe, expect, test } from '@jest/globals';
import type { Codec } from '@rs/core';
import { errorOf } from '../test-support/error-of.ts';
import { JobRun } from '../test-support/job-run.ts';

const untyped = (value: unknown) => value as never;

describe('reduce', () => {
  test('emits the accumulated value for every record, the first one as it is', () => {
    const run = new JobRun<number>((input) => input.keyBy((value) => value % 2).reduce((a, b) => a + b));
    run.feed([1, 10], [2, 20], [3, 30]).end();
    expect(run.output().records).toEqual([[1, 10], [2, 20], [4, 30]]); // prettier-ignore
  });

  test('behind a keyed map keeps the key of the record', () => {
    const run = new JobRun<number>((input) =>
      input
        .keyBy(() => 'k')
        .map((value) => value * 10)
        .reduce((a, b) => a + b),
    );
    run.feed([1, 0], [3, 1], [6, 2]);
    expect(run.output().values).toEqual([10, 40, 100]);
  });

  test('its output carries no key', () => {
    const run = new JobRun<number>((input) => input.keyBy(() => 'k').sum());
    expect(run.feed([1, 0]).output().keys).toEqual([undefined]);
  });

  test('null is a value like others', () => {
    const run = new JobRun<string | null>((input) => input.keyBy(() => 'k').reduce((a, b) => `${a}+${b}`));
    run.feed(['a', 0], [null, 1]);
    expect(run.output().values).toEqual(['a', 'a+null']);
    const first = new JobRun<string | null>((input) => input.keyBy(() => 'k').reduce((a, b) => `${a}+${b}`));
    first.feed([null, 0], ['b', 1]);
    expect(first.output().values).toEqual([null, 'null+b']);
  });

  test('a function that returns undefined, or a promise, or throws fails the run', () => {
    const reducing = (fn: (a: number, b: number) => unknown) => () =>
      new JobRun<number>((input) => input.keyBy(() => 'k').reduce(untyped(fn), { name: 'total' })).feed(
        [1, 0],
        [2, 1],
      );
    expect(errorOf(reducing(() => undefined)).code).toBe('RS_INVALID_VALUE');
    expect(errorOf(reducing(async () => 1)).code).toBe('RS_ASYNC_NOT_ALLOWED');
    const error = errorOf(
      reducing(() => {
        throw new TypeError('boom');
      }),
    );
    expect([error.code, error.message]).toEqual(['RS_USER_FUNCTION_FAILED', "reduce 'total' failed: boom"]);
    expect(error.cause).toBeInstanceOf(TypeError);
  });

  test('a rejection of a refused promise does not surface by itself', async () => {
    const reducing = () =>
      new JobRun<number>((input) =>
        input.keyBy(() => 'k').reduce(untyped(() => Promise.reject(new Error('late')))),
      ).feed([1, 0], [2, 1]);
    expect(errorOf(reducing).code).toBe('RS_ASYNC_NOT_ALLOWED');
    await new Promise((resolve) => setImmediate(resolve)); // An unhandled rejection would fail the test run here.
  });

  test('a value that cannot be stored is refused, as a backend would', () => {
    const run = new JobRun<unknown>((input) => input.keyBy(() => 'k').reduce((a) => a));
    expect(errorOf(() => run.feed([() => 1, 0])).code).toBe('RS_INVALID_VALUE');
  });

  test('the codec decides what can be stored', () => {
    class Point {
      readonly x: number;
      constructor(x: number) {
        this.x = x;
      }
    }
    const codec: Codec<Point> = {
      name: 'point',
      encode: (point) => String(point.x),
      decode: (data) => new Point(Number(data)),
    };
    const run = new JobRun<Point>((input) =>
      input.keyBy(() => 'k').reduce((a, b) => new Point(a.x + b.x), { codec }),
    );
    run.feed([new Point(1), 0], [new Point(2), 1]);
    expect(run.output().values).toEqual([new Point(1), new Point(3)]);
  });

  test('watermarks, status and the end pass', () => {
    const run = new JobRun<number>((input) => input.keyBy(() => 'k').sum());
    run.feed([1, 5]).watermark(7);
    run.input(0).status(true);
    run.input(0).status(false);
    run.end();
    expect(run.output().trace).toEqual(['1@5', 'w7', 'idle', 'active', 'end']);
  });
});
