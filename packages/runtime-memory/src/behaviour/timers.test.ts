import { describe, expect, test } from '@jest/globals';
import {
  type DataStream,
  type KeyedProcessFunction,
  type ProcessContext,
  type StreamEnvironment,
  valueState,
} from '@rs/core';
import { AscendingTimestampWatermarkGenerator } from '@rs/watermark';
import { coded } from '../test-support/coded.ts';
import { MODES, run } from '../test-support/run.ts';
import { type At, timed } from '../test-support/timed.ts';

type Process<T> = KeyedProcessFunction<string, T, string>;

describe.each(MODES)('timers, %s', (mode) => {
  async function results<T>(define: (env: StreamEnvironment) => DataStream<T>): Promise<T[]> {
    const out: T[] = [];
    await run(mode, (env) => define(env).addSink((value) => void out.push(value)));
    return out;
  }

  /** All records under one key, timestamps 0, 1, 2, …, no watermark. */
  const untimed = <T>(values: readonly T[], fn: Process<T>) =>
    results((env) =>
      env
        .fromCollection(values)
        .keyBy(() => 'k')
        .process(fn),
    );

  /** Keyed by value, with event times and ascending watermarks. */
  const keyed = (records: readonly At<string>[], fn: Process<string>) =>
    results((env) =>
      timed(env, records)
        .keyBy((v) => v)
        .process(fn),
    );

  test('golden: processing-time timers of simulated time', async () => {
    const out = await untimed([1, 2, 3], {
      processElement(_key, value, ctx, collector) {
        collector.collect(`e${value}`);
        ctx.registerProcessingTimeTimer(ctx.currentProcessingTime() + 1);
      },
      onProcessingTime: (time, _key, _ctx, collector) => collector.collect(`pt${time}`),
    });
    expect(out).toEqual(['e1', 'pt1', 'e2', 'pt2', 'e3', 'pt3']);
  });

  test('golden: an event-time timer fires before the record whose watermark passes it', async () => {
    const out = await results((env) =>
      env
        .fromElements(10, 20)
        .assignTimestampsAndWatermarks((v) => v, new AscendingTimestampWatermarkGenerator<number>())
        .keyBy(() => 'k')
        .process<string>({
          processElement(_key, value, ctx, collector) {
            collector.collect(`e${value / 10}`);
            if (value === 10) ctx.registerEventTimeTimer(15);
          },
          onEventTime: (time, _key, _ctx, collector) => collector.collect(`et${time}`),
        }),
    );
    expect(out).toEqual(['e1', 'et15', 'e2']);
  });

  test('a timer fires when the watermark reaches it, not before', async () => {
    const fired = async (at: number) => {
      const out = await keyed(
        [
          { at: 0, value: 'a' },
          { at, value: 'z' },
        ],
        {
          processElement(key, _value, ctx, collector) {
            if (key === 'a') ctx.registerEventTimeTimer(99);
            else collector.collect('z');
          },
          onEventTime: (time, _key, _ctx, collector) => collector.collect(`et${time}`),
        },
      );
      return out;
    };
    expect(await fired(99)).toEqual(['z', 'et99']); // watermark 98
    expect(await fired(100)).toEqual(['et99', 'z']); // watermark 99
  });

  test('they fire in the order of time, then key, whatever the order of registration', async () => {
    const out = await keyed(
      ['b', 'a', 'c'].map((value, at) => ({ at, value })),
      {
        processElement(key, _value, ctx) {
          ctx.registerEventTimeTimer(key === 'c' ? 40 : 50);
        },
        onEventTime: (time, key, _ctx, collector) => collector.collect(`${key}${time}`),
      },
    );
    expect(out).toEqual(['c40', 'a50', 'b50']);
  });

  test('processing time comes before event time', async () => {
    const out = await keyed(
      [
        { at: 0, value: 'a' },
        { at: 100, value: 'a' },
      ],
      {
        processElement(_key, _value, ctx, collector) {
          collector.collect(`e${ctx.currentEventTime()}`);
          ctx.registerEventTimeTimer(10);
          ctx.registerProcessingTimeTimer(20);
        },
        onEventTime: (time, _key, _ctx, collector) => collector.collect(`et${time}`),
        onProcessingTime: (time, _key, _ctx, collector) => collector.collect(`pt${time}`),
      },
    );
    // A time that has passed is due at once. The watermark comes before its record, simulated time with it.
    expect(out).toEqual(['e0', 'et10', 'pt20', 'e100', 'pt20', 'et10']);
  });

  test('one timer per key and time, of each kind', async () => {
    const out = await untimed(['a', 'b'], {
      processElement(_key, _value, ctx) {
        for (let i = 0; i < 3; i++) {
          ctx.registerEventTimeTimer(10);
          ctx.registerProcessingTimeTimer(10);
        }
      },
      onEventTime: (time, _key, _ctx, collector) => collector.collect(`et${time}`),
      onProcessingTime: (time, _key, _ctx, collector) => collector.collect(`pt${time}`),
    });
    expect(out).toEqual(['pt10', 'et10']);
  });

  test('a timer that has fired may be registered again', async () => {
    const out = await untimed([0, 1, 2], {
      processElement: (_key, _value, ctx) => ctx.registerProcessingTimeTimer(0),
      onProcessingTime: (time, _key, ctx, collector) =>
        collector.collect(`pt${time} of ${ctx.currentProcessingTime()}`),
    });
    expect(out).toEqual(['pt0 of 0', 'pt0 of 0', 'pt0 of 0']);
  });

  test('a deleted timer does not fire; deleting an unknown one does nothing', async () => {
    const out = await untimed(['a'], {
      processElement(_key, _value, ctx) {
        ctx.registerEventTimeTimer(10);
        ctx.registerEventTimeTimer(20);
        ctx.registerProcessingTimeTimer(10);
        ctx.deleteEventTimeTimer(10);
        ctx.deleteEventTimeTimer(15);
        ctx.deleteProcessingTimeTimer(10);
      },
      onEventTime: (time, _key, _ctx, collector) => collector.collect(`et${time}`),
      onProcessingTime: (time, _key, _ctx, collector) => collector.collect(`pt${time}`),
    });
    expect(out).toEqual(['et20']);
  });

  test('a callback may register further ones; those already due fire next', async () => {
    const out = await untimed([0, 5], {
      processElement(_key, value, ctx, collector) {
        collector.collect(`e${value}`);
        if (value === 0) ctx.registerEventTimeTimer(1);
      },
      onEventTime(time, _key, ctx, collector) {
        collector.collect(`et${time}`);
        if (time < 4) ctx.registerEventTimeTimer(time + 1);
      },
    });
    expect(out).toEqual(['e0', 'e5', 'et1', 'et2', 'et3', 'et4']);
  });

  test('a processing-time timer that is registered during the final drain fires too', async () => {
    const out = await untimed(['a'], {
      processElement: (_key, _value, ctx) => ctx.registerEventTimeTimer(10),
      onEventTime(time, _key, ctx, collector) {
        collector.collect(`et${time}`);
        ctx.registerProcessingTimeTimer(1_000_000);
      },
      onProcessingTime: (time, _key, _ctx, collector) => collector.collect(`pt${time}`),
    });
    expect(out).toEqual(['et10', 'pt1000000']);
  });

  test('at the end of the input all fire, and time is at its end', async () => {
    const out = await untimed(['a'], {
      processElement(_key, _value, ctx, collector) {
        collector.collect(`${ctx.currentWatermark()}`);
        ctx.registerEventTimeTimer(1_000);
        ctx.registerProcessingTimeTimer(2_000);
      },
      onEventTime: (_time, _key, ctx, collector) => collector.collect(`${ctx.currentWatermark()}`),
      onProcessingTime: (_time, _key, ctx, collector) =>
        collector.collect(`${ctx.currentWatermark()} ${ctx.currentProcessingTime()}`),
    });
    expect(out).toEqual(['-Infinity', 'Infinity 2000', 'Infinity']);
  });

  test('a callback has the key and the state of its timer, and emits with its time', async () => {
    const last = valueState<string>('last');
    const fn: Process<string> = {
      open: (ctx) => void ctx.state(last),
      processElement(_key, value, ctx) {
        ctx.state(last).update(`${value}@${ctx.currentEventTime()}`);
        ctx.registerEventTimeTimer(50 + ctx.currentEventTime());
      },
      onEventTime: (_time, key, ctx, collector) =>
        collector.collect(`${ctx.key === key} ${ctx.state(last).value()}`),
    };
    const out = await results((env) =>
      timed(env, [
        { at: 1, value: 'a' },
        { at: 2, value: 'b' },
      ])
        .keyBy((v) => v)
        .process(fn)
        .keyBy(() => 0)
        .process<string>((_key, value, ctx, collector) =>
          collector.collect(`${value} ${ctx.currentEventTime()}`),
        ),
    );
    expect(out).toEqual(['true a@1 51', 'true b@2 52']);
  });

  test('simulated time never goes back', async () => {
    const out = await results((env) =>
      timed(
        env,
        [5, 3, 9].map((at) => ({ at, value: 'a' })),
        100,
      )
        .keyBy((v) => v)
        .process<number>((_key, _value, ctx, collector) => collector.collect(ctx.currentProcessingTime())),
    );
    expect(out).toEqual([5, 5, 9]);
  });

  test('a timer in the past is due after its record', async () => {
    const out = await keyed(
      [
        { at: 100, value: 'a' },
        { at: 200, value: 'a' },
      ],
      {
        processElement(_key, _value, ctx, collector) {
          ctx.registerEventTimeTimer(7);
          collector.collect(`e${ctx.currentEventTime()}`);
        },
        onEventTime: (time, _key, ctx, collector) =>
          collector.collect(`et${time} at ${ctx.currentWatermark()}`),
      },
    );
    expect(out).toEqual(['e100', 'et7 at 99', 'e200', 'et7 at 199']);
  });

  test.each([Number.NaN, Infinity, -Infinity, 1.5, '10', undefined, new Date(0)])(
    'the time %p is refused at the call',
    async (time) => {
      const refusals: unknown[] = [];
      await untimed(['a'], {
        processElement(_key, _value, ctx) {
          for (const register of ['registerEventTimeTimer', 'registerProcessingTimeTimer'] as const) {
            try {
              ctx[register](time as number);
            } catch (error) {
              refusals.push(error);
            }
          }
        },
        onEventTime: () => void refusals.push('fired'),
        onProcessingTime: () => void refusals.push('fired'),
      });
      expect(refusals).toEqual([coded('RS_INVALID_TIMESTAMP'), coded('RS_INVALID_TIMESTAMP')]);
    },
  );
});

// A million timers each, so once per kind.
test.each([
  ['event', 'eager'],
  ['processing', 'async'],
] as const)('a %s-time timer that never stops is an error, %s', async (kind, mode) => {
  const again = (time: number, ctx: ProcessContext<string>) =>
    kind === 'event' ? ctx.registerEventTimeTimer(time + 1) : ctx.registerProcessingTimeTimer(time + 1);
  const running = run(mode, (env) =>
    env
      .fromElements('a')
      .keyBy((v) => v)
      .process({
        processElement: (_key, _value, ctx) => again(0, ctx),
        onEventTime: (time, _key, ctx) => again(time, ctx),
        onProcessingTime: (time, _key, ctx) => again(time, ctx),
      })
      .addSink(() => undefined),
  );
  await expect(running).rejects.toEqual(coded('RS_TIMER_LOOP'));
});
