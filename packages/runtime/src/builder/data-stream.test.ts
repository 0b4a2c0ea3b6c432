import { describe, expect, test } from '@jest/globals';
import { type DataStream, outputTag } from '@rs/core';
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

describe('getSideOutput', () => {
  const windowed = () =>
    stream()
      .keyBy((value) => value)
      .window(TumblingWindow.of(10))
      .count();
  const processed = () =>
    stream()
      .keyBy((value) => value)
      .process<number>(() => undefined);

  test('is for the streams that process and window operations return', () => {
    for (const made of [windowed(), processed()]) expect(() => made.getSideOutput(tag)).not.toThrow();
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
      for (const value of ['text', { a: 1 }, 10n, cycle, undefined, null]) void sink.invoke(value as never);
    }
    const texts = ['text', '{"a":1}', '10', '[object Object]', 'undefined', 'null'];
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
