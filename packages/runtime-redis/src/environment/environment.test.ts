import { describe, expect, test } from '@jest/globals';
import { defineJob, type StreamEnvironment } from '@rs/core';
import { Redis } from 'ioredis';
import type { RedisRuntimeConfig } from '../options/config.ts';
import { coded } from '../test-support/coded.ts';
import { RedisStreamExecutionEnvironment } from './environment.ts';

const ignore = (): undefined => undefined;
const NOWHERE = new Redis(1, '127.0.0.1', { lazyConnect: true });

const make = (config: RedisRuntimeConfig = {}): RedisStreamExecutionEnvironment =>
  RedisStreamExecutionEnvironment.create(NOWHERE, config);
const job = defineJob((env) => env.fromMqTopicWithId('source', 'orders', 'g').addSink(ignore));

describe('create', () => {
  test('connects nothing', () => {
    make();
    expect(NOWHERE.status).toBe('wait');
  });

  test.each([undefined, null, 'redis://localhost', {}])('refuses %p as a Redis', (redis) => {
    expect(() => RedisStreamExecutionEnvironment.create(redis as never)).toThrow(
      coded('RS_INVALID_ARGUMENT'),
    );
  });

  test('checks the options', () => {
    expect(() => make({ jobName: 'a b' })).toThrow(coded('RS_INVALID_NAME'));
    expect(() => make({ checkpointInterval: '30s' } as never)).toThrow(coded('RS_UNSUPPORTED'));
  });

  test('hands the defaults of windows and watermarks to the streams', () => {
    const env = make({
      windowAllowedLateness: '2s',
      windowLatenessMode: 'postpone',
      watermarkOutOfOrderness: '1s',
      watermarkIdleTimeout: '3s',
      watermarkIdleMode: 'hold',
      maxFutureSkew: '4s',
    });
    expect([env.windowAllowedLateness, env.windowLatenessMode, env.watermarks]).toEqual([
      2_000,
      'postpone',
      { outOfOrderness: 1_000, idleness: { timeout: 3_000, mode: 'hold' }, maxFutureSkew: 4_000 },
    ]);
  });
});

test.each<[string, (env: RedisStreamExecutionEnvironment) => unknown]>([
  ['fromElements', (env) => env.fromElements(1)],
  ['fromCollection', (env) => env.fromCollection([1])],
  ['addSource', (env) => env.addSource({ run: ignore })],
  ['fromAsyncIterable', (env) => env.fromAsyncIterable((async function* () {})())],
])('%s is refused in the call: what it gives cannot be read again', (method, declare) => {
  expect(() => declare(make())).toThrow(coded('RS_UNSUPPORTED', { details: { operation: method } }));
});

test('a stream cannot be iterated', () => {
  expect(() => [...make().fromMqTopic('orders', 'g')]).toThrow(coded('RS_UNSUPPORTED'));
});

test('one topic is read once by each group', () => {
  const env = make();
  env.fromMqTopic('orders', 'g');
  expect(() => env.fromMqTopic('orders', 'g')).toThrow(coded('RS_DUPLICATE_SUBSCRIPTION'));
  expect(() => env.fromMqTopic('orders', 'h')).not.toThrow();
});

describe('executeAsync', () => {
  test('needs a sink, and can be called again after one was added', async () => {
    const env = make();
    await expect(env.executeAsync()).rejects.toEqual(coded('RS_NO_SINK'));
    env.registerPipelineDefinition(job);
    expect(env.describe().operators.map(({ id }) => id)).toEqual(['source', 'source.time', 'sink-2']);
  });

  test('is done once, also when it fails; nothing can be declared afterwards', async () => {
    const env = make();
    const stream = env.fromMqTopic('orders', 'g');
    stream.addSink(ignore);
    await expect(env.executeAsync({ signal: AbortSignal.timeout(50) })).rejects.toThrow();
    await expect(env.executeAsync()).rejects.toEqual(coded('RS_ALREADY_EXECUTED'));
    await expect(env.run(job)).rejects.toEqual(coded('RS_ALREADY_EXECUTED'));
    expect(() => env.registerPipelineDefinition(job)).toThrow(coded('RS_ALREADY_EXECUTED'));
    expect(() => stream.addSink(ignore)).toThrow(coded('RS_ALREADY_EXECUTED'));
  });

  test.each([null, { signal: 'x' }, { singal: undefined, timeout: 1 }])('refuses %j', async (options) => {
    const env = make().registerPipelineDefinition(job);
    await expect(env.executeAsync(options as never)).rejects.toThrow(/^executeAsync: /);
    await expect(make().run(job, options as never)).rejects.toThrow(/^run: /);
  });

  test('run refuses what is no job, by its own name', async () => {
    await expect(make().run({} as never)).rejects.toThrow(/^run needs a job made by defineJob/);
  });
});

test('describe looks at a job without declaring it here', () => {
  const env = make();
  expect(env.describe(job).operators).toHaveLength(3);
  expect(() => env.describe()).toThrow(coded('RS_NO_SINK'));
  expect(() => env.describe({} as never)).toThrow(coded('RS_INVALID_ARGUMENT'));
});

test('a definition is an object made by defineJob', () => {
  expect(() => make().registerPipelineDefinition(ignore as never)).toThrow(coded('RS_INVALID_ARGUMENT'));
  const twice = (env: StreamEnvironment): void => {
    env.fromMqTopic('orders', 'g').addSink(ignore);
  };
  const env = make().registerPipelineDefinition(defineJob(twice));
  expect(() => env.registerPipelineDefinition(defineJob(twice))).toThrow(coded('RS_DUPLICATE_SUBSCRIPTION'));
});
