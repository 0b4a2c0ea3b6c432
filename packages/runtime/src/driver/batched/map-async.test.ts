import { describe, expect, test } from '@jest/globals';
import { type DataStream, valueState } from '@rs/core';
import { WatermarkStrategy } from '@rs/watermark';
import { TumblingWindow } from '@rs/window';
import fc from 'fast-check';
import {
  type BatchedRun,
  graphOf,
  type HarnessItem,
  type HarnessJob,
  runBatched,
  runChained,
} from '../../testing/index.ts';

/** Each number takes as many turns as its last digit says. */
async function ask(number: number): Promise<number> {
  for (let turns = 0; turns < number % 10; turns++) await Promise.resolve();
  return number;
}

const HOW = {
  map: (stream: DataStream<number>) => stream.map((number) => number),
  ordered: (stream: DataStream<number>) => stream.mapAsync(ask, { concurrency: 3 }),
  unordered: (stream: DataStream<number>) => stream.mapAsync(ask, { concurrency: 3, ordered: false }),
};

const strategy = WatermarkStrategy.forBoundedOutOfOrderness<number>(3).withTimestampAssigner((time) => time);
const count = valueState('count', { default: () => 0 });

const JOBS: Record<string, (how: (stream: DataStream<number>) => DataStream<number>) => HarnessJob> = {
  'beside the records that it was asked about': (how) => (env) => {
    const input = env.input<number>();
    input
      .union(how(input), how(input.filter((number) => number % 3 === 0)))
      .keyBy((number) => number % 2)
      .map((number) => number)
      .reduce((a, b) => 2 * a + b)
      .addSink(() => undefined);
  },
  'before watermarks are made': (how) => (env) => {
    how(env.input<number>())
      .assignTimestampsAndWatermarks(strategy)
      .keyBy((time) => time % 2)
      .process<string>({
        open: (ctx) => void ctx.state(count),
        processElement: (key, time, ctx, out) => {
          const n = ctx.state(count);
          n.update(n.value() + 1);
          out.collect(`${key}: ${time} is number ${n.value()} at ${ctx.currentWatermark()}`);
        },
      })
      .addSink(() => undefined);
  },
  'among watermarks, for more records than may be under way': (how) => (env) => {
    how(
      env
        .input<number>()
        .assignTimestampsAndWatermarks(strategy)
        .flatMap((time) => Array.from({ length: time % 8 }, (_, index) => time + index)),
    )
      .keyBy((number) => number % 2)
      .window(TumblingWindow.of(10))
      .apply<string>((key, { start }, numbers, out) => out.collect(`${key} ${start} ${numbers.join()}`))
      .addSink(() => undefined);
  },
};

const RUNS: readonly BatchedRun[] = [
  { batchSize: 1 },
  { batchSize: 7 },
  { batchSize: 500 },
  { batchSize: 3, crashEvery: 1, cachedBytes: 0 },
];

/** Fails now and then, so that batches are undone while calls are under way. */
function failing(): () => void {
  let outputs = 0;
  return () => {
    if (++outputs % 7 === 0) throw new Error(`output ${outputs} failed`);
  };
}

describe.each(Object.entries(JOBS))('%s', (_name, job) => {
  test.each(['ordered', 'unordered'] as const)(
    '%s: the results of map, however batches are cut',
    async (how) => {
      await fc.assert(
        fc.asyncProperty(fc.array(fc.nat({ max: 60 }), { maxLength: 30 }), async (numbers) => {
          const items: HarnessItem[] = numbers.map((value) => ({
            type: 'record',
            input: 0,
            value,
            timestamp: 0,
          }));
          items.push({ type: 'end', input: 0 });
          const { outputs: expected } = await runChained(graphOf(job(HOW.map)), items);
          const values = expected.map(({ value }) => value);
          for (const run of RUNS) {
            const { outputs } = await runBatched(() => graphOf(job(HOW[how])), items, run);
            expect(outputs.map(({ value }) => value)).toEqual(values);
          }
          const fails = failing();
          const { outputs } = await runBatched(() => graphOf(job(HOW[how]), fails), items, {
            batchSize: 6,
            attempts: 3,
          });
          expect(outputs.map(({ value }) => value)).toEqual(values);
        }),
        { numRuns: 60, seed: 20261204 },
      );
    },
  );
});
