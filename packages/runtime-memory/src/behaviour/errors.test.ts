import { describe, expect, test } from '@jest/globals';
import {
  type AggregateFunction,
  type DataStream,
  defineJob,
  type KeyedStream,
  type StreamEnvironment,
  valueState,
  type WindowedStream,
} from '@rs/core';
import { type WatermarkGenerator } from '@rs/core';
import { TumblingWindow } from '@rs/window';
import { StreamExecutionEnvironment } from '../index.ts';
import { coded, thrownBy } from '../test-support/coded.ts';
import { MODES, run } from '../test-support/run.ts';
import type { Sinkable } from '../test-support/sinkable.ts';

const CAUSE = new Error('the original');

function fail(): never {
  throw CAUSE;
}

/** Adds up, except for the method `failing`. */
function sum(
  failing?: keyof AggregateFunction<number, number, number>,
): AggregateFunction<number, number, number> {
  const methods: AggregateFunction<number, number, number> = {
    createAccumulator: () => 0,
    add: (value, accumulator) => accumulator + value,
    getResult: (accumulator) => accumulator,
    merge: (a, b) => a + b,
  };
  return failing === undefined ? methods : { ...methods, [failing]: fail };
}

const generator: WatermarkGenerator<number> = { onEvent: fail, onPeriodicEmit: () => undefined };
const keyed = (numbers: DataStream<number>): KeyedStream<string, number> => numbers.keyBy(() => 'k');
const windowed = (numbers: DataStream<number>): WindowedStream<string, number> =>
  keyed(numbers).window(TumblingWindow.of(10));

/** Operators whose function fails, and how the message calls them. */
const FAILING: readonly (readonly [string, (numbers: DataStream<number>) => Sinkable])[] = [
  ["map 'named'", (numbers) => numbers.map(fail, { name: 'named' })],
  ['filter', (numbers) => numbers.filter(fail)],
  ['flatMap', (numbers) => numbers.flatMap(fail)],
  ['flatMap', (numbers) => numbers.flatMap(() => ({ [Symbol.iterator]: () => ({ next: fail }) }))],
  ['keyBy', (numbers) => numbers.keyBy(fail).sum()],
  ['map', (numbers) => keyed(numbers).map(fail).sum()],
  ['reduce', (numbers) => keyed(numbers).reduce(fail)],
  ['sum', (numbers) => keyed(numbers).sum(fail)],
  ['timestamps', (numbers) => numbers.assignTimestampsAndWatermarks(generator)],
  ["process 'by-uid'", (numbers) => keyed(numbers).process(fail, { uid: 'by-uid' })],
  ['process', (numbers) => keyed(numbers).process({ open: fail, processElement: () => undefined })],
  [
    'process',
    (numbers) =>
      keyed(numbers).process({
        processElement: (_key, _value, ctx) => ctx.registerEventTimeTimer(5),
        onEventTime: fail,
      }),
  ],
  [
    'process',
    (numbers) =>
      keyed(numbers).process({
        processElement: (_key, _value, ctx) => ctx.registerProcessingTimeTimer(5),
        onProcessingTime: fail,
      }),
  ],
  ["window 'aggregate'", (numbers) => windowed(numbers).aggregate(sum('createAccumulator'))],
  ["window 'aggregate'", (numbers) => windowed(numbers).aggregate(sum('add'))],
  ["window 'aggregate'", (numbers) => windowed(numbers).aggregate(sum('getResult'))],
  ["window 'aggregate'", (numbers) => windowed(numbers).aggregate(sum(), fail)],
  ["window 'reduce'", (numbers) => windowed(numbers).reduce(fail)],
  ["window 'apply'", (numbers) => windowed(numbers).apply(fail)],
  ["window 'process'", (numbers) => windowed(numbers).process(fail)],
  ["window 'count'", (numbers) => windowed(numbers).trigger(failingTrigger('onElement')).count()],
  ["window 'count'", (numbers) => windowed(numbers).trigger(failingTrigger('onEventTime')).count()],
  ["window 'count'", (numbers) => windowed(numbers).trigger(failingTrigger('clear')).count()],
];

function failingTrigger(method: 'onElement' | 'onEventTime' | 'clear') {
  const trigger = TumblingWindow.of(10).getDefaultTrigger();
  return {
    onElement: trigger.onElement.bind(trigger),
    onEventTime: trigger.onEventTime.bind(trigger),
    onProcessingTime: trigger.onProcessingTime.bind(trigger),
    [method]: fail,
  };
}

describe.each(MODES)('an error of a user function, %s', (mode) => {
  test.each(FAILING)('in %s (case %#) names the operator and carries its cause', async (label, operation) => {
    const out: unknown[] = [];
    const running = run(mode, (env) => operation(env.fromElements(1, 2)).addSink((v) => void out.push(v)));
    await expect(running).rejects.toEqual(coded('RS_USER_FUNCTION_FAILED', { cause: CAUSE }));
    await expect(running).rejects.toThrow(`${label} failed: the original`);
    await expect(running).rejects.toMatchObject({ details: { operator: label } });
  });

  test.each(['map', 'sink'] as const)('in an asynchronous %s too', async (where) => {
    const later = () => Promise.reject<never>(CAUSE);
    const define = (env: StreamEnvironment) =>
      env.fromElements(1).map(where === 'map' ? later : (v) => v).addSink(where === 'sink' ? later : () => undefined); // prettier-ignore
    const code = where === 'map' ? 'RS_USER_FUNCTION_FAILED' : 'RS_SINK_FAILED';
    const running = run('async', define);
    await expect(running).rejects.toEqual(coded(code, { cause: CAUSE }));
    await expect(running).rejects.toThrow(`${where} failed: the original`);
  });

  test.each(['text', 5, null, undefined, { code: 'E' }])('what is thrown may be %p', async (thrown) => {
    const running = run(mode, (env) =>
      env
        .fromElements(1)
        .map(() => {
          throw thrown;
        })
        .addSink(() => undefined),
    );
    await expect(running).rejects.toEqual(coded('RS_USER_FUNCTION_FAILED'));
    await expect(running).rejects.toMatchObject(thrown === undefined ? {} : { cause: thrown });
  });

  test('the error of a sink has a code of its own', async () => {
    const running = run(mode, (env) => env.fromElements(1).addSink(fail, { name: 'db' }));
    await expect(running).rejects.toEqual(coded('RS_SINK_FAILED', { cause: CAUSE }));
    await expect(running).rejects.toThrow("sink 'db' failed: the original");
  });

  test('a function that catches what collect throws cannot hide it', async () => {
    const out: number[] = [];
    const running = run(mode, (env) =>
      env
        .fromElements(1, 2)
        .keyBy(() => 'k')
        .process<number>((_key, value, _ctx, collector) => {
          try {
            collector.collect(value);
          } catch {
            out.push(-value);
          }
        })
        .map(fail)
        .addSink((v) => void out.push(v)),
    );
    await expect(running).rejects.toThrow('map failed: the original');
    expect(out).toEqual([-1]);
  });

  test('one uid for two operators is refused', async () => {
    const running = run(mode, (env) =>
      env
        .fromElements(1)
        .keyBy((v) => v)
        .reduce((a) => a, { uid: 'same' })
        .keyBy((v) => v)
        .reduce((a) => a, { uid: 'same' })
        .addSink(() => undefined),
    );
    await expect(running).rejects.toEqual(coded('RS_DUPLICATE_UID'));
  });
});

describe('what is refused when it is declared', () => {
  const env = StreamExecutionEnvironment.getExecutionEnvironment();
  const numbers = env.fromElements(1);
  const byKey = keyed(numbers);
  const windows = windowed(numbers);
  const nothing = undefined as never;

  test.each<[string, () => unknown]>([
    ['map', () => numbers.map(nothing)],
    ['filter', () => numbers.filter(nothing)],
    ['flatMap', () => numbers.flatMap(nothing)],
    ['keyBy', () => numbers.keyBy(nothing)],
    ['assignTimestampsAndWatermarks', () => numbers.assignTimestampsAndWatermarks(nothing)],
    ['union', () => numbers.union(nothing)],
    ['union of two environments', () => numbers.union(StreamExecutionEnvironment.getExecutionEnvironment().fromElements(1))], // prettier-ignore
    ['keyed map', () => byKey.map(nothing)],
    ['process', () => byKey.process(nothing)],
    ['process without processElement', () => byKey.process({} as never)],
    ['reduce', () => byKey.reduce(nothing)],
    ['sum', () => byKey.sum('amount' as never)],
    ['getState', () => byKey.getState(nothing)],
    ['window', () => byKey.window(nothing)],
    ['trigger', () => windows.trigger(nothing)],
    ['allowedLateness mode', () => windows.allowedLateness(5, { mode: 'sometimes' as never })],
    ['window reduce', () => windows.reduce(nothing)],
    ['window aggregate', () => windows.aggregate(nothing)],
    ['window apply', () => windows.apply(nothing)],
    ['side output of a map', () => numbers.map((v) => v).getSideOutput({ name: 'x' })],
    ['defineJob', () => defineJob(nothing)],
  ])('%s', (_, declare) => {
    thrownBy(declare, 'RS_INVALID_ARGUMENT');
  });

  test.each([-1, Number.NaN, Infinity, '5 minutes', '-1s', '', null, {}])('the duration %p', (duration) => {
    thrownBy(() => windows.allowedLateness(duration as never), 'RS_INVALID_DURATION');
    thrownBy(() => TumblingWindow.of(duration as never), 'RS_INVALID_DURATION');
    thrownBy(() => valueState('s', { ttl: duration as never }), 'RS_INVALID_DURATION');
  });

  test.each(['', 'with space', 'a/b', 'ü', 'x'.repeat(129), 5])('the uid %p', (uid) => {
    thrownBy(() => byKey.reduce((a) => a, { uid: uid as string }), 'RS_INVALID_NAME');
  });
});
