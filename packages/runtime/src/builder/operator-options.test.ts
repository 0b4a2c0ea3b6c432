import { describe, expect, test } from '@jest/globals';
import { type DataStream, type KeyedStream, mapState } from '@rs/core';
import { AscendingTimestampWatermarkGenerator, WatermarkStrategy } from '@rs/watermark';
import { TumblingWindow } from '@rs/window';
import { errorOf } from '../test-support/error-of.ts';
import { TestEnvironment } from '../test-support/test-environment.ts';

/** For calls as plain JavaScript makes them. */
const untyped = (value: unknown) => value as never;
const ignore = () => undefined;
const same = (text: string) => text;
const join = (a: string, b: string) => a + b;
const generator = () => new AscendingTimestampWatermarkGenerator<string>();
const strategy = WatermarkStrategy.forMonotonousTimestamps<string>();
const both = { processElement1: ignore, processElement2: ignore };
const withRules = { processElement: ignore, processBroadcastElement: ignore };
const count = {
  createAccumulator: () => 0,
  add: (_text: string, n: number) => n + 1,
  getResult: (n: number) => n,
};

function stream(env = new TestEnvironment()): DataStream<string> {
  return env.input<string>();
}

function keyed(env = new TestEnvironment()): KeyedStream<string, string> {
  return stream(env).keyBy(same);
}

function pair() {
  const env = new TestEnvironment();
  return { plain: stream(env).connect(stream(env)), keyed: keyed(env).connect(keyed(env)) };
}

function ruled() {
  const env = new TestEnvironment();
  const rules = stream(env).broadcast(mapState('rules'));
  return { plain: stream(env).connect(rules), keyed: keyed(env).connect(rules) };
}

function two<R>(use: (env: TestEnvironment) => R): R {
  return use(new TestEnvironment());
}

const windows = () => keyed().window(TumblingWindow.of(10));
const joint = () => pair().keyed.window(TumblingWindow.of(10));

type Call = readonly [method: string, call: (options: never) => unknown];

const CALLS: readonly Call[] = [
  ['map', (options) => stream().map(same, options)],
  ['filter', (options) => stream().filter(() => true, options)],
  ['flatMap', (options) => stream().flatMap(() => [], options)],
  ['mapAsync', (options) => stream().mapAsync(same, options)],
  ['keyBy', (options) => stream().keyBy(same, options)],
  ['keyByMessageKey', (options) => new TestEnvironment().fromMqTopic('t', 'g').keyByMessageKey(options)],
  ['union', (options) => stream().union([], options)],
  ['broadcast', (options) => stream().broadcast([], options)],
  ['assignTimestampsAndWatermarks', (options) => stream().assignTimestampsAndWatermarks(() => 0, generator, options)],
  ['addSink', (options) => stream().addSink(ignore, options)],
  ['addSource', (options) => new TestEnvironment().addSource({ run: ignore }, options)],
  ['fromAsyncIterable', (options) => new TestEnvironment().fromAsyncIterable((async function* () {})(), options)],
  ['fromMqTopic', (options) => new TestEnvironment().fromMqTopic('t', 'g', options)],
  ['fromMqTopicWithId', (options) => new TestEnvironment().fromMqTopicWithId('i', 't', 'g', options)],
  ['fromTopic', (options) => new TestEnvironment().fromTopic({ name: 't', value: undefined }, 'g', options)],
  ['map', (options) => keyed().map(same, options)],
  ['process', (options) => keyed().process(ignore, options)],
  ['reduce', (options) => keyed().reduce(join, options)],
  ['sum', (options) => keyed().sum(() => 1, options)],
  ['min', (options) => keyed().min(() => 1, options)],
  ['max', (options) => keyed().max(() => 1, options)],
  ['connect', (options) => two((env) => keyed(env).connect(keyed(env), options))],
  ['connect', (options) => two((env) => keyed(env).connect(stream(env).broadcast(), options))],
  ['cogroup', (options) => two((env) => keyed(env).cogroup(keyed(env), options))],
  ['process', (options) => pair().plain.process(both, options)],
  ['map', (options) => pair().plain.map(same, same, options)],
  ['flatMap', (options) => pair().plain.flatMap(() => [], () => [], options)],
  ['keyBy', (options) => pair().plain.keyBy(same, same, options)],
  ['process', (options) => pair().keyed.process(both, options)],
  ['process', (options) => ruled().plain.process(withRules, options)],
  ['process', (options) => ruled().keyed.process(withRules, options)],
  ['allowedLateness', (options) => windows().allowedLateness(1, options)],
  ['reduce', (options) => windows().reduce(join, same as never, options)],
  ['aggregate', (options) => windows().aggregate(count, String, options)],
  ['sum', (options) => windows().sum(() => 1, options)],
  ['count', (options) => windows().count(options)],
  ['apply', (options) => windows().apply(ignore, options)],
  ['process', (options) => windows().process(ignore, options)],
  ['apply', (options) => joint().apply(ignore, options)],
  ['process', (options) => joint().process(ignore, options)],
  ['allowedLateness', (options) => joint().allowedLateness(1, options)],
]; // prettier-ignore

describe.each(CALLS)('%s', (method, call) => {
  test.each<[unknown, string]>([
    [null, 'null'],
    ['fast', "'fast'"],
    [5, '5'],
    [true, 'true'],
    [Symbol('s'), 'Symbol(s)'],
    [() => ({}), 'a function'],
    [[], 'an array'],
  ])('refuses options that are %p', (options, got) => {
    const error = errorOf(() => call(untyped(options)));
    expect([error.code, error.message]).toEqual([
      'RS_INVALID_ARGUMENT',
      `${method}: options must be an object, got ${got}`,
    ]);
  });

  test('takes an object, and nothing', () => {
    expect(() => call(untyped({}))).not.toThrow();
    expect(() => call(untyped(undefined))).not.toThrow();
  });
});

test.each([null, 5, 'x', Symbol('s')])(
  '%p in the place of a function or options is refused as options',
  (bad) => {
    for (const [method, step] of [
      ['reduce', () => windows().reduce(join, untyped(bad))],
      ['aggregate', () => windows().aggregate(count, untyped(bad))],
      ['assignTimestampsAndWatermarks', () => stream().assignTimestampsAndWatermarks(strategy, untyped(bad))],
    ] as const) {
      expect(errorOf(step).message).toMatch(new RegExp(`^${method}: options must be an object, got `));
    }
  },
);

test.each([null, {}, 'json', { encode: String }])('the codec %p is refused', (bad) => {
  const codec = untyped(bad);
  for (const [what, step] of [
    ['reduce: codec', () => keyed().reduce(join, { codec })],
    ['reduce: codec', () => windows().reduce(join, { codec })],
    ['aggregate: codec', () => windows().aggregate(count, String, { codec })],
    ['apply: codec', () => windows().apply(ignore, { codec })],
    ['process: codec', () => windows().process(ignore, { codec })],
    ['apply: leftCodec', () => joint().apply(ignore, { leftCodec: codec })],
    ['process: rightCodec', () => joint().process(ignore, { rightCodec: codec })],
  ] as const) {
    const error = errorOf(step);
    expect([error.code, error.message]).toEqual([
      'RS_INVALID_ARGUMENT',
      expect.stringContaining(`${what} must be an object with encode and decode`),
    ]);
  }
});

test.each([null, 5, {}])('the name %p is refused', (bad) => {
  const name = untyped(bad);
  for (const [method, step] of [
    ['map', () => stream().map(same, { name })],
    ['count', () => windows().count({ name })],
    ['apply', () => joint().apply(ignore, { name })],
    ['addSink', () => stream().addSink(ignore, { name })],
    ['source', () => new TestEnvironment().addSource({ run: ignore }, { name })],
  ] as const) {
    const error = errorOf(step);
    expect([error.code, error.message]).toEqual([
      'RS_INVALID_ARGUMENT',
      `${method}: name must be a string, got ${bad === null ? 'null' : typeof bad}`,
    ]);
  }
});

test('a mode of null is no default', () => {
  expect(errorOf(() => windows().allowedLateness(1, { mode: untyped(null) })).code).toBe(
    'RS_INVALID_ARGUMENT',
  );
});
