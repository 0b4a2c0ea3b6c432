import { describe, expect, test } from '@jest/globals';
import { mapState, valueState } from '@rs/core';
import { WatermarkStrategy } from '@rs/watermark';
import { TumblingWindow } from '@rs/window';
import fc from 'fast-check';
import type { Event } from '../test-support/job-catalogue.ts';
import { Simulated } from '../test-support/simulated.ts';
import type { HarnessEnvironment, HarnessJob } from './job-harness.ts';

const ignore = () => undefined;
const limits = mapState<string, number>('limits');
const total = valueState('total', { default: () => 0 });

/** Nothing is late, whatever order the partitions are read in. */
const patient = WatermarkStrategy.forBoundedOutOfOrderness<Event>(10_000).withTimestampAssigner(
  ({ time }) => time,
);

function inputs(env: HarnessEnvironment) {
  const left = env.input<Event>('left').assignTimestampsAndWatermarks(patient);
  const right = env.input<Event>('right').assignTimestampsAndWatermarks(patient);
  return { left, right };
}

/** Between the inputs there is no order, so these jobs have results that do not depend on it. */
const JOBS: Record<string, HarnessJob> = {
  'connected, told by a timer': (env) => {
    const { left, right } = inputs(env);
    left
      .keyBy(({ amount }) => amount % 3)
      .connect(right.keyBy(({ amount }) => amount % 3))
      .process<string>({
        open: (ctx) => void ctx.state(total),
        processElement1: (_key, { amount }, ctx) => {
          ctx.state(total).update(ctx.state(total).value() + amount);
          ctx.registerEventTimeTimer(1000);
        },
        processElement2: (_key, { amount }, ctx) => {
          ctx.state(total).update(ctx.state(total).value() + 1000 * amount);
          ctx.registerEventTimeTimer(1000);
        },
        onEventTime: (_time, key, ctx, out) => out.collect(`${key}: ${ctx.state(total).value()}`),
      })
      .addSink(ignore);
  },
  'cogrouped, behind results of one side': (env) => {
    const { left, right } = inputs(env);
    left
      .keyBy(({ key }) => key)
      .window(TumblingWindow.of(5))
      .apply<Event>((key, { start }, elements, out) =>
        out.collect({ key, time: start, amount: elements.length }),
      )
      .keyBy(({ key }) => key)
      .cogroup(right.keyBy(({ key }) => key))
      .window(TumblingWindow.of(10))
      .apply<string>((key, { start }, lefts, rights, out) => {
        const sum = lefts.reduce((counted, { amount }) => counted + amount, 0);
        out.collect(`${key} ${start} ${sum}|${rights.length}`);
      })
      .addSink(ignore);
  },
};

const drawn = fc.array(
  fc.record({
    input: fc.constantFrom(0, 1),
    key: fc.constantFrom('a', 'b', 'c', '__proto__'),
    time: fc.nat({ max: 60 }),
    amount: fc.nat({ max: 9 }),
  }),
  { maxLength: 30 },
);

describe.each(Object.entries(JOBS))('%s', (_name, job) => {
  test('is the same on 4 partitions, in batches and with crashes, as on one', async () => {
    await fc.assert(
      fc.asyncProperty(drawn, fc.integer({ min: 1, max: 7 }), async (events, batchSize) => {
        const resultsOf = async (partitions: number, crashes: boolean) => {
          const run = new Simulated(job, { partitions, batchSize });
          for (const [index, { input, ...event }] of events.entries()) {
            run.keyed(event.key, event, event.time, input);
            if (index % 3 === 0) await run.job.run();
            if (crashes && index % 5 === 0) {
              await run.job.crash();
              await run.job.restart();
            }
          }
          await run.end(0).end(1).job.flush();
          return run.values.toSorted();
        };
        expect(await resultsOf(4, true)).toEqual(await resultsOf(1, false));
      }),
      { numRuns: 40, seed: 2 },
    );
  });
});

describe.each([1, 4, 100])('broadcast, in batches of %d', (batchSize) => {
  test('every partition keeps what it was sent, through crashes', async () => {
    const job: HarnessJob = (env) => {
      const { left, right } = inputs(env);
      left
        .keyBy(({ amount }) => amount)
        .connect(right.broadcast(limits))
        .process<string>({
          processElement: (key, _event, ctx, out) =>
            out.collect(`${key} ${[...ctx.broadcastState(limits).entries()].join(' ')}`),
          processBroadcastElement: ({ key, amount }, ctx) => {
            const state = ctx.broadcastState(limits);
            state.put(key, (state.get(key) ?? 0) + amount);
          },
        })
        .addSink(ignore);
    };
    const run = new Simulated(job, { partitions: 4, batchSize });
    const restart = async () => {
      await run.job.crash();
      await run.job.restart();
    };
    for (const [time, key] of ['x', 'y', 'x'].entries()) run.record(0, { key, time, amount: 5 }, time, 1);
    await run.job.flush();
    await restart();
    for (let amount = 0; amount < 8; amount++) run.record(amount % 4, { key: 'k', time: 9, amount }, 9, 0);
    await run.job.flush();
    await restart();
    run.record(2, { key: 'y', time: 10, amount: 1 }, 10, 1);
    await run.job.flush();
    for (let amount = 0; amount < 8; amount++) run.record(0, { key: 'k', time: 11, amount }, 11, 0);
    await run.end(0).end(1).job.flush();
    const told = (limit: string) => Array.from({ length: 8 }, (_, key) => `${key} ${limit}`);
    expect(run.values.toSorted()).toEqual([...told('x,10 y,5'), ...told('x,10 y,6')].toSorted());
  });
});
