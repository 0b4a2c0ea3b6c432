import { describe, expect, test } from '@jest/globals';
import type { AggregateFunction, Collector, DataStream, KeyedStream, WindowContext } from '@rs/core';
import { outputTag } from '@rs/core';
import { SessionWindow, SlidingWindow, TumblingWindow } from '@rs/window';
import { errorOf } from '../../test-support/error-of.ts';
import { JobRun, type JobRunOptions } from '../../test-support/job-run.ts';
import { turn } from '../../test-support/turn.ts';

const untyped = (value: unknown) => value as never;
const side = outputTag<string>('side');

const sum: AggregateFunction<number, number, number> = {
  createAccumulator: () => 0,
  add: (value, total) => total + value,
  getResult: (total) => total,
  merge: (a, b) => a + b,
};

function job<T>(define: (keyed: KeyedStream<string, T>) => DataStream<unknown>, options?: JobRunOptions) {
  return new JobRun<T>((input) => ({ main: define(input.keyBy(() => 'k')) }), options);
}

const tumbling = <T>(keyed: KeyedStream<string, T>) => keyed.window(TumblingWindow.of(10));

describe('reduce', () => {
  test('takes the first element as it is, and null like any other value', () => {
    const joined = (a: string | null, b: string | null) => `${a}+${b}`;
    const run = job<string | null>((keyed) => untyped(tumbling(keyed).reduce(joined)));
    run.feed([null, 1], ['a', 2], [null, 3], ['only', 15], [null, 25]).end();
    expect(run.output().values).toEqual(['null+a+null', 'only', null]);
  });

  test('of merged sessions combines their results in the order of the sessions', () => {
    const run = job<string>((keyed) =>
      untyped(keyed.window(SessionWindow.withGap(5)).reduce((a, b) => `(${a}${b})`)),
    );
    run.feed(['c', 9], ['a', 1], ['b', 5]).end();
    expect(run.output().values).toEqual(['((ac)b)']);
  });
});

describe('aggregate', () => {
  test('calls createAccumulator once per window, and once again after a purge', () => {
    let created = 0;
    const counting = { ...sum, createAccumulator: () => created++ && 0 };
    const run = job<number>((keyed) => untyped(tumbling(keyed).aggregate(counting)));
    run.feed([1, 1], [2, 2], [3, 12]).end();
    expect([created, run.output().values]).toEqual([2, [3, 3]]); // prettier-ignore
  });

  test('an accumulator that is changed in place is the window’s own', () => {
    const collect: AggregateFunction<number, number[], string> = {
      createAccumulator: () => [],
      add: (value, list) => {
        list.push(value);
        return list;
      },
      getResult: (list) => list.join(),
    };
    const run = job<number>((keyed) => untyped(keyed.window(SlidingWindow.of(10, 5)).aggregate(collect)));
    run.feed([1, 1], [2, 6], [3, 11]).end();
    expect(run.output().values).toEqual(['1', '1,2', '2,3', '3']);
  });

  test('a result function makes the record of a result, key and window', () => {
    const run = job<number>((keyed) =>
      untyped(tumbling(keyed).aggregate(sum, (total, { key, window }) => `${key} ${window.start} ${total}`)),
    );
    run.feed([1, 1], [2, 2]).end();
    expect(run.output().records).toEqual([['k 0 3', 9]]);
  });

  test.each<[string, Partial<AggregateFunction<number, number, number>>, string]>([
    ['add returns undefined', { add: () => untyped(undefined) }, 'RS_INVALID_VALUE'],
    [
      'add returns a promise',
      { add: () => untyped(Promise.reject(new Error('late'))) },
      'RS_ASYNC_NOT_ALLOWED',
    ],
    ['getResult returns a promise', { getResult: () => untyped(Promise.resolve(1)) }, 'RS_ASYNC_NOT_ALLOWED'],
    [
      'the accumulator cannot be stored',
      { createAccumulator: () => untyped(() => 1), add: (_value, acc) => acc },
      'RS_INVALID_VALUE',
    ],
  ])('fails the run when %s', async (_name, part, code) => {
    const run = job<number>((keyed) => untyped(tumbling(keyed).aggregate({ ...sum, ...part })));
    expect(errorOf(() => run.feed([1, 1], [2, 2]).end()).code).toBe(code);
    expect([run.task.failed, run.output().trace]).toEqual([true, []]);
    await turn();
  });

  test.each([undefined, Promise.resolve(1)])('fails the run when merge returns %p', (result) => {
    const merge = () => untyped(result);
    const run = job<number>((keyed) =>
      untyped(keyed.window(SessionWindow.withGap(5)).aggregate({ ...sum, merge })),
    );
    expect(errorOf(() => run.feed([1, 1], [2, 9], [3, 5])).code).toMatch(
      /RS_INVALID_VALUE|RS_ASYNC_NOT_ALLOWED/,
    );
  });

  test('a reduce function that turns asynchronous later is found then', () => {
    const reducing = (a: number, b: number) => (b === 3 ? untyped(Promise.resolve(1)) : a + b);
    const run = job<number>((keyed) => untyped(tumbling(keyed).reduce(reducing)));
    run.feed([1, 1], [2, 2]);
    expect(errorOf(() => run.feed([3, 3])).code).toBe('RS_ASYNC_NOT_ALLOWED');
  });
});

describe('apply and process', () => {
  test('emit any number of results, each with the window’s time', () => {
    const run = job<number>((keyed) =>
      untyped(
        tumbling(keyed).apply<number>((_key, _window, elements, out) => {
          for (const element of elements) if (element > 1) out.collect(element * 10);
        }),
      ),
    );
    run.feed([1, 1], [2, 2], [3, 3], [1, 15]).end();
    expect(run.output().records).toEqual([[20, 9], [30, 9]]); // prettier-ignore
  });

  test('what the function does to the elements does not change the window', () => {
    const run = job<number>((keyed) =>
      untyped(
        keyed
          .window(TumblingWindow.of(10))
          .allowedLateness(5)
          .apply<string>((_key, _window, elements, out) => {
            out.collect(elements.join());
            (elements as number[]).length = 0;
          }),
      ),
    );
    run.feed([1, 1]).watermark(9).feed([2, 2]);
    expect(run.output().values).toEqual(['1', '1,2']);
  });

  test('process has a context: key, times, side outputs', () => {
    const run = new JobRun<number>((input) => {
      const main = input
        .keyBy(() => 'k')
        .window(TumblingWindow.of(10))
        .process<string>((key, window, elements, ctx, out) => {
          out.collect(
            `${key} ${ctx.key} ${window.end} ${ctx.currentEventTime()} ${ctx.currentWatermark()} ${ctx.currentProcessingTime()}`,
          );
          ctx.output(side, elements.join());
        });
      return { main, side: main.getSideOutput(side) };
    });
    run.feed([1, 1], [2, 4]).watermark(12);
    expect(run.output().records).toEqual([['k k 10 9 12 4', 9]]);
    expect(run.output('side').trace).toEqual(['1,2@9', 'w12']);
  });

  test('context and collector are closed once the function has returned, thrown or settled', async () => {
    const kept: { ctx: WindowContext<string>; out: Collector<number> }[] = [];
    const closed = () =>
      kept
        .splice(0)
        .every(({ ctx, out }) =>
          [
            () => ctx.key,
            () => ctx.currentWatermark(),
            () => ctx.output(side, 'x'),
            () => out.collect(1),
          ].every((use) => errorOf(use).code === 'RS_CONTEXT_CLOSED'),
        );
    const keeping = (then: () => unknown, mode: 'sync' | 'async') =>
      job<number>(
        (keyed) =>
          untyped(
            tumbling(keyed).process<number>((_key, _window, _elements, ctx, out) => {
              kept.push({ ctx, out });
              return untyped(then());
            }),
          ),
        { mode },
      ).feed([1, 1]);

    keeping(() => undefined, 'sync').end();
    expect(closed()).toBe(true);
    const boom = () => {
      throw new Error('boom');
    };
    expect(() => keeping(boom, 'sync').end()).toThrow('boom');
    expect(closed()).toBe(true);
    const waiting = keeping(() => Promise.resolve(), 'async').end();
    expect(kept[0]?.ctx.key).toBe('k');
    await waiting.settled();
    expect(closed()).toBe(true);
    const cancelled = keeping(() => new Promise(() => undefined), 'async').end();
    cancelled.task.stop();
    expect(closed()).toBe(true);
  });

  test('an element that cannot be stored is refused at once', () => {
    const run = job<unknown>((keyed) => untyped(tumbling(keyed).apply(() => undefined)));
    expect(errorOf(() => run.feed([() => 1, 1])).code).toBe('RS_INVALID_VALUE');
  });

  test('a function that throws fails the run and names the operator', () => {
    const cause = new Error('boom');
    const failing = () => {
      throw cause;
    };
    for (const define of [
      (keyed: KeyedStream<string, number>) => tumbling(keyed).apply(failing, { name: 'spend' }),
      (keyed: KeyedStream<string, number>) => tumbling(keyed).process(failing, { name: 'spend' }),
      (keyed: KeyedStream<string, number>) => tumbling(keyed).aggregate(sum, failing, { name: 'spend' }),
      (keyed: KeyedStream<string, number>) =>
        tumbling(keyed).aggregate({ ...sum, getResult: failing }, { name: 'spend' }),
    ]) {
      const run = job<number>((keyed) => untyped(define(keyed)));
      const error = errorOf(() => run.feed([1, 1]).end());
      expect([error.code, error.message]).toEqual(['RS_USER_FUNCTION_FAILED', "window 'spend' failed: boom"]);
      expect(error.cause).toBe(cause);
    }
  });
});

describe('asynchronous window functions', () => {
  const sleepy = async (turns: number) => {
    for (let i = 0; i < turns; i++) await Promise.resolve();
  };

  test('keep the order of windows, watermarks and later elements', async () => {
    const run = job<number>(
      (keyed) =>
        untyped(
          keyed.window(SlidingWindow.of(10, 5)).apply<string>(async (_key, window, elements, out) => {
            await sleepy(elements.length === 1 ? 20 : 1);
            out.collect(`${window.start}: ${elements.join()}`);
          }),
        ),
      { mode: 'async' },
    );
    run.feed([1, 1], [6, 6]).watermark(14);
    run.feed([11, 11], [16, 16]).watermark(15);
    run.end();
    await run.settled();
    expect(run.output().trace).toEqual([
      '-5: 1@4', '0: 1,6@9', '5: 6@14', 'w14', 'w15', '10: 11,16@19', '15: 16@24', 'end',
    ]); // prettier-ignore
    expect(run.leftovers()).toEqual([]);
  });

  test('an early firing holds the element’s other windows and all that follows', async () => {
    const run = job<number>(
      (keyed) =>
        untyped(
          keyed
            .window(SlidingWindow.of(10, 5))
            .trigger({
              onElement: () => 'FIRE_AND_PURGE',
              onEventTime: () => 'CONTINUE',
              onProcessingTime: () => 'CONTINUE',
            })
            .aggregate(sum, async (total, { window }) => {
              await sleepy(window.start === 5 ? 10 : 1);
              return `${window.start}: ${total}`;
            }),
        ),
      { mode: 'async' },
    );
    run.feed([1, 6], [2, 7]).watermark(3);
    await run.settled();
    expect(run.output().trace).toEqual(['5: 1@14', '0: 1@9', '5: 2@14', '0: 2@9', 'w3']);
    run.end();
    await run.settled();
    expect([run.output().trace.at(-1), run.leftovers()]).toEqual(['end', []]);
  });

  test('sessions and custom windows wait too', async () => {
    const run = job<number>(
      (keyed) =>
        untyped(
          keyed
            .window(SessionWindow.withGap(5))
            .allowedLateness(50)
            .apply<string>(async (_key, window, elements, out) => {
              await sleepy(5);
              out.collect(`${window.start}-${window.end}: ${elements.join()}`);
            }),
        ),
      { mode: 'async' },
    );
    run.feed([1, 1]).watermark(20);
    run.feed([2, 3], [4, 4]).end();
    await run.settled();
    expect(run.output().trace).toEqual(['1-6: 1@5', 'w20', '1-8: 1,2@7', '1-9: 1,2,4@8', 'end']);
    expect(run.leftovers()).toEqual([]);
  });

  test('a rejection fails the run', async () => {
    const run = job<number>(
      (keyed) => untyped(tumbling(keyed).apply(() => Promise.reject(new Error('boom')))),
      {
        mode: 'async',
      },
    );
    run.feed([1, 1]).end();
    await expect(run.settled()).rejects.toMatchObject({
      code: 'RS_USER_FUNCTION_FAILED',
      message: "window 'apply' failed: boom",
    });
  });

  test('in a run that cannot wait they are a clear error', async () => {
    const run = job<number>((keyed) => untyped(tumbling(keyed).aggregate(sum, async () => 'later')));
    expect(errorOf(() => run.feed([1, 1]).end()).code).toBe('RS_ASYNC_IN_EAGER_RUN');
    await turn();
    expect(run.output().trace).toEqual([]);
  });
});
