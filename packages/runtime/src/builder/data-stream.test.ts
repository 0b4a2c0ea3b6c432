import { describe, expect, test } from '@jest/globals';
import { type DataStream, outputTag, type StreamSink } from '@rs/core';
import { AscendingTimestampWatermarkGenerator } from '@rs/watermark';
import { TumblingWindow } from '@rs/window';
import { errorOf } from '../test-support/error-of.ts';
import { TestEnvironment } from '../test-support/test-environment.ts';

const tag = outputTag<number>('late');

/** Hands over what a program without types may hand over. */
const untyped = (value: unknown) => value as never;
const nothings = [null, undefined, 'text', 7, {}];

function stream(): DataStream<number> {
  return new TestEnvironment().input<number>();
}

describe('a bad argument is refused when it is declared', () => {
  test.each(nothings)('%p as function', (bad) => {
    for (const step of [
      () => stream().map(untyped(bad)),
      () => stream().filter(untyped(bad)),
      () => stream().flatMap(untyped(bad)),
      () => stream().keyBy(untyped(bad)),
      () => stream().addSink(untyped(bad)),
    ]) {
      expect(errorOf(step).code).toBe('RS_INVALID_ARGUMENT');
    }
  });

  test.each(nothings)('%p as generator, factory or strategy', (bad) => {
    expect(errorOf(() => stream().assignTimestampsAndWatermarks(untyped(bad))).code).toBe(
      'RS_INVALID_ARGUMENT',
    );
    if (typeof bad === 'object' && bad !== null) return; // {} is options without effect.
    if (bad === undefined) return; // Without a second argument the first one is the generator.
    const assigner = (value: number) => value;
    const declare = () => stream().assignTimestampsAndWatermarks(assigner, untyped(bad));
    expect(errorOf(declare).code).toBe('RS_INVALID_ARGUMENT');
  });

  test.each([null, 'text', {}])('%p as assigner', (bad) => {
    const generator = new AscendingTimestampWatermarkGenerator<number>();
    const declare = () => stream().assignTimestampsAndWatermarks(untyped(bad), generator);
    expect(errorOf(declare).code).toBe('RS_INVALID_ARGUMENT');
  });

  test.each(['', 'a b', 'a:b', '{a}', 'x'.repeat(129)])('%p as uid', (uid) => {
    for (const step of [
      () => stream().keyBy((value) => value, { uid }),
      () => stream().addSink(() => undefined, { uid }),
      () => stream().map((value) => value, untyped({ uid })),
    ]) {
      expect(errorOf(step).code).toBe('RS_INVALID_NAME');
    }
  });

  test.each([
    { onEvent: () => undefined },
    { onPeriodicEmit: () => undefined },
    { createWatermarkGenerator: () => undefined },
  ])('%p beside an assigner is not taken for options', (bad) => {
    const declare = () => stream().assignTimestampsAndWatermarks((value: number) => value, untyped(bad));
    expect(errorOf(declare).message).toMatch(/^assignTimestampsAndWatermarks needs .* it has no on/);
  });

  test('the message says which operation and what it needs', () => {
    const { message, details } = errorOf(() => stream().keyBy(untyped(null)));
    expect(message).toBe('keyBy needs a key selector, got null');
    expect(details).toEqual({ operation: 'keyBy' });
    expect(errorOf(() => stream().addSink(untyped({}))).message).toContain('it has no invoke()');
  });
});

describe('union', () => {
  test('takes streams of its own environment only', () => {
    const env = new TestEnvironment();
    const own = env.input<number>();
    expect(() => own.union(env.input<number>(), own)).not.toThrow();
    const foreign = [
      stream(),
      untyped(null),
      untyped({}),
      untyped(env.input<number>().keyBy((value) => value)),
    ];
    for (const bad of foreign) expect(errorOf(() => own.union(bad)).code).toBe('RS_INVALID_ARGUMENT');
  });
});

describe('identity', () => {
  test('operations that keep facts take a uid and a name, in each of their forms', () => {
    const generator = () => new AscendingTimestampWatermarkGenerator<number>();
    const strategy = {
      createWatermarkGenerator: generator,
      extractTimestamp: (value: number) => value,
      idleness: undefined,
    };
    const env = new TestEnvironment();
    const input = env.input<number>();
    for (const stream of [
      input.assignTimestampsAndWatermarks(strategy, { uid: 'a', name: 'times' }),
      input.assignTimestampsAndWatermarks(generator(), { uid: 'b' }),
      input.assignTimestampsAndWatermarks(generator, { uid: 'c' }),
      input.assignTimestampsAndWatermarks((value) => value, generator, { uid: 'd' }),
      input.assignTimestampsAndWatermarks((value) => value, generator),
      input.union([input, input], { uid: 'e', name: 'all' }),
      input.union([input]),
      input.union(input, input),
    ]) {
      stream.addSink(() => undefined);
    }
    const made = env.graph().nodes.filter(({ kind }) => kind === 'timestamps' || kind === 'union');
    expect(made.map(({ uid, name, inputs }) => [uid, name, inputs.length])).toEqual([
      ['a', 'times', 1],
      ['b', 'timestamps', 1],
      ['c', 'timestamps', 1],
      ['d', 'timestamps', 1],
      [undefined, 'timestamps', 1],
      ['e', 'all', 3],
      [undefined, 'union', 2],
      [undefined, 'union', 3],
    ]);
  });

  test('a union needs streams', () => {
    for (const [bad, got] of [
      [5, 'number'],
      [null, 'null'],
      [stream().keyBy((value) => value), 'object'],
    ] as const) {
      for (const step of [() => stream().union(untyped(bad)), () => stream().union([untyped(bad)])]) {
        const error = errorOf(step);
        expect([error.code, error.message]).toEqual([
          'RS_INVALID_ARGUMENT',
          `union needs streams without keys, got ${got}`,
        ]);
      }
    }
    expect(errorOf(() => stream().union(stream())).message).toMatch(/must come from the same environment$/);
  });

  test('a bad uid is refused', () => {
    const generator = () => new AscendingTimestampWatermarkGenerator<number>();
    for (const step of [
      () => stream().union([], { uid: 'a b' }),
      () => stream().assignTimestampsAndWatermarks(generator, { uid: 'a b' }),
      () => stream().assignTimestampsAndWatermarks((value) => value, generator, { uid: 'a b' }),
    ]) {
      expect(errorOf(step).code).toBe('RS_INVALID_NAME');
    }
  });
});

describe('getSideOutput', () => {
  const processed = () =>
    stream()
      .keyBy((value) => value)
      .process<number>(() => undefined);

  test('is for the streams that process and window operations return', () => {
    const late = stream()
      .keyBy((value) => value)
      .window(TumblingWindow.of(10))
      .sideOutputLateData(tag)
      .count();
    const windows = stream()
      .keyBy((value) => value)
      .window(TumblingWindow.of(10, { time: 'processing' }))
      .process<number>(() => undefined);
    for (const made of [late, windows, processed()]) expect(() => made.getSideOutput(tag)).not.toThrow();
  });

  test('of a window operation other than process is for the tag of its late data only', () => {
    const windows = stream()
      .keyBy((value) => value)
      .window(TumblingWindow.of(10));
    const none = [windows.count(), windows.apply<number>(() => undefined), windows.sum()];
    for (const made of [...none, windows.sideOutputLateData(outputTag('other')).count()]) {
      const error = errorOf(() => made.getSideOutput(tag));
      expect([error.code, error.details]).toEqual([
        'RS_INVALID_ARGUMENT',
        { tag: 'late', operator: expect.stringMatching(/^window '(count|apply|sum)'$/) },
      ]);
      expect(error.message).toMatch(/^getSideOutput: .*'late'; give the tag to sideOutputLateData\(\)/);
    }
  });

  test('is refused elsewhere, also behind an operation and on a side output', () => {
    for (const other of [
      stream(),
      stream().map((value) => value),
      processed().map((value) => value),
      processed().getSideOutput(tag),
      stream()
        .keyBy((value) => value)
        .sum(),
    ]) {
      const error = errorOf(() => other.getSideOutput(tag));
      expect(error.code).toBe('RS_INVALID_ARGUMENT');
      expect(error.details).toMatchObject({ tag: 'late' });
    }
  });

  test.each(nothings)('%p is no tag', (bad) => {
    expect(errorOf(() => processed().getSideOutput(untyped(bad))).code).toBe('RS_INVALID_ARGUMENT');
  });
});

describe('sinks', () => {
  test('addSink and print return the stream, and nothing runs by itself', () => {
    const env = new TestEnvironment();
    const input = env.input<number>();
    expect(input.addSink(() => undefined).print()).toBe(input);
    expect(env.sinks).toHaveLength(2);
  });

  test('print writes prefix and value to the logger, whatever the value is', () => {
    const lines: unknown[] = [];
    const ignore = () => undefined;
    const info = (facts: object, message?: string) => void lines.push([facts, message]);
    const env = new TestEnvironment({ logger: { debug: ignore, info, warn: ignore, error: ignore } });
    env.input<unknown>().print('> ').print(null).print();
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    for (const { sink } of env.sinks) {
      for (const value of ['text', { a: 1 }, 10n, cycle, undefined, null])
        void (sink as StreamSink<unknown>).invoke(value);
    }
    const texts = ['text', '{ a: 1 }', '10n', '<ref *1> { self: [Circular *1] }', 'undefined', 'null'];
    const prefixes = ['> ', '', ''];
    const expected = prefixes.flatMap((prefix) =>
      texts.map((text) => [{ component: 'print' }, `${prefix}${text}`]),
    );
    expect(lines).toEqual(expected);
  });
});

describe('a stream', () => {
  test('is not changed by what is declared on it', () => {
    const env = new TestEnvironment();
    const input = env.input<number>();
    const keyed = input.keyBy((value) => value);
    const window = keyed.window(TumblingWindow.of(10));
    window.allowedLateness(5);
    window.count().addSink(() => undefined);
    keyed.map((value) => -value);
    keyed.sum().addSink(() => undefined);
    expect(env.graph().nodes.map(({ kind }) => kind)).toEqual([
      'source',
      'keyBy',
      'window',
      'sink',
      'sum',
      'sink',
    ]);
  });
});
