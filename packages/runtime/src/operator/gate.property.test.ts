import { describe, expect, test } from '@jest/globals';
import { type DataStream, type MaybePromise, valueState } from '@rs/core';
import { BoundedOutOfOrdernessWatermarkGenerator } from '@rs/watermark';
import { SlidingWindow } from '@rs/window';
import fc from 'fast-check';
import { JobRun } from '../test-support/job-run.ts';

const COUNT = valueState('count', { default: () => 0 });

/** Gives a value at once, or a promise of it that takes some turns. */
type Later = <T>(value: () => T) => MaybePromise<T>;

const atOnce: Later = (value) => value();

/** The n-th call takes as many turns as the n-th number says; 0 is no promise. */
function taking(turns: readonly number[]): Later {
  let call = 0;
  return (value) => {
    const wait = turns[call++ % turns.length] ?? 0;
    if (wait === 0) return value();
    return (async () => {
      for (let i = 0; i < wait; i++) await Promise.resolve();
      return value();
    })();
  };
}

/** Every operator that may wait, one after the other. */
function chain(input: DataStream<number>, later: Later): DataStream<string> {
  const keyed = input
    .map((time) => later(() => time))
    .filter((time) => later(() => time % 7 !== 0))
    .flatMap((time) => later(() => (time % 5 === 0 ? [time, time + 1] : [time])))
    .assignTimestampsAndWatermarks(
      (time: number) => time,
      () => new BoundedOutOfOrdernessWatermarkGenerator<number>(3),
    )
    .keyBy((time) => time % 3);
  keyed.getState(COUNT);
  return keyed
    .map((time) => later(() => time))
    .process<string>({
      processElement: (key, time, ctx, out) =>
        later(() => {
          ctx.registerEventTimeTimer(time + 4);
          ctx.registerProcessingTimeTimer(ctx.currentProcessingTime() + 2);
          ctx.state(COUNT).update(ctx.state(COUNT).value() + 1);
          out.collect(`${key}:${ctx.state(COUNT).value()}`);
        }),
      onEventTime: (time, key, ctx, out) =>
        later(() => {
          if (time % 2 === 0 && ctx.currentWatermark() < Infinity) ctx.registerProcessingTimeTimer(time);
          out.collect(`et${key}`);
        }),
      onProcessingTime: (_time, key, ctx, out) =>
        later(() => out.collect(`pt${key}@${ctx.currentProcessingTime()}`)),
    })
    .keyBy((text) => text.length)
    .window(SlidingWindow.of(6, 4))
    .apply<string>((key, { start }, texts, out) =>
      later(() => out.collect(`${key}[${start}: ${texts.join()}]`)),
    )
    .map((text) => later(() => text));
}

describe('asynchronous functions', () => {
  test('give the results of synchronous ones, in the same order, among the same watermarks', async () => {
    const times = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 25 });
    const turns = fc.array(fc.nat(4), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(times, turns, async (all, waits) => {
        const expected = new JobRun<number>((input) => chain(input, atOnce));
        const run = new JobRun<number>((input) => chain(input, taking(waits)), { mode: 'async' });
        for (const time of all) expected.feed([time, 0]);
        expected.end();
        for (const time of all) {
          run.feed([time, 0]);
          if (time % 4 !== 0) await run.settled(); // A driver waits; fan-out does not.
        }
        run.end();
        await run.settled();
        expect(run.output().trace).toEqual(expected.output().trace);
        expect(run.leftovers()).toEqual(expected.leftovers());
      }),
      { numRuns: 300, seed: 20261130 },
    );
  });
});
