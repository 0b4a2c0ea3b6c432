import { describe, expect, test } from '@jest/globals';
import type { DataStream } from '@rs/core';
import { errorOf } from '../test-support/error-of.ts';
import { type AnyStream, JobRun } from '../test-support/job-run.ts';

const untyped = (value: unknown) => value as never;

/** Promises that a test settles by hand, in any order. */
class Pending<T> {
  readonly #settle: ((value: T) => void)[] = [];

  make(): Promise<T> {
    return new Promise((resolve) => this.#settle.push(resolve));
  }

  settle(index: number, value: T): void {
    this.#settle[index]?.(value);
  }

  get made(): number {
    return this.#settle.length;
  }
}

describe('map', () => {
  test('gives one result per record and keeps the timestamp', () => {
    const run = new JobRun<number>((input) => input.map((value) => value * 10));
    run.feed([1, 5], [2, 3]).watermark(4);
    run.input(0).status(true);
    expect(run.end().output().trace).toEqual(['10@5', '20@3', 'w4', 'idle', 'end']);
  });

  test('undefined is a result', () => {
    const run = new JobRun<number>((input) => input.map(() => undefined));
    expect(run.feed([1, 0]).output().values).toEqual([undefined]);
  });
});

describe('filter', () => {
  test('asks the predicate once per record, and takes any truthy answer', () => {
    const asked: number[] = [];
    const run = new JobRun<number>((input) =>
      input.filter((value) => {
        asked.push(value);
        return untyped(value % 3);
      }),
    );
    run.feed([1, 0], [3, 1], [5, 2]);
    expect([asked, run.output().values]).toEqual([[1, 3, 5], [1, 5]]); // prettier-ignore
  });
});

describe('flatMap', () => {
  test('takes any iterable; null and undefined are none; each result has the record’s time', () => {
    const results: unknown[] = [[1, 2], null, undefined, [], new Set([3]), 'ab', [4].values()];
    const run = new JobRun<number>((input) => input.flatMap((index) => untyped(results[index])));
    results.forEach((_, index) => run.feed([index, index * 10]));
    expect(run.output().records).toEqual([[1, 0], [2, 0], [3, 40], ['a', 50], ['b', 50], [4, 60]]); // prettier-ignore
  });

  test('something that cannot be iterated fails the run', () => {
    const run = new JobRun<number>((input) => input.flatMap(() => untyped(5)));
    const error = errorOf(() => run.feed([1, 0]));
    expect([error.code, error.message]).toEqual([
      'RS_USER_FUNCTION_FAILED',
      'flatMap: the function must return an iterable such as an array, null or undefined, but returned a number',
    ]);
  });

  test('a generator that throws half-way is its own operator’s failure, after what it has given', () => {
    const run = new JobRun<number>((input) =>
      input
        .flatMap(
          function* (value) {
            yield value;
            throw new Error('boom');
          },
          { name: 'split' },
        )
        .map((value) => value),
    );
    expect(errorOf(() => run.feed([1, 0])).message).toBe("flatMap 'split' failed: boom");
    expect(run.output().values).toEqual([1]);
  });
});

describe('the iterator of a flatMap', () => {
  function* giving(log: string[]) {
    try {
      yield 1;
      yield 2;
    } finally {
      log.push('closed');
    }
  }

  test('is closed when the run is stopped or fails half-way', () => {
    const log: string[] = [];
    const stopped: JobRun<number> = new JobRun<number>((input) =>
      input
        .flatMap(() => giving(log))
        .map((value) => {
          stopped.task.stop();
          return value;
        }),
    );
    stopped.feed([0, 0]);
    expect([stopped.output().values, log]).toEqual([[1], ['closed']]);
    const failed = new JobRun<number>((input) =>
      input
        .flatMap(() => giving(log))
        .map(() => {
          throw new Error('boom');
        }),
    );
    expect(errorOf(() => failed.feed([0, 0])).message).toBe('map failed: boom');
    expect(log).toEqual(['closed', 'closed']);
  });
});

describe('a function that throws', () => {
  test.each<[string, (input: DataStream<number>, fn: () => never) => AnyStream]>([
    ['map', (input, fn) => input.map(fn, { name: 'clean' })],
    ['filter', (input, fn) => input.filter(fn, { name: 'clean' })],
    ['flatMap', (input, fn) => input.flatMap(fn, { name: 'clean' })],
  ])('%s: fails the run, names the operator and keeps the cause', (kind, declare) => {
    const cause = new RangeError('boom');
    const run = new JobRun<number>((input) => ({
      main: declare(input, () => {
        throw cause;
      }),
    }));
    const error = errorOf(() => run.feed([1, 0]));
    expect([error.code, error.message, error.details]).toEqual([
      'RS_USER_FUNCTION_FAILED',
      `${kind} 'clean' failed: boom`,
      { operator: `${kind} 'clean'` },
    ]);
    expect(error.cause).toBe(cause);
  });

  test('what is thrown need not be an error', () => {
    const run = new JobRun<number>((input) =>
      input.map(() => {
        throw 'just text';
      }),
    );
    expect(errorOf(() => run.feed([1, 0])).message).toBe('map failed: just text');
  });
});

describe('asynchronous functions', () => {
  test('keep the order of everything, however long each takes', async () => {
    const pending = new Pending<number>();
    const run = new JobRun<number>((input) => input.map(() => pending.make()), { mode: 'async' });
    run.feed([1, 10], [2, 20]).watermark(25);
    run.feed([3, 30]);
    run.input(0).status(true);
    run.end();
    expect([pending.made, run.task.pending]).toEqual([1, true]);
    pending.settle(0, 100);
    await new Promise((resolve) => setImmediate(resolve));
    expect(run.output().trace).toEqual(['100@10']);
    expect(pending.made).toBe(2);
    pending.settle(1, 200);
    await new Promise((resolve) => setImmediate(resolve));
    pending.settle(2, 300);
    await run.settled();
    expect(run.output().trace).toEqual(['100@10', '200@20', 'w25', '300@30', 'idle', 'end']);
  });

  test('promises and plain results mix', async () => {
    const run = new JobRun<number>(
      (input) =>
        input
          .map((value) => (value % 2 === 0 ? Promise.resolve(value) : value))
          .filter((value) => (value % 3 === 0 ? Promise.resolve(false) : true))
          .flatMap((value) => (value % 5 === 0 ? Promise.resolve(null) : [value, -value])),
      { mode: 'async' }, // prettier-ignore
    );
    for (let value = 1; value <= 10; value++) run.feed([value, value]);
    run.end();
    await run.settled();
    expect(run.output().values).toEqual([1, 2, 4, 7, 8].flatMap((value) => [value, -value]));
    expect(run.output().trace.at(-1)).toBe('end');
  });

  test('a rejection fails the run with its cause, and nothing follows', async () => {
    const cause = new Error('boom');
    const run = new JobRun<number>(
      (input) => input.map((value) => (value === 2 ? Promise.reject(cause) : Promise.resolve(value))),
      { mode: 'async' },
    );
    run.feed([1, 0], [2, 1], [3, 2]);
    await expect(run.settled()).rejects.toMatchObject({ code: 'RS_USER_FUNCTION_FAILED', cause });
    expect(run.output().values).toEqual([1]);
  });

  test.each<[string, (input: DataStream<number>, fn: () => Promise<never>) => AnyStream]>([
    ['map', (input, fn) => input.map(fn)],
    ['filter', (input, fn) => input.filter(fn)],
    ['flatMap', (input, fn) => input.flatMap(fn)],
  ])('%s: in a run that cannot wait they are a clear error', async (kind, declare) => {
    const run = new JobRun<number>((input) => ({
      main: declare(input, () => Promise.reject(new Error('later'))),
    }));
    const error = errorOf(() => run.feed([1, 0]));
    expect([error.code, error.message]).toEqual([
      'RS_ASYNC_IN_EAGER_RUN',
      expect.stringMatching(new RegExp(`^${kind} returned a promise`)),
    ]);
    await new Promise((resolve) => setImmediate(resolve));
    expect(run.output().trace).toEqual([]);
  });
});

describe('keyed map', () => {
  test('carries the key over and does not ask for it again', () => {
    let asked = 0;
    const run = new JobRun<number>((input) =>
      input
        .keyBy((value) => {
          asked++;
          return value % 2;
        })
        .map((value) => value + 1)
        .map((value) => `${value}`)
        .process<string>((key, value, _ctx, out) => out.collect(`${key}:${value}`)),
    );
    run.feed([1, 0], [2, 1]);
    expect([run.output().values, asked]).toEqual([['1:2', '0:3'], 2]); // prettier-ignore
  });
});
