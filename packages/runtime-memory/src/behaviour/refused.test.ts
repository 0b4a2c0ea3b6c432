import { describe, expect, test } from '@jest/globals';
import {
  type DataStream,
  defineJob,
  type Trigger,
  valueState,
  type WatermarkGenerator,
  type WindowAssigner,
} from '@rs/core';
import { EventTimeTrigger, SessionWindow, TumblingWindow } from '@rs/window';
import { StreamExecutionEnvironment } from '../index.ts';
import { coded } from '../test-support/coded.ts';

const rejecting = () => Promise.reject(new Error('nobody waits for this')) as never;

function run(build: (stream: DataStream<number>) => DataStream<unknown>) {
  const env = StreamExecutionEnvironment.getExecutionEnvironment();
  return env.executeAsync(defineJob((job) => void build(job.fromElements(1, 2, 3)).addSink(() => undefined)));
}

const generator = (change: Partial<WatermarkGenerator<number>>): WatermarkGenerator<number> => ({
  onEvent: () => undefined,
  onPeriodicEmit: () => undefined,
  ...change,
});

function trigger(change: Partial<Trigger<unknown>>): Trigger<unknown> {
  const inner = EventTimeTrigger.create();
  return {
    onElement: (...args) => inner.onElement(...args),
    onEventTime: (...args) => inner.onEventTime(...args),
    onProcessingTime: () => inner.onProcessingTime(),
    onMerge: (...args) => inner.onMerge(...args),
    ...change,
  };
}

const assigner: WindowAssigner<unknown> = {
  assignWindows: rejecting,
  getDefaultTrigger: () => EventTimeTrigger.create(),
  supportsWindowMerging: () => false,
  timeDomain: 'event',
  describe: () => 'asynchronous',
};

// An unhandled rejection would fail the test run.
describe('functions that must answer at once', () => {
  test.each<[string, (stream: DataStream<number>) => DataStream<unknown>]>([
    ['onEvent of a generator', (s) => s.assignTimestampsAndWatermarks(generator({ onEvent: rejecting }))],
    ['onPeriodicEmit', (s) => s.assignTimestampsAndWatermarks(generator({ onPeriodicEmit: rejecting }))],
    [
      'a window assigner',
      (s) =>
        s
          .keyBy(() => 'k')
          .window(assigner)
          .count(),
    ],
    [
      'onMerge of a trigger',
      (s) =>
        s
          .keyBy(() => 'k')
          .window(SessionWindow.withGap(5))
          .trigger(trigger({ onMerge: rejecting }))
          .count(),
    ],
    [
      'clear of a trigger',
      (s) =>
        s
          .keyBy(() => 'k')
          .window(TumblingWindow.of(10))
          .trigger(trigger({ clear: rejecting }))
          .count(),
    ],
    [
      'the default of a state',
      (s) => {
        const keyed = s.keyBy(() => 'k');
        const state = keyed.getState(valueState<unknown>('state', { default: rejecting }));
        return keyed.process<unknown>((_key, _value, _ctx, out) => out.collect(state.value()));
      },
    ],
  ])('%s that returns a promise fails the run', async (_name, build) => {
    await expect(run(build)).rejects.toEqual(coded('RS_ASYNC_NOT_ALLOWED'));
  });

  test.each([[null], [undefined], ['windows']])(
    'an assigner that gives %p fails the run',
    async (windows) => {
      const bad = { ...assigner, assignWindows: () => windows as never };
      await expect(
        run((s) =>
          s
            .keyBy(() => 'k')
            .window(bad)
            .count(),
        ),
      ).rejects.toEqual(coded('RS_INVALID_VALUE'));
    },
  );

  test('a generator that emits nothing moves nothing', async () => {
    const silent = generator({ onEvent: (_event, _time, output) => output.emitWatermark(null as never) });
    await expect(run((s) => s.assignTimestampsAndWatermarks(silent))).resolves.toMatchObject({
      status: 'finished',
    });
  });
});

test('more operators in a row than the stack could take are refused when the job is built', () => {
  let stream: DataStream<number> = StreamExecutionEnvironment.getExecutionEnvironment().fromElements(1);
  for (let i = 0; i < 10_000; i++) stream = stream.map((value) => value);
  expect(() => stream.addSink(() => undefined)).toThrow(coded('RS_INVALID_ARGUMENT'));
});

test('a record that is undefined cannot be reduced', () => {
  const stream = StreamExecutionEnvironment.getExecutionEnvironment().fromElements<number | undefined>(
    undefined,
    5,
  );
  expect(() => [...stream.keyBy(() => 'k').reduce((a, b) => b ?? a)]).toThrow(coded('RS_INVALID_VALUE'));
});

test('a record that fans out into many asynchronous steps leaves the process its turns, and can be cancelled', async () => {
  const abort = new AbortController();
  let calls = 0;
  let turns = 0;
  const timer = setInterval(() => {
    if (++turns === 3) abort.abort();
  }, 1);
  const env = StreamExecutionEnvironment.getExecutionEnvironment();
  const result = await env.executeAsync(
    defineJob((job) => {
      job
        .fromElements(1)
        .flatMap(() => Array.from({ length: 500_000 }, (_, i) => i))
        .map(async (value) => value)
        .addSink(() => void calls++);
    }),
    { signal: abort.signal },
  );
  clearInterval(timer);
  expect(result.status).toBe('cancelled');
  expect(calls).toBeLessThan(500_000);
});

test('the state of a keyed stream is out of reach for what comes after its process step', () => {
  const keyed = StreamExecutionEnvironment.getExecutionEnvironment()
    .fromElements(1)
    .keyBy(() => 'k');
  const state = keyed.getState(valueState('state', { default: () => 0 }));
  const after = keyed
    .process<number>((_key, value, _ctx, out) => out.collect(value))
    .map((value) => state.update(value));
  expect(() => after.addSink(() => undefined)).toThrow(coded('RS_STATE_UNBOUND'));
});

test('a side output that has no tag fails its record', () => {
  const keyed = StreamExecutionEnvironment.getExecutionEnvironment()
    .fromElements(1)
    .keyBy(() => 'k');
  const stream = keyed.process<number>((_key, value, ctx) => ctx.output(undefined as never, value));
  expect(() => stream.addSink(() => undefined)).toThrow(coded('RS_INVALID_ARGUMENT'));
});
