import { describe, expect, test } from '@jest/globals';
import type { DataStream, StreamSink } from '@rs/core';
import { TumblingWindow } from '@rs/window';
import { StreamExecutionEnvironment } from './index.ts';
import { coded, thrownBy } from './test-support/coded.ts';
import { RecordingLogger } from './test-support/recording-logger.ts';
import { settle } from './test-support/settle.ts';
import type { Sinkable } from './test-support/sinkable.ts';

const newEnv = () => StreamExecutionEnvironment.getExecutionEnvironment();

describe('a promise in an eager run is refused', () => {
  const later = <T>(value: T) => Promise.resolve(value);
  const window = (stream: DataStream<number>) => stream.keyBy(() => 'k').window(TumblingWindow.of(10));
  const process = (stream: DataStream<number>) => stream.keyBy(() => 'k');

  const steps: Record<string, (stream: DataStream<number>) => Sinkable> = {
    map: (stream) => stream.map(later),
    filter: (stream) => stream.filter(() => later(true)),
    flatMap: (stream) => stream.flatMap((v) => later([v])),
    'keyed map': (stream) =>
      process(stream)
        .map(later)
        .reduce((a) => a),
    process: (stream) => process(stream).process(async () => undefined),
    'an event-time timer': (stream) =>
      process(stream).process({
        processElement: (_key, _value, ctx) => ctx.registerEventTimeTimer(5),
        onEventTime: async () => undefined,
      }),
    'a processing-time timer': (stream) =>
      process(stream).process({
        processElement: (_key, _value, ctx) => ctx.registerProcessingTimeTimer(5),
        onProcessingTime: async () => undefined,
      }),
    'a window function': (stream) => window(stream).apply(async () => undefined),
    'a window process function': (stream) => window(stream).process(async () => undefined),
    'the result of a window aggregate': (stream) =>
      window(stream).reduce(
        (a, b) => a + b,
        (sum) => later(sum),
      ),
  };

  test.each(Object.entries(steps))('%s', (_, step) => {
    expect(() => step(newEnv().fromElements(1)).addSink(() => undefined)).toThrow(
      coded('RS_ASYNC_IN_EAGER_RUN'),
    );
  });

  test.each<[string, StreamSink<number>]>([
    ['invoke', { invoke: () => later(undefined) }],
    ['open', { open: () => later(undefined), invoke: () => undefined }],
  ])('%s of a sink', (_, sink) => {
    expect(() => newEnv().fromElements(1).addSink(sink)).toThrow(coded('RS_ASYNC_IN_EAGER_RUN'));
  });

  test('the message names the operator and says what to do', () => {
    const attach = () =>
      newEnv()
        .fromElements(1)
        .map(later, { name: 'enrich' })
        .addSink(() => undefined);
    expect(thrownBy(attach, 'RS_ASYNC_IN_EAGER_RUN').message).toMatch(
      /^map 'enrich' returned a promise.*executeAsync/,
    );
  });

  test('that the promise is rejected later harms nobody', async () => {
    const attach = () =>
      newEnv()
        .fromElements(1)
        .map(() => Promise.reject(new Error('unheard')))
        .addSink(() => undefined);
    expect(attach).toThrow(coded('RS_ASYNC_IN_EAGER_RUN'));
    await settle();
  });

  test('so is the iteration of an asynchronous source', () => {
    const stream = newEnv().fromAsyncIterable(
      (async function* () {
        yield 1;
      })(),
    );
    expect(() => [...stream]).toThrow(coded('RS_ASYNC_IN_EAGER_RUN'));
  });

  test('a sink that closes asynchronously is not waited for; its error is logged', async () => {
    const logger = new RecordingLogger();
    StreamExecutionEnvironment.getExecutionEnvironment({ logger })
      .fromElements(1)
      .addSink({ invoke: () => undefined, close: () => Promise.reject(new Error('late')) });
    await settle();
    expect(logger.lines()).toEqual(['warn sink failed to close']);
  });
});
