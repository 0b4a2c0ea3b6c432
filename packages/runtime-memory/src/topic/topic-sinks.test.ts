import { beforeEach, describe, expect, test } from '@jest/globals';
import { defineJob, isRsError, partitionOf, type StandardSchema, topic, toTopic } from '@rs/core';
import { WatermarkStrategy } from '@rs/watermark';
import { TumblingWindow } from '@rs/window';
import { MemoryTopics, StreamExecutionEnvironment } from '../index.ts';
import { TestDriver } from '../testing/index.ts';
import { MODES, run } from '../test-support/run.ts';

interface Order {
  readonly id: string;
  readonly at: number;
}

const byValue = WatermarkStrategy.forMonotonousTimestamps<number>().withTimestampAssigner((value) => value);

let topics: MemoryTopics;

beforeEach(() => {
  topics = new MemoryTopics({ clock: { now: () => 999 } });
  topics.create('orders', { partitions: 3 });
});

const codeOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => (isRsError(error) ? error.code : error),
  );

describe.each(MODES)('toTopic (%s)', (mode) => {
  test('sends each result with the key and the time that were asked for', async () => {
    const orders = topic<Order>('orders');
    const sink = toTopic(orders, { key: ({ id }) => id, timestamp: ({ at }) => at });
    const values = [
      { id: 'a', at: 5 },
      { id: 'b', at: 6 },
      { id: 'a', at: 4 },
    ];
    await run(mode, (env) => env.fromElements(...values).addSink(sink), { topics });
    for (const id of ['a', 'b']) {
      const own = topics.read('orders', partitionOf(id, 3)).filter(({ key }) => key === id);
      expect(own.map(({ value, timestamp }) => [value, timestamp])).toEqual(
        values.filter((value) => value.id === id).map((value) => [value, value.at]),
      );
    }
  });

  test('gives messages the time of their results, and spreads those without a key', async () => {
    await run(
      mode,
      (env) =>
        env
          .fromElements(1, 2, 10)
          .assignTimestampsAndWatermarks(byValue)
          .keyBy(() => 'all')
          .window(TumblingWindow.of(5))
          .reduce((a, b) => a + b)
          .addSink(toTopic('orders')),
      { topics },
    );
    expect(topics.read('orders', 0)).toMatchObject([{ value: 3, timestamp: 4, key: undefined }]);
    expect(topics.read('orders', 1)).toMatchObject([{ value: 10, timestamp: 14 }]);
  });

  test('refuses what the schema refuses, and what is no key and no time', async () => {
    const positive: StandardSchema<number> = {
      '~standard': {
        version: 1,
        vendor: 'test',
        validate: (value) =>
          (value as number) > 0 ? { value: value as number } : { issues: [{ message: 'not positive' }] },
      },
    };
    const send = (value: number, options = {}) =>
      run(
        mode,
        (env) => env.fromElements(value).addSink(toTopic(topic('orders', { value: positive }), options)),
        { topics },
      );
    expect(await codeOf(send(1))).toBeUndefined();
    expect(await codeOf(send(-1))).toBe('RS_INVALID_VALUE');
    expect(await codeOf(send(1, { key: () => 7 }))).toBe('RS_INVALID_KEY');
    expect(await codeOf(send(1, { timestamp: () => Infinity }))).toBe('RS_INVALID_TIMESTAMP');
    expect(topics.read('orders').map(({ value }) => value)).toEqual([1]);
  });

  test('needs a topic that exists, also when there are no results', async () => {
    const nowhere = run(mode, (env) => env.fromElements().addSink(toTopic('nowhere')), { topics });
    expect(await codeOf(nowhere)).toBe('RS_UNKNOWN_TOPIC');
  });
});

test('a job reads what another one sends', async () => {
  topics.create('words', { partitions: 2 });
  topics.send('words', { key: 'a', value: 'x' });
  const found: unknown[] = [];
  const upper = defineJob((env) =>
    env
      .fromMqTopic('words', 'g', { until: 'now' })
      .map(({ value }) => String(value).toUpperCase())
      .addSink(toTopic('orders')),
  );
  await StreamExecutionEnvironment.getExecutionEnvironment({ topics }).executeAsync(upper);
  await run(
    'eager',
    (env) => env.fromMqTopic('orders', 'g', { until: 'now' }).addSink((m) => void found.push(m)),
    {
      topics,
    },
  );
  expect(found).toMatchObject([{ value: 'X', topic: 'orders' }]);
});

test('a test driver shows what would be sent', async () => {
  const job = defineJob((env) =>
    env
      .fromTopic(topic<number>('numbers'), 'g')
      .map((n) => n * 2)
      .addSink(toTopic('doubled'), { uid: 'doubled' }),
  );
  const driver = TestDriver.of(job);
  await driver.send('numbers', { value: 2 });
  expect(driver.outputs('doubled')).toEqual([4]);
  await driver.close();
});
