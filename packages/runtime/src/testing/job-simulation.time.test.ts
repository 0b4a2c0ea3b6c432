import { describe, expect, test } from '@jest/globals';
import type { IdleMode } from '@rs/core';
import { TumblingWindow } from '@rs/window';
import type { Event } from '../test-support/job-catalogue.ts';
import { Simulated } from '../test-support/simulated.ts';
import { event, ignore, reminders, strict, windows } from '../test-support/simulated-jobs.ts';
import type { HarnessJob } from './job-harness.ts';

describe('a tick', () => {
  test('fires what is due, no sooner', async () => {
    const run = new Simulated(reminders, { partitions: 2, processingTime: 'clock' });
    await run.keyed('a', event('a', 0), 0).job.run();
    expect(await run.job.nextTimer()).toBe(5);
    await run.tickAt(4);
    expect(run.values).toEqual(['a']);
    await run.tickAt(5);
    expect([run.values, await run.job.nextTimer()]).toEqual([['a', 'a is due at 5'], Infinity]);
  });

  test('lets what timers of earlier stages send come before the timers of later ones', async () => {
    const two: HarnessJob = (env) => {
      env
        .input<Event>()
        .keyBy(({ key }) => key)
        .process<string>({
          processElement: (key, _value, ctx, out) => {
            ctx.registerProcessingTimeTimer(5);
            out.collect(`${key} first`);
          },
          onProcessingTime: (_time, key, _ctx, out) => out.collect(`${key} second`),
        })
        .keyBy((text) => text.slice(0, 1))
        .process<string>({
          processElement: (_key, text, ctx, out) => {
            ctx.registerProcessingTimeTimer(5);
            out.collect(text);
          },
          onProcessingTime: (_time, key, _ctx, out) => out.collect(`${key} timer`),
        })
        .addSink(ignore);
    };
    const run = new Simulated(two, { partitions: 3, processingTime: 'clock' });
    await run.keyed('a', event('a', 0), 0).job.run();
    await run.tickAt(5);
    expect(run.values).toEqual(['a first', 'a second', 'a timer']);
  });

  test('notices inputs that are quiet', async () => {
    const quiet: HarnessJob = (env) => {
      env
        .input<Event>()
        .assignTimestampsAndWatermarks(strict.withIdleness(100, { mode: 'hold' }))
        .keyBy(({ key }) => key)
        .window(TumblingWindow.of(10))
        .count()
        .addSink(ignore);
    };
    const run = new Simulated(quiet, { partitions: 2 });
    run.record(0, event('a', 1), 1).record(1, event('a', 2), 2);
    await run.job.run();
    await run.tickAt(99);
    await run.record(0, event('a', 15), 15).job.run();
    expect(run.values).toEqual([]);
    await run.tickAt(100);
    expect(run.values).toEqual([2]);
  });
});

describe('the next tick', () => {
  const timed =
    (mode: IdleMode): HarnessJob =>
    (env) => {
      env
        .input<Event>()
        .assignTimestampsAndWatermarks(strict.withIdleness(10_000, { mode }))
        .keyBy(({ key }) => key)
        .window(TumblingWindow.of(100_000))
        .count()
        .addSink(ignore);
    };

  /** The times of the ticks, until nothing is due any more. */
  async function ticks(run: Simulated): Promise<number[]> {
    const times: number[] = [];
    for (let next = await run.job.nextTimer(); next < Infinity; next = await run.job.nextTimer()) {
      expect(next).toBeGreaterThan(times.at(-1) ?? -1);
      times.push(next);
      await run.tickAt(next);
    }
    return times;
  }

  test('is the next look at inputs that may be idle, as long as an event timer waits', async () => {
    const run = new Simulated(timed('advance'), { partitions: 1 });
    await run.job.run();
    expect(await run.job.nextTimer()).toBe(Infinity);
    await run.record(0, event('a', 1), 1).job.run();
    const times = await ticks(run);
    // Ten looks per time-out; then the clock and the watermark, which was 0, come to the end of the window together.
    expect([times.slice(0, 2), times.slice(-2)]).toEqual([
      [1_000, 2_000],
      [10_000, 99_999],
    ]);
    expect([times.length, run.values]).toEqual([11, [1]]);
  });

  test.each<[IdleMode, number]>([
    ['hold', 0],
    ['flush', 1],
  ])('of the mode %s is the last one at the time-out', async (mode, results) => {
    const run = new Simulated(timed(mode), { partitions: 1 });
    await run.record(0, event('a', 1), 1).job.run();
    expect((await ticks(run)).at(-1)).toBe(10_000);
    expect(run.values).toHaveLength(results);
  });

  test('counts anew from each record, and not at all after the end or a crash', async () => {
    const run = new Simulated(timed('hold'), { partitions: 1 });
    await run.record(0, event('a', 1), 1).job.run();
    await run.tickAt(9_000);
    await run.record(0, event('a', 2), 2).job.run();
    expect((await ticks(run)).at(-1)).toBe(19_000);
    await run.record(0, event('a', 3), 3).job.run();
    await run.job.crash();
    expect(await run.job.nextTimer()).toBe(Infinity);
    await run.job.restart();
    expect((await ticks(run)).at(-1)).toBe(29_000);
    await run.record(0, event('a', 3), 3).end().job.run();
    expect(await run.job.nextTimer()).toBe(Infinity);
  });
});

describe('advancing event time', () => {
  test('closes windows everywhere', async () => {
    const run = new Simulated(windows, { partitions: 3, batchSize: 100 });
    run.record(0, event('a', 1), 1).record(1, event('b', 2), 2);
    await run.job.advance(10);
    expect(run.values.toSorted()).toEqual(['a@0:1', 'b@0:1']);
    expect(run.late()).toBe(0);
    await run.record(0, event('a', 3), 3).job.flush();
    expect(run.late()).toBe(1);
  });

  test('in one partition moves that one alone', async () => {
    const run = new Simulated(windows, { partitions: 2 });
    run.record(0, event('a', 1), 1).record(1, event('b', 2), 2);
    await run.job.advance(10, { source: run.source(), partition: 0 });
    expect(run.values).toEqual([]);
    await run.job.advance(10, { source: run.source(), partition: 1 });
    expect(run.values).toHaveLength(2);
  });

  test('reaches operators that make watermarks in later stages, behind what was sent before', async () => {
    const later: HarnessJob = (env) => {
      env
        .input<Event>()
        .keyBy(({ key }) => key)
        .reduce((_, b) => b)
        .assignTimestampsAndWatermarks(strict)
        .keyBy(({ key }) => key)
        .window(TumblingWindow.of(10))
        .count()
        .addSink(ignore);
    };
    const run = new Simulated(later, { partitions: 3, batchSize: 50 });
    for (let n = 0; n < 5; n++) run.record(n % 3, event('a', n), n);
    await run.job.advance(15);
    expect([run.values, run.late()]).toEqual([[5], 0]);
    // Partitions of the second stage that get no record of their own stay where they are.
    run.record(0, event('a', 25), 25).record(0, event('a', 35), 35);
    await run.job.flush();
    expect(run.values).toEqual([5]);
    await run.job.advance(34);
    expect(run.values).toEqual([5, 1]);
  });

  test('does not move what makes watermarks for another input too, unless that has ended', async () => {
    const merged: HarnessJob = (env) => {
      env
        .input<Event>('left')
        .union(env.input<Event>('right'))
        .assignTimestampsAndWatermarks(strict)
        .keyBy(({ key }) => key)
        .window(TumblingWindow.of(10))
        .count()
        .addSink(ignore);
    };
    const run = new Simulated(merged, { partitions: 1 });
    run.record(0, event('a', 1), 1);
    const left = { source: run.source(), partition: 0 };
    await run.job.advance(20, left);
    expect(run.values).toEqual([]);
    await run.item(0, { type: 'end' }, 1).job.advance(30, left);
    expect(run.values).toEqual([1]);
  });

  test('is a watermark where no operator makes any, and never goes back', async () => {
    const plain: HarnessJob = (env) => {
      env
        .input<Event>()
        .keyBy(({ key }) => key)
        .process<number>((_key, _value, ctx, out) => out.collect(ctx.currentWatermark()))
        .addSink(ignore);
    };
    for (const partitions of [1, 3]) {
      const run = new Simulated(plain, { partitions });
      await run.job.advance(20);
      await run.record(0, event('a', 1), 1).job.advance(10);
      await run.record(0, event('a', 2), 2).job.run();
      expect(run.values).toEqual([20, 20]);
    }
  });

  test('of inputs that have ended does nothing', async () => {
    const run = new Simulated(windows, { partitions: 2 });
    await run.record(0, event('a', 1), 1).end().job.run();
    const before = run.job.tasks.map(({ backend }) => backend.commits().length);
    await run.job.advance(99);
    expect(run.job.tasks.map(({ backend }) => backend.commits().length)).toEqual(before);
  });

  test('leaves a partition without records idle behind an exchange', async () => {
    const run = new Simulated(windows, { partitions: 3 });
    await run.job.advance(5);
    await run.record(0, event('a', 12), 12).job.run();
    await run.record(0, event('a', 25), 25).job.run();
    expect(run.values).toEqual(['a@10:1']);
  });

  test('is refused after a crash', async () => {
    const run = new Simulated(windows, { partitions: 3 });
    await run.job.crash();
    await expect(run.job.advance(5)).rejects.toMatchObject({ code: 'RS_UNSUPPORTED' });
  });
});

test('timers are listed in the order in which they will fire', async () => {
  const timers: HarnessJob = (env) => {
    env
      .input<Event>()
      .keyBy(({ key }) => key)
      .process<void>(
        {
          processElement: (_key, { time }, ctx) => {
            ctx.registerEventTimeTimer(time);
            ctx.registerProcessingTimeTimer(time);
          },
          onEventTime: () => undefined,
          onProcessingTime: () => undefined,
        },
        { uid: 'timing' },
      )
      .addSink(ignore);
  };
  const run = new Simulated(timers, { partitions: 3, processingTime: 'clock' });
  run.keyed('b', event('b', 20), 20).keyed('a', event('a', 20), 20).keyed('c', event('c', 10), 10);
  await run.job.run();
  const timer = (kind: string, key: string, time: number) => ({ operator: 'timing', kind, key, time });
  expect(run.job.timers()).toEqual([
    timer('processing', 'c', 10),
    timer('event', 'c', 10),
    timer('processing', 'a', 20),
    timer('processing', 'b', 20),
    timer('event', 'a', 20),
    timer('event', 'b', 20),
  ]);
  await run.tickAt(15);
  expect(run.job.timers()).toHaveLength(5);
});
