import { describe, expect, test } from '@jest/globals';
import { type DataStream, defineJob } from '@rs/core';
import { TumblingWindow } from '@rs/window';
import { StreamExecutionEnvironment } from './index.ts';
import { coded } from './test-support/coded.ts';
import { Deferred } from './test-support/deferred.ts';
import { settle } from './test-support/settle.ts';
import type { Sinkable } from './test-support/sinkable.ts';

const newEnv = () => StreamExecutionEnvironment.getExecutionEnvironment();

/** Notes when a step begins and when it ends, with an await between. */
function noted(log: string[]) {
  return async <T>(step: string, value: T): Promise<T> => {
    log.push(`${step} ${String(value)} begins`);
    await settle();
    log.push(`${step} ${String(value)} ends`);
    return value;
  };
}

describe('asynchronous functions keep the order of effects', () => {
  async function effects(define: (numbers: DataStream<number>, step: ReturnType<typeof noted>) => Sinkable) {
    const log: string[] = [];
    const job = defineJob((env) =>
      define(env.fromElements(1, 2), noted(log)).addSink((v) => void log.push(`sink ${String(v)}`)),
    );
    await newEnv().executeAsync(job);
    return log;
  }

  const oneByOne = ['step 1 begins', 'step 1 ends', 'sink 1', 'step 2 begins', 'step 2 ends', 'sink 2'];

  test('map', async () => {
    expect(await effects((numbers, step) => numbers.map((v) => step('step', v)))).toEqual(oneByOne);
  });

  test('filter', async () => {
    const log = await effects((numbers, step) => numbers.filter(async (v) => (await step('step', v)) > 0));
    expect(log).toEqual(oneByOne);
  });

  test('flatMap', async () => {
    const log = await effects((numbers, step) => numbers.flatMap(async (v) => [await step('step', v)]));
    expect(log).toEqual(oneByOne);
  });

  test('process', async () => {
    const log = await effects((numbers, step) =>
      numbers
        .keyBy(() => 'k')
        .process<number>(async (_key, v, _ctx, out) => out.collect(await step('step', v))),
    );
    expect(log).toEqual(oneByOne);
  });

  test('keyed map', async () => {
    const log = await effects((numbers, step) =>
      numbers
        .keyBy((v) => v)
        .map((v) => step('step', v))
        .reduce((a) => a),
    );
    expect(log).toEqual(oneByOne);
  });

  test('window functions, and results of aggregates', async () => {
    const windowed = (numbers: DataStream<number>) => numbers.keyBy((v) => v).window(TumblingWindow.of(10));
    const applied = await effects((numbers, step) =>
      windowed(numbers).apply<number>(async (key, _window, _elements, out) =>
        out.collect(await step('step', key)),
      ),
    );
    expect(applied).toEqual(oneByOne);
    const processed = await effects((numbers, step) =>
      windowed(numbers).process<number>(async (key, _window, _elements, _ctx, out) =>
        out.collect(await step('step', key)),
      ),
    );
    expect(processed).toEqual(oneByOne);
    const reduced = await effects((numbers, step) =>
      windowed(numbers).reduce(
        (a) => a,
        (v) => step('step', v),
      ),
    );
    expect(reduced).toEqual(oneByOne);
  });

  test('timers', async () => {
    const log = await effects((numbers, step) =>
      numbers
        .keyBy((v) => v)
        .process<string>({
          processElement: async (_key, v, ctx) => {
            await step('element', v);
            ctx.registerEventTimeTimer(10 + v);
            ctx.registerProcessingTimeTimer(100 + v);
          },
          onEventTime: async (time, _key, _ctx, out) => out.collect(`et${await step('event', time)}`),
          onProcessingTime: async (time, _key, _ctx, out) =>
            out.collect(`pt${await step('processing', time)}`),
        }),
    );
    expect(log).toEqual([
      'element 1 begins',
      'element 1 ends',
      'element 2 begins',
      'element 2 ends',
      'processing 101 begins',
      'processing 101 ends',
      'sink pt101',
      'processing 102 begins',
      'processing 102 ends',
      'sink pt102',
      'event 11 begins',
      'event 11 ends',
      'sink et11',
      'event 12 begins',
      'event 12 ends',
      'sink et12',
    ]);
  });

  test('a sink', async () => {
    const log: string[] = [];
    const step = noted(log);
    const job = defineJob((env) =>
      env
        .fromElements(1, 2)
        .map((v) => {
          log.push(`map ${v}`);
          return v;
        })
        .addSink(async (v) => void (await step('sink', v))),
    );
    await newEnv().executeAsync(job);
    expect(log).toEqual(['map 1', 'sink 1 begins', 'sink 1 ends', 'map 2', 'sink 2 begins', 'sink 2 ends']);
  });

  test('what one record fans out to is processed one after the other', async () => {
    const log: string[] = [];
    const step = noted(log);
    const job = defineJob((env) =>
      env
        .fromElements('ab', 'c')
        .flatMap((v) => v)
        .map((v) => step('map', v))
        .addSink((v) => void log.push(`sink ${v}`)),
    );
    await newEnv().executeAsync(job);
    expect(log).toEqual(['a', 'b', 'c'].flatMap((v) => [`map ${v} begins`, `map ${v} ends`, `sink ${v}`]));
  });

  test('sinks of one record work at the same time; the next record waits for both', async () => {
    const log: string[] = [];
    const gates = [new Deferred(), new Deferred()];
    const job = defineJob((env) => {
      const numbers = env.fromElements(1, 2);
      gates.forEach((gate, sink) =>
        numbers.addSink(async (v) => {
          log.push(`sink ${sink} begins ${v}`);
          await gate.promise;
          log.push(`sink ${sink} ends ${v}`);
        }),
      );
    });
    const running = newEnv().executeAsync(job);
    await settle();
    expect(log).toEqual(['sink 0 begins 1', 'sink 1 begins 1']);
    gates[0]?.resolve();
    await settle();
    expect(log.slice(2)).toEqual(['sink 0 ends 1']);
    gates[1]?.resolve();
    await running;
    expect(log.slice(3)).toEqual([
      'sink 1 ends 1',
      'sink 0 begins 2',
      'sink 1 begins 2',
      'sink 0 ends 2',
      'sink 1 ends 2',
    ]);
  });

  test('a promise of another library is awaited like a native one', async () => {
    const out: number[] = [];
    const thenable = (v: number): PromiseLike<number> => ({
      then: (onFulfilled) => {
        const result = onFulfilled === null || onFulfilled === undefined ? v : onFulfilled(v * 10);
        return Promise.resolve(result) as never;
      },
    });
    const job = defineJob((env) =>
      env
        .fromElements(1, 2)
        .map(thenable)
        .addSink((v) => void out.push(v)),
    );
    await newEnv().executeAsync(job);
    expect(out).toEqual([10, 20]);
  });
});

describe('the context of an asynchronous call', () => {
  test('is open until the promise is settled, then closed', async () => {
    const uses: (() => unknown)[] = [];
    const out: string[] = [];
    const job = defineJob((env) =>
      env
        .fromElements('a')
        .keyBy((v) => v)
        .process<string>(async (key, value, ctx, collector) => {
          uses.push(
            () => ctx.currentEventTime(),
            () => collector.collect('late'),
          );
          await settle();
          collector.collect(`${key} ${value} ${ctx.currentEventTime()} ${ctx.currentWatermark()}`);
        })
        .addSink((v) => void out.push(v)),
    );
    await newEnv().executeAsync(job);
    expect(out).toEqual(['a a 0 -Infinity']);
    for (const use of uses) expect(use).toThrow(coded('RS_CONTEXT_CLOSED'));
    expect(uses).toHaveLength(2);
  });
});
