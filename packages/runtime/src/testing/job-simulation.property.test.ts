import { describe, expect, test } from '@jest/globals';
import { valueState } from '@rs/core';
import { WatermarkStrategy } from '@rs/watermark';
import { SessionWindow, TumblingWindow } from '@rs/window';
import fc from 'fast-check';
import { type Event, JOBS } from '../test-support/job-catalogue.ts';
import { Simulated, type SimulatedOptions } from '../test-support/simulated.ts';
import { graphOf, type HarnessItem, type HarnessJob, runChained } from './job-harness.ts';

const ignore = () => undefined;

/** Nothing is late, whatever order the partitions are read in. */
const patient = WatermarkStrategy.forBoundedOutOfOrderness<Event>(10_000).withTimestampAssigner(
  ({ time }) => time,
);

/** Jobs of several stages. Each result begins with its key, and results of a key do not depend on those of others. */
const STAGED: Record<string, HarnessJob> = {
  'a reduce, then another one': (env) => {
    env
      .input<Event>()
      .keyBy(({ key }) => key)
      .reduce((a, b) => ({ ...b, amount: a.amount + b.amount }))
      .keyBy(({ key }) => key)
      .map(({ key, amount }): [key: string, sum: number, results: number] => [key, amount, 1])
      .reduce(([key, , results], [, sum]) => [key, sum, results + 1])
      .map((result) => result.join(' '))
      .addSink(ignore);
  },
  'windows and sessions': (env) => {
    const keyed = env
      .input<Event>()
      .assignTimestampsAndWatermarks(patient)
      .keyBy(({ key }) => key);
    keyed
      .window(TumblingWindow.of(10))
      .apply<string>((key, { start }, elements, out) => out.collect(`${key} ${start} ${elements.length}`))
      .addSink(ignore);
    keyed
      .window(SessionWindow.withGap(6))
      .apply<string>((key, { start, end }, elements, out) =>
        out.collect(`${key} ${start}-${end} ${elements.length}`),
      )
      .keyBy((text) => text.split(' ')[0])
      .map((text) => [text])
      .reduce((a, b) => [...a, ...b].sort())
      .map((all) => all.join())
      .addSink(ignore);
  },
  'state and timers': (env) => {
    const keyed = env
      .input<Event>()
      .assignTimestampsAndWatermarks(patient)
      .keyBy(({ key }) => key);
    const count = keyed.getState(valueState('count', { default: () => 0 }));
    keyed
      .process<string>({
        processElement: (key, { time }, ctx, out) => {
          count.update(count.value() + 1);
          ctx.registerEventTimeTimer(time + 3);
          out.collect(`${key} ${count.value()}`);
        },
        onEventTime: (time, key, _ctx, out) => out.collect(`${key} @${time} ${count.value()}`),
      })
      .addSink(ignore);
  },
  'through an exchange and around it': (env) => {
    const input = env.input<Event>();
    input
      .keyBy(({ key }) => key)
      .sum(({ amount }) => amount)
      .map((sum) => `sum ${sum}`)
      .union(input.map(({ key }) => `${key} seen`))
      .addSink(ignore);
  },
};

const KEYS = ['a', 'b', 'c', '__proto__', '日本'];

const events = fc.array(
  fc.record({
    key: fc.constantFrom(...KEYS),
    step: fc.integer({ min: -3, max: 9 }),
    amount: fc.integer({ min: 0, max: 10 }),
  }),
  { maxLength: 30 },
);

function timed(drawn: readonly { key: string; step: number; amount: number }[]): Event[] {
  let time = 0;
  return drawn.map(({ key, step, amount }) => ({ key, amount, time: (time += step) }));
}

/** Results by what they begin with, in their order. */
function byKey(values: readonly string[]): ReadonlyMap<string, readonly string[]> {
  return grouped(values, (value) => value.split(' ')[0] ?? '');
}

function grouped<T>(values: readonly T[], groupOf: (value: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) groups.set(groupOf(value), [...(groups.get(groupOf(value)) ?? []), value]);
  return groups;
}

async function resultsOf(job: HarnessJob, all: readonly Event[], options: SimulatedOptions) {
  const run = new Simulated(job, options);
  for (const event of all) {
    run.keyed(event.key, event, event.time);
    await run.job.run();
  }
  await run.end().job.flush();
  return run.values;
}

describe.each(Object.entries(STAGED))('%s', (_name, job) => {
  test('on 4 partitions each key has the results that it has on one', async () => {
    await fc.assert(
      fc.asyncProperty(events, fc.integer({ min: 1, max: 7 }), async (drawn, batchSize) => {
        const all = timed(drawn);
        const sorted = (values: unknown[]) => values.map(String).toSorted();
        const one = byKey(sorted(await resultsOf(job, all, { partitions: 1 })));
        expect(byKey(sorted(await resultsOf(job, all, { partitions: 4, batchSize })))).toEqual(one);
      }),
      { numRuns: 25, seed: 5 },
    );
  });

  test.each(['crash', 'rebalance'] as const)('a %s at any point changes nothing', async (event) => {
    const [drawn = []] = fc.sample(fc.array(events, { minLength: 1 }), { numRuns: 1, seed: 3 });
    const all = timed(drawn.flat().slice(0, 12));
    expect(all).toHaveLength(12);
    for (const batchSize of [1, 3]) {
      const expected = await resultsOf(job, all, { partitions: 3, batchSize });
      for (let at = 0; at <= all.length; at++) {
        const run = new Simulated(job, { partitions: 3, batchSize });
        for (const [index, one] of all.entries()) {
          if (index === at) await happen(run, event);
          run.keyed(one.key, one, one.time);
          await run.job.run();
        }
        run.end();
        if (at === all.length) await happen(run, event);
        await run.job.flush();
        expect(run.values).toEqual(expected);
      }
    }
  });

  test('the same calls give the same outputs, their order included', async () => {
    const drawn = fc.sample(events, { numRuns: 5, seed: 8 });
    for (const one of drawn) {
      const options = { partitions: 4, batchSize: 2 };
      expect(await resultsOf(job, timed(one), options)).toEqual(await resultsOf(job, timed(one), options));
    }
  });
});

async function happen({ job }: Simulated, event: 'crash' | 'rebalance'): Promise<void> {
  if (event === 'rebalance') return job.rebalance();
  await job.crash();
  await job.restart();
}

const steps = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom<'record'>('record') },
    { weight: 3, arbitrary: fc.constantFrom('crash', 'rebalance', 'flush', 'tick') },
  ),
  { maxLength: 40 },
);

describe.each(Object.entries(JOBS))('on one partition: %s', (_name, job) => {
  test('equals the chained run, whatever happens in between', async () => {
    const sources = graphOf(job).sources.length;
    await fc.assert(
      fc.asyncProperty(
        events,
        steps,
        fc.integer({ min: 1, max: 9 }),
        async (drawn, drawnSteps, batchSize) => {
          const items: HarnessItem[] = timed(drawn).map((value, index) => ({
            type: 'record',
            input: index % sources,
            value,
            timestamp: value.time,
          }));
          for (let input = 0; input < sources; input++) items.push({ type: 'end', input });
          const expected = await runChained(graphOf(job), items);
          const run = new Simulated(job, { partitions: 1, batchSize });
          for (const { type, input } of items) if (type === 'record') run.job.announce(run.source(input), 0);
          const left = [...items];
          const append = () => {
            const item = left.shift();
            if (item !== undefined) run.item(0, item, item.input);
          };
          for (const step of drawnSteps) {
            if (step === 'record') append();
            else if (step === 'flush' || step === 'tick') await run.job[step]();
            else await happen(run, step);
            await run.job.run();
          }
          while (left.length > 0) append();
          await run.job.flush();
          expect(bySink(run.outputs)).toEqual(bySink(expected.outputs));
          expect(run.late()).toBe(Object.values(expected.late).reduce((sum, count) => sum + count, 0));
        },
      ),
      { numRuns: 15, seed: 20261201 },
    );
  });
});

function bySink(outputs: Readonly<Simulated['outputs']>) {
  return grouped(outputs, ({ sink }) => sink);
}
