import { describe, expect, test } from '@jest/globals';
import { defineJob, outputTag, type StreamEnvironment, valueState } from '@rs/core';
import { SessionWindow, SlidingWindow, TumblingWindow } from '@rs/window';
import { WatermarkStrategy } from '@rs/watermark';
import fc from 'fast-check';
import { StreamExecutionEnvironment } from './index.ts';

const RUNS = 150;

/** What each step of the pipeline does, in the order in which the step was called. */
type Effects = Record<string, string[]>;

type Step =
  'map' | 'filter' | 'flatMap' | 'keyed map' | 'process' | 'timer' | 'window' | 'sink' | 'side sink';

interface Scenario {
  readonly records: readonly { readonly at: number; readonly key: string; readonly n: number }[];
  /** Turns of the microtask queue that each call of a step takes, in turn; 0: it is synchronous. */
  readonly delays: Readonly<Record<Step, readonly number[]>>;
  readonly window: 'tumbling' | 'sliding' | 'session';
}

const COUNT = valueState('count', { default: () => 0 });
const SIDE = outputTag<string>('side');

const WINDOWS = {
  tumbling: () => TumblingWindow.of(10),
  sliding: () => SlidingWindow.of(10, 5),
  session: () => SessionWindow.withGap(4),
};

/** A pipeline of every kind of step. `call` may make a step asynchronous. */
function define(
  env: StreamEnvironment,
  { records, window }: Scenario,
  effects: Effects,
  call: <R>(step: Step, effect: () => R) => R,
): void {
  const note = <R>(step: Step, value: unknown, result: () => R): R =>
    call(step, () => {
      (effects[step] ??= []).push(String(value));
      return result();
    });

  const keyed = env
    .fromCollection(records)
    .assignTimestampsAndWatermarks(
      WatermarkStrategy.forBoundedOutOfOrderness<(typeof records)[number]>(3).withTimestampAssigner(
        (r) => r.at,
      ),
    )
    .map((r) => note('map', r.n, () => ({ key: r.key, n: r.n })))
    .filter((r) => note('filter', r.n, () => r.n % 7 !== 0))
    .flatMap((r) => note('flatMap', r.n, () => (r.n % 5 === 0 ? [r, { ...r, n: r.n + 1000 }] : [r])))
    .keyBy((r) => r.key);

  const processed = keyed
    .map((r) => note('keyed map', r.n, () => r.n))
    .process<string>({
      open: (ctx) => void ctx.state(COUNT),
      processElement: (key, n, ctx, out) =>
        note('process', n, () => {
          const count = ctx.state(COUNT);
          count.update(count.value() + 1);
          out.collect(`${key}${count.value()}`);
          if (n % 3 === 0) ctx.output(SIDE, `${key}:${n}`);
          ctx.registerEventTimeTimer(ctx.currentEventTime() + (n % 4));
          ctx.registerProcessingTimeTimer(ctx.currentProcessingTime() + (n % 5));
        }),
      onEventTime: (time, key, ctx, out) =>
        note('timer', `event ${key} ${time} ${ctx.currentWatermark()}`, () =>
          out.collect(`${key}e${ctx.state(COUNT).value()}`),
        ),
      onProcessingTime: (time, key, ctx, out) =>
        note('timer', `processing ${key} ${time}`, () => out.collect(`${key}p${ctx.state(COUNT).value()}`)),
    });

  processed.getSideOutput(SIDE).addSink((v) => note('side sink', v, () => undefined));
  processed
    .keyBy((v) => v[0] as string)
    .window(WINDOWS[window]())
    .apply<string>((key, { start, end }, elements, out) =>
      note('window', `${key}[${start},${end})`, () => out.collect(`${key}${start}:${elements.join()}`)),
    )
    .addSink((v) => note('sink', v, () => undefined));
}

async function effectsOf(scenario: Scenario): Promise<Effects> {
  const effects: Effects = {};
  const calls: Partial<Record<Step, number>> = {};
  const job = defineJob((env) =>
    define(env, scenario, effects, (step, effect) => {
      const delays = scenario.delays[step];
      const nth = calls[step] ?? 0;
      calls[step] = nth + 1;
      const delay = delays[nth % delays.length] ?? 0;
      return delay === 0 ? effect() : (afterTurns(delay, effect) as ReturnType<typeof effect>);
    }),
  );
  await StreamExecutionEnvironment.getExecutionEnvironment().executeAsync(job);
  return effects;
}

async function afterTurns<R>(turns: number, effect: () => R): Promise<R> {
  for (let i = 0; i < turns; i++) await Promise.resolve();
  return effect();
}

const SYNCHRONOUS: Scenario['delays'] = {
  map: [0],
  filter: [0],
  flatMap: [0],
  'keyed map': [0],
  process: [0],
  timer: [0],
  window: [0],
  sink: [0],
  'side sink': [0],
};

const delays = fc.array(fc.nat({ max: 4 }), { minLength: 1, maxLength: 3 });
const scenarios: fc.Arbitrary<Scenario> = fc.record({
  records: fc
    .array(fc.record({ step: fc.integer({ min: -4, max: 6 }), key: fc.constantFrom('a', 'b', 'c') }), {
      maxLength: 30,
    })
    .map((steps) => {
      let at = 0;
      return steps.map(({ step, key }, n) => ({ at: (at += step), key, n: n + 1 }));
    }),
  delays: fc.record({
    map: delays,
    filter: delays,
    flatMap: delays,
    'keyed map': delays,
    process: delays,
    timer: delays,
    window: delays,
    sink: delays,
    'side sink': delays,
  }),
  window: fc.constantFrom('tumbling', 'sliding', 'session'),
});

describe('asynchronous functions', () => {
  test('each step sees the same calls in the same order as when nothing is asynchronous', async () => {
    await fc.assert(
      fc.asyncProperty(scenarios, async (scenario) => {
        expect(await effectsOf(scenario)).toEqual(await effectsOf({ ...scenario, delays: SYNCHRONOUS }));
      }),
      { numRuns: RUNS },
    );
  });
});
