import { describe, expect, test } from '@jest/globals';
import { type CoProcessContext, type CoProcessFunction, outputTag } from '@rs/core';
import { Deferred } from '../test-support/deferred.ts';
import { errorOf } from '../test-support/error-of.ts';
import type { JobRunOptions } from '../test-support/job-run.ts';
import { turn } from '../test-support/turn.ts';
import { TwoInputRun } from '../test-support/two-inputs.ts';

type Fn = CoProcessFunction<string, number, string>;

function processing(fn: Fn, options?: JobRunOptions) {
  return new TwoInputRun<string, number>(
    (left, right) => left.connect(right).process(fn, { name: 'p' }),
    options,
  );
}

const echo: Fn = {
  processElement1: (value, ctx, out) => out.collect(`1 ${value} w${ctx.currentWatermark()}`),
  processElement2: (value, ctx, out) => out.collect(`2 ${value} w${ctx.currentWatermark()}`),
};

describe('process', () => {
  test('gives records to the callback of their side, in the order in which they come', () => {
    const run = processing(echo).one('a', 1).two(7, 2).two(8, 1).one('b', 7);
    expect(run.output().records).toEqual([
      ['1 a w-Infinity', 1],
      ['2 7 w-Infinity', 2],
      ['2 8 w-Infinity', 1],
      ['1 b w-Infinity', 7],
    ]);
  });

  test('has the common time of both inputs', () => {
    const run = processing(echo);
    run.left.watermark(10);
    run.one('a', 11);
    run.right.watermark(4);
    run.two(5, 5);
    run.right.status(true);
    run.one('b', 12);
    run.right.end();
    run.left.watermark(20);
    run.left.end();
    expect(run.trace()).toEqual([
      '1 a w-Infinity@11', 'w4', '2 5 w4@5', 'w10', '1 b w10@12', 'w20', 'end',
    ]); // prettier-ignore
  });

  test('tells event time and processing time, which follows the records of both inputs', () => {
    const seen: unknown[] = [];
    const note = (_value: unknown, ctx: CoProcessContext) =>
      void seen.push([ctx.currentEventTime(), ctx.currentProcessingTime()]);
    processing({ processElement1: note, processElement2: note }).one('a', 5).two(1, 9).one('b', 7);
    expect(seen).toEqual([[5, 5], [9, 9], [7, 9]]); // prettier-ignore
  });

  test('sends records and time to side outputs', () => {
    const side = outputTag<number>('side');
    const run = new TwoInputRun<string, number>((left, right) => {
      const main = left.connect(right).process<string>({
        processElement1: (value, _ctx, out) => out.collect(value),
        processElement2: (value, ctx) => ctx.output(side, value),
      });
      return { main, side: main.getSideOutput(side) };
    });
    run.one('a', 1).two(7, 2);
    run.left.watermark(5);
    run.right.watermark(6);
    expect([run.output().trace, run.output('side').trace]).toEqual([
      ['a@1', 'w5'],
      ['7@2', 'w5'],
    ]);
  });

  test('waits for a promise of either side before anything else goes on', async () => {
    const waits = new Map<unknown, Deferred>();
    const later = async (value: unknown, ctx: CoProcessContext, out: { collect(text: string): void }) => {
      const wait = new Deferred();
      waits.set(value, wait);
      await wait.promise;
      out.collect(`${String(value)} w${ctx.currentWatermark()}`);
    };
    const run = processing({ processElement1: later, processElement2: later }, { mode: 'async' });
    run.one('a', 1);
    run.left.watermark(3);
    run.two(7, 2);
    run.right.watermark(4);
    run.right.end();
    run.left.end();
    for (const value of ['a', 7]) {
      expect([...waits.keys()]).toEqual([value]);
      waits.get(value)?.resolve();
      waits.clear();
      await turn();
    }
    await run.settled();
    expect(run.trace()).toEqual(['a w-Infinity@1', '7 w-Infinity@2', 'w3', 'end']);
  });

  test('closes context and collector with the call', () => {
    const kept: (() => unknown)[] = [];
    const run = processing({
      ...echo,
      processElement1: (_value, ctx, out) =>
        void kept.push(
          () => ctx.currentWatermark(),
          () => out.collect('late'),
        ),
    });
    run.one('a', 1);
    for (const use of kept) expect(errorOf(use).code).toBe('RS_CONTEXT_CLOSED');
  });

  test('is opened before the first record, closed at the end, and its failures name it', async () => {
    const calls: string[] = [];
    const cause = new RangeError('boom');
    const run = processing({
      ...echo,
      open: () => void calls.push('open'),
      processElement1: () => {
        throw cause;
      },
      close: () => void calls.push('close'),
    });
    const error = errorOf(() => run.one('a', 0));
    expect([error.code, error.message, error.cause]).toEqual([
      'RS_USER_FUNCTION_FAILED',
      "process 'p' failed: boom",
      cause,
    ]);
    run.operator('coProcess').instance.close?.();
    expect(calls).toEqual(['open', 'close']);
    expect(errorOf(() => processing({ ...echo, open: untyped(async () => undefined) })).code).toBe(
      'RS_ASYNC_NOT_ALLOWED',
    );
  });

  test('says that there is no key, also to programs without types', () => {
    const uses: Record<string, (ctx: ReturnType<typeof untyped>) => unknown> = {
      RS_UNSUPPORTED: (ctx: { registerEventTimeTimer(time: number): void }) => ctx.registerEventTimeTimer(1),
      RS_STATE_UNBOUND: (ctx: { state(descriptor: unknown): unknown }) => ctx.state({}),
      RS_STATE_UNDECLARED: (ctx: { broadcastState(descriptor: unknown): unknown }) => ctx.broadcastState({}),
    };
    for (const [code, use] of Object.entries(uses)) {
      const run = processing({ ...echo, processElement1: (_value, ctx) => void use(untyped(ctx)) });
      expect(errorOf(() => run.one('a', 1)).code).toBe(code);
    }
  });

  test('says so in whole sentences', () => {
    const uses: Record<string, (ctx: { state(): unknown; deleteEventTimeTimer(): unknown }) => unknown> = {
      'there are no timers in it': (ctx) => ctx.deleteEventTimeTimer(),
      'there is no keyed state in it': (ctx) => ctx.state(),
    };
    for (const [text, use] of Object.entries(uses)) {
      const run = processing({ ...echo, processElement1: (_value, ctx) => void use(untyped(ctx)) });
      expect(errorOf(() => run.one('a', 1)).message).toContain(`about no key, so ${text}; use it where`);
    }
  });

  test('goes on where it was after a crash', () => {
    const [before, after] = [processing(echo), processing(echo)];
    before.one('a', 40);
    before.left.watermark(10);
    before.right.watermark(4);
    before.right.end();
    const { instance } = before.operator('coProcess');
    after.operator('coProcess').instance.restore?.(instance.meta?.() ?? {});
    for (const run of [before, after]) {
      run.trace();
      run.left.watermark(9); // Below what it was.
      run.left.watermark(12);
      run.one('b', 13);
      run.left.end();
      expect(run.trace()).toEqual(['w12', '1 b w12@13', 'end']);
    }
  });
});

describe('map', () => {
  test('makes one result of each record, with the function of its side', async () => {
    const run = new TwoInputRun<string, number>(
      (left, right) =>
        left.connect(right).map(
          async (text) => text.length,
          (n) => n * 10,
        ),
      { mode: 'async' },
    );
    run.one('abc', 1).two(7, 2);
    await run.settled();
    expect(run.output().records).toEqual([[3, 1], [70, 2]]); // prettier-ignore
  });

  test('fails with the name it was given', () => {
    const failing = () => {
      throw new Error('boom');
    };
    const run = new TwoInputRun<string, number>((left, right) =>
      left.connect(right).map((text) => text, failing),
    );
    expect(errorOf(() => run.one('fine', 0).two(1, 1)).message).toBe('map failed: boom');
  });
});

describe('flatMap', () => {
  test('makes any number of results of each record', async () => {
    const run = new TwoInputRun<string, number>(
      (left, right) =>
        left.connect(right).flatMap(
          (text) => text.split(''),
          async (n) => (n > 0 ? [n, -n] : null),
        ),
      { mode: 'async' },
    );
    run.one('ab', 1).two(7, 2).two(0, 3);
    await run.settled();
    expect(run.output().records).toEqual([['a', 1], ['b', 1], [7, 2], [-7, 2]]); // prettier-ignore
  });

  test('fails for a function that returns nothing to loop over', () => {
    const run = new TwoInputRun<string, number>(
      (left, right) =>
      left.connect(right).flatMap(() => untyped({}), () => untyped(7), { name: 'parts' }), // prettier-ignore
    );
    const problem = 'the function must return an iterable such as an array, null or undefined, but returned';
    const error = errorOf(() => run.two(1, 1));
    expect([error.code, error.message]).toEqual([
      'RS_USER_FUNCTION_FAILED',
      `flatMap 'parts': ${problem} a number`,
    ]);
  });

  test('stops in the middle of endless results when the run is stopped', () => {
    const results: number[] = [];
    const run = new TwoInputRun<string, number>((left, right) =>
      left
        .connect(right)
        .flatMap(
          function* () {
            for (let n = 0; ; n++) yield n;
          },
          () => null,
        )
        .map((n) => {
          if (results.push(n) === 3) run.task.stop();
        }),
    );
    run.one('go', 0);
    expect(results).toEqual([0, 1, 2]);
  });
});

test('keyBy groups both inputs by one kind of key', () => {
  const run = new TwoInputRun<string, number>((left, right) =>
    left
      .connect(right)
      .keyBy(
        (text) => text.length,
        (n) => n,
      )
      .process<string>({
        processElement1: (key, value, _ctx, out) => out.collect(`${key} ${value}`),
        processElement2: (key, value, _ctx, out) => out.collect(`${key} ${value}`),
      }),
  );
  run.one('abc', 1).two(3, 2);
  expect(run.output().values).toEqual(['3 abc', '3 3']);
});

function untyped(value: unknown): never {
  return value as never;
}
