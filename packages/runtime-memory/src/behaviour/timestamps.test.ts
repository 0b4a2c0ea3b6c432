import { describe, expect, test } from '@jest/globals';
import type { DataStream, StreamEnvironment, TimestampAssigner, WatermarkGenerator } from '@rs/core';
import { WatermarkStrategy } from '@rs/watermark';
import { TumblingWindow } from '@rs/window';
import { coded } from '../test-support/coded.ts';
import { MODES, run } from '../test-support/run.ts';
import { timed } from '../test-support/timed.ts';

interface Event {
  readonly at: unknown;
}

describe.each(MODES)('event times and watermarks, %s', (mode) => {
  async function results<T>(define: (env: StreamEnvironment) => DataStream<T>): Promise<T[]> {
    const out: T[] = [];
    await run(mode, (env) => define(env).addSink((value) => void out.push(value)));
    return out;
  }

  const events = (...times: unknown[]): Event[] => times.map((at) => ({ at }));
  const assigner: TimestampAssigner<Event> = (event) => event.at as number;
  const strategy = WatermarkStrategy.forBoundedOutOfOrderness<Event>(0).withTimestampAssigner(assigner);

  /** Event time and watermark of each record. */
  const clocks = <T>(stream: DataStream<T>) =>
    stream
      .keyBy(() => 0)
      .process<[number, number]>((_key, _value, ctx, out) =>
        out.collect([ctx.currentEventTime(), ctx.currentWatermark()]),
      );

  test('without a strategy nothing is known until the end', async () => {
    expect(await results((env) => clocks(env.fromElements('a', 'b')))).toEqual([
      [0, -Infinity],
      [1, -Infinity],
    ]);
  });

  test('the watermark moves before its record is processed', async () => {
    const out = await results((env) =>
      clocks(env.fromCollection(events(1000, 3000, 2000)).assignTimestampsAndWatermarks(strategy)),
    );
    expect(out).toEqual([
      [1000, 999],
      [3000, 2999],
      [2000, 2999],
    ]);
  });

  test('an assigner with a generator, and a generator alone', async () => {
    const generator = () =>
      WatermarkStrategy.forBoundedOutOfOrderness<Event>(5000).createWatermarkGenerator();
    const assigned = await results((env) =>
      clocks(env.fromCollection(events(1000, 2000)).assignTimestampsAndWatermarks(assigner, generator)),
    );
    expect(assigned).toEqual([
      [1000, -4001],
      [2000, -3001],
    ]);
    const kept = await results((env) =>
      clocks(env.fromCollection(events(1000, 2000)).assignTimestampsAndWatermarks(generator)),
    );
    expect(kept).toEqual([
      [0, -5001],
      [1, -5000],
    ]);
  });

  test('a watermark never falls', async () => {
    const emitted = [100, 50, { timestamp: 100 }, { timestamp: 200 }];
    const generator: WatermarkGenerator<number> = {
      onEvent: (index, _timestamp, output) => output.emitWatermark(emitted[index] as number),
      onPeriodicEmit: () => undefined,
    };
    const out = await results((env) =>
      clocks(env.fromElements(0, 1, 2, 3).assignTimestampsAndWatermarks(generator)),
    );
    expect(out.map(([, watermark]) => watermark)).toEqual([100, 100, 100, 200]);
  });

  test('a generator that never emits leaves it at the minimum: nothing is late, nothing fires before the end', async () => {
    const fired: number[] = [];
    const env = await run(mode, (streams) =>
      streams
        .fromCollection(events(10_000, 0, 20_000))
        .assignTimestampsAndWatermarks(
          WatermarkStrategy.noWatermarks<Event>().withTimestampAssigner(assigner),
        )
        .keyBy(() => 'k')
        .window(TumblingWindow.of(1000))
        .process<number>((_key, window, _elements, ctx, out) => {
          expect(ctx.currentWatermark()).toBe(Infinity);
          out.collect(window.start);
        })
        .addSink((start) => void fired.push(start)),
    );
    expect(fired).toEqual([0, 10_000, 20_000]);
    expect(env.metrics().lateRecords).toBe(0);
  });

  test('the last of several strategies counts', async () => {
    const out = await results((env) =>
      clocks(
        env
          .fromCollection(events(1000, 2000))
          .assignTimestampsAndWatermarks(WatermarkStrategy.forMonotonousTimestamps())
          .assignTimestampsAndWatermarks(strategy),
      ),
    );
    expect(out).toEqual([
      [1000, 999],
      [2000, 1999],
    ]);
  });

  test('watermarks pass every operator', async () => {
    const out = await results((env) =>
      timed(
        env,
        [10, 20, 30].map((at) => ({ at, value: 'a' })),
      )
        .map((v) => v)
        .filter(() => true)
        .flatMap((v) => [v])
        .keyBy((v) => v)
        .reduce((a) => a)
        .keyBy((v) => v)
        .map((v) => v)
        .process<number>((_key, _value, ctx, collector) => collector.collect(ctx.currentWatermark())),
    );
    expect(out).toEqual([9, 19, 29]);
  });

  test('a union has the smallest watermark of its inputs', async () => {
    const out = await results((env) => {
      const fast = timed(env, [{ at: 1_000, value: 'fast' }]);
      const slow = env
        .fromElements('slow 1', 'slow 2')
        .assignTimestampsAndWatermarks(
          WatermarkStrategy.forMonotonousTimestamps<string>().withTimestampAssigner(
            (_v, index) => 10 * index,
          ),
        );
      return slow
        .union(fast)
        .keyBy(() => 'k')
        .process<string>((_key, value, ctx, collector) =>
          collector.collect(`${value} ${ctx.currentWatermark()}`),
        );
    });
    expect(out).toEqual(['fast -Infinity', 'slow 1 -1', 'slow 2 9']);
  });

  describe('timestamps that are none', () => {
    const windows = (env: StreamEnvironment, ...times: unknown[]) =>
      env
        .fromCollection(events(...times))
        .assignTimestampsAndWatermarks(strategy)
        .keyBy(() => 'k')
        .window(TumblingWindow.of(1000))
        .process<string>((_key, window, elements, ctx, out) =>
          out.collect(`[${window.start},${window.end}) ${elements.length} at ${ctx.currentWatermark()}`),
        );

    test.each([
      Number.NaN,
      undefined,
      '1500',
      Infinity,
      null,
      1.5,
      1n,
      new Date(1500),
      Promise.resolve(1500),
    ])('%p fails the run at its record, and moves nothing', async (bad) => {
      const out: string[] = [];
      const running = run(mode, (env) => windows(env, 1000, bad, 2500).addSink((v) => void out.push(v)));
      await expect(running).rejects.toEqual(coded('RS_INVALID_TIMESTAMP'));
      expect(out).toEqual([]);
    });

    test('a stream that drops them goes on as if they had not been there', async () => {
      const times = [1000, Number.NaN, undefined, '1500', Infinity, 2500];
      const out = await results((env) => windows(env, ...times.filter(Number.isSafeInteger)));
      expect(out).toEqual(['[1000,2000) 1 at 2499', '[2000,3000) 1 at Infinity']);
    });

    test.each(['15', Number.NaN, { timestamp: 1.5 }, {}])('%p is no watermark', async (bad) => {
      const generator: WatermarkGenerator<number> = {
        onEvent: (_value, _timestamp, output) => output.emitWatermark(bad as number),
        onPeriodicEmit: () => undefined,
      };
      const running = results((env) => env.fromElements(1).assignTimestampsAndWatermarks(generator));
      await expect(running).rejects.toEqual(coded('RS_INVALID_TIMESTAMP'));
    });
  });

  test('an assigner or a generator that throws is named, with its cause', async () => {
    const cause = new Error('no field at');
    const failing = (env: StreamEnvironment) =>
      env.fromElements(1).assignTimestampsAndWatermarks(
        WatermarkStrategy.noWatermarks<number>().withTimestampAssigner(() => {
          throw cause;
        }),
      );
    await expect(results(failing)).rejects.toEqual(coded('RS_USER_FUNCTION_FAILED', { cause }));
    await expect(results(failing)).rejects.toThrow('timestamps failed: no field at');
  });
});
