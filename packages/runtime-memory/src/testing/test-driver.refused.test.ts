import { describe, expect, test } from '@jest/globals';
import { defineJob, type ErrorCode, outputTag, type StandardSchema, topic, valueState } from '@rs/core';
import { coded, thrownBy } from '../test-support/coded.ts';
import { notCalled, type Order, orders, spending } from '../test-support/orders-job.ts';
import { TestDriver, type TestDriverOptions } from './index.ts';

describe('of', () => {
  test.each<[string, unknown, ErrorCode, string]>([
    [
      'options that are none',
      null,
      'RS_INVALID_ARGUMENT',
      'TestDriver.of: the options must be an object, got null',
    ],
    [
      'topics that are none',
      { topics: 4 },
      'RS_INVALID_ARGUMENT',
      'topics must be an object with numbers of partitions',
    ],
    [
      'no partitions',
      { topics: { orders: 0 } },
      'RS_INVALID_ARGUMENT',
      "of topic 'orders' must be an integer of at least 1, got 0",
    ],
    [
      'a text as number',
      { topics: { orders: '2' } },
      'RS_INVALID_ARGUMENT',
      "must be an integer of at least 1, got '2'",
    ],
    [
      'half a record',
      { batchSize: 0.5 },
      'RS_INVALID_ARGUMENT',
      'batchSize must be an integer of at least 1, got 0.5',
    ],
    ['a date', { startTime: new Date(0) }, 'RS_INVALID_TIMESTAMP', 'TestDriver.of: startTime'],
    [
      'another time',
      { processingTime: 'real' },
      'RS_INVALID_ARGUMENT',
      "processingTime must be 'clock' or 'records', got 'real'",
    ],
    ['another lateness', { windowLatenessMode: 'drop' }, 'RS_INVALID_ARGUMENT', 'windowLatenessMode'],
    ['no duration', { windowAllowedLateness: 'soon' }, 'RS_INVALID_DURATION', 'windowAllowedLateness'],
    ['less than nothing', { watermarkOutOfOrderness: -1 }, 'RS_INVALID_DURATION', 'watermarkOutOfOrderness'],
    ['no logger', { logger: () => undefined }, 'RS_INVALID_ARGUMENT', 'a logger'],
    [
      'a misspelt topic',
      { topics: { ordres: 4 } },
      'RS_UNKNOWN_TOPIC',
      "the job does not read a topic 'ordres'; it reads 'orders'",
    ],
  ])('refuses %s', (_, options, code, message) => {
    expect(thrownBy(() => TestDriver.of(spending, options as TestDriverOptions), code).message).toContain(
      message,
    );
  });

  test('takes an option that is undefined for one that is not given', async () => {
    const options: object = {
      batchSize: undefined,
      startTime: undefined,
      topics: undefined,
      windowAllowedLateness: undefined,
    };
    const driver = TestDriver.of(spending, options);
    await driver.send(orders, { value: { customer: 'ada', amount: 101 } });
    expect(driver.outputRecords('alerts')).toEqual([{ value: 'ada: 101', timestamp: 0 }]);
  });

  test('refuses what is no job', () => {
    expect(thrownBy(() => TestDriver.of(undefined as never), 'RS_INVALID_ARGUMENT').message).toContain(
      'a job made by defineJob',
    );
  });

  test('throws what is wrong with the job', () => {
    thrownBy(() => TestDriver.of(defineJob(() => undefined)), 'RS_NO_SINK');
    thrownBy(() => TestDriver.of(defineJob(async () => undefined)), 'RS_ASYNC_NOT_ALLOWED');
    const iterating = defineJob((env) => {
      for (const _element of env.fromElements(1)) break;
    });
    expect(thrownBy(() => TestDriver.of(iterating), 'RS_UNSUPPORTED').message).toContain('end it in addSink');
    const apart = defineJob((env) => {
      env
        .fromTopic(topic<string>('left'), 'test')
        .keyByMessageKey()
        .connect(env.fromTopic(topic<string>('right'), 'test').keyByMessageKey())
        .process<void>({ processElement1: () => undefined, processElement2: () => undefined })
        .addSink(notCalled);
    });
    thrownBy(() => TestDriver.of(apart, { topics: { left: 2, right: 3 } }), 'RS_NOT_COPARTITIONED');
  });
});

describe('send', () => {
  test.each<[string, unknown, ErrorCode, string]>([
    ['no message', 'text', 'RS_INVALID_ARGUMENT', "send to topic 'orders': needs a message"],
    [
      'no value',
      { key: 'a' },
      'RS_INVALID_ARGUMENT',
      "send to topic 'orders': needs a message with the property value",
    ],
    ['nothing', null, 'RS_INVALID_ARGUMENT', 'needs a message, an object with a value, got null'],
    ['a text as partition', { value: 1, partition: '0' }, 'RS_INVALID_ARGUMENT', "are 0 to 1, got '0'"],
    ['a number as key', { key: 5, value: 1 }, 'RS_INVALID_KEY', 'a message key must be a string'],
    ['a time that is none', { value: 1, timestamp: Number.NaN }, 'RS_INVALID_TIMESTAMP', 'send to topic'],
    [
      'a partition too many',
      { value: 1, partition: 2 },
      'RS_INVALID_ARGUMENT',
      "the topic's partitions are 0 to 1, got 2",
    ],
    [
      'headers that are none',
      { value: 1, headers: { n: 1 } },
      'RS_INVALID_ARGUMENT',
      "header 'n' must be a string",
    ],
    [
      'a function',
      { value: { run: () => 1 } },
      'RS_INVALID_VALUE',
      "send to topic 'orders': the value at run is a function",
    ],
  ])('refuses %s, and the messages with it', async (_, message, code, text) => {
    const driver = TestDriver.of(spending, { topics: { orders: 2 } });
    const good = { value: { customer: 'ada', amount: 101 } };
    const sent = driver.send('orders', [good, message as never]);
    await expect(sent).rejects.toEqual(coded(code));
    await expect(sent).rejects.toThrow(text);
    await driver.flush();
    expect(driver.outputs('alerts')).toEqual([]);
    await driver.send('orders', good);
    expect(driver.outputs('alerts')).toEqual(['ada: 101']);
  });

  test('refuses a value that the schema of the topic refuses', async () => {
    const driver = TestDriver.of(spending);
    await expect(driver.send(orders, { value: { customer: 'ada' } as Order })).rejects.toMatchObject({
      code: 'RS_INVALID_VALUE',
      message: expect.stringContaining('is no order'),
      details: { topic: 'orders', issues: [{ path: '', message: 'is no order' }] },
    });
    await driver.flush();
  });

  test('leaves what a schema says later to the job', async () => {
    const later: StandardSchema<string> = {
      '~standard': { version: 1, vendor: 'test', validate: async () => ({ issues: [{ message: 'no' }] }) },
    };
    const words = topic('words', { value: later });
    const driver = TestDriver.of(
      defineJob((env) => {
        env.fromTopic(words, 'test').addSink(notCalled);
      }),
    );
    await expect(driver.send(words, { value: 'a' })).rejects.toThrow('message 1-0 in partition 0');
  });

  test.each([
    ['messages', "the job does not read a topic 'messages'"],
    [topic('messages'), "the job does not read a topic 'messages'"],
    [undefined, 'needs a topic that the job reads, or its name, got undefined'],
    [null, 'needs a topic that the job reads, or its name, got null'],
    [{}, 'needs a topic that the job reads, or its name, got an object'],
  ])('refuses the topic %p', async (unknown, problem) => {
    const driver = TestDriver.of(spending);
    await expect(driver.send(unknown as string, { value: 1 })).rejects.toMatchObject({
      code: 'RS_UNKNOWN_TOPIC',
      message: `send: ${problem}; it reads 'orders'`,
    });
  });

  test('takes undefined for a value where it is one', async () => {
    const values: unknown[] = [];
    const job = defineJob((env) => {
      env
        .fromTopic(topic('any'), 'test')
        .map((value) => void values.push(value))
        .addSink(notCalled);
    });
    await TestDriver.of(job).send('any', { value: undefined });
    expect(values).toEqual([undefined]);
  });

  test('says so when the job reads no topic', async () => {
    const job = defineJob((env) => {
      env.fromElements(1).addSink(notCalled);
    });
    await expect(TestDriver.of(job).send('orders', { value: 1 })).rejects.toThrow('it reads none');
  });
});

describe('time', () => {
  const driver = () => TestDriver.of(spending, { topics: { orders: 2 } });

  test('of what is none', async () => {
    await expect(driver().advanceWatermark(1.5)).rejects.toEqual(coded('RS_INVALID_TIMESTAMP'));
    await expect(driver().advanceWatermark(Infinity)).rejects.toEqual(coded('RS_INVALID_TIMESTAMP'));
    await expect(driver().advanceTime('soon' as never)).rejects.toEqual(coded('RS_INVALID_DURATION'));
    await expect(driver().advanceTime(-1)).rejects.toEqual(coded('RS_INVALID_DURATION'));
  });

  test('of topics that the job does not read', async () => {
    const unknown = coded('RS_UNKNOWN_TOPIC');
    await expect(driver().idle('ordres', 0)).rejects.toEqual(unknown);
    await expect(driver().end('ordres')).rejects.toEqual(unknown);
    await expect(driver().advanceWatermark(1, { topic: 'ordres' })).rejects.toEqual(unknown);
    await expect(driver().advanceWatermark(1, {} as never)).rejects.toEqual(unknown);
  });

  test('of partitions that the topic does not have', async () => {
    for (const partition of [2, -1, 0.5]) {
      const text = `the partitions of topic 'orders' are 0 to 1, got ${partition}`;
      await expect(driver().idle(orders, partition)).rejects.toThrow(`idle: ${text}`);
      await expect(driver().advanceWatermark(1, { topic: orders, partition })).rejects.toThrow(
        `advanceWatermark: ${text}`,
      );
    }
  });

  test('of what is no partition', async () => {
    await expect(driver().idle(orders, '0' as never)).rejects.toThrow("are 0 to 1, got '0'");
  });

  test('of topics that have ended', async () => {
    const ended = driver();
    await ended.end(orders);
    await ended.end('orders');
    const closed = coded('RS_CLOSED');
    await expect(ended.send(orders, { value: { customer: 'ada', amount: 1 } })).rejects.toEqual(closed);
    await expect(ended.idle(orders)).rejects.toEqual(closed);
    await expect(ended.advanceWatermark(1, { topic: orders })).rejects.toEqual(closed);
    await ended.advanceWatermark(1);
  });
});

test.each([null, 5])('a sink that is %p is refused', (sink) => {
  expect(thrownBy(() => TestDriver.of(spending).outputs(sink as never), 'RS_INVALID_ARGUMENT').message).toBe(
    `outputs: needs the uid or name of a sink, or nothing for the only one, got ${sink}`,
  );
});

describe('after close', () => {
  test.each<[string, (driver: TestDriver) => unknown]>([
    ['send', (driver) => driver.send('orders', { value: 1 })],
    ['run', (driver) => driver.run()],
    ['flush', (driver) => driver.flush()],
    ['advanceWatermark', (driver) => driver.advanceWatermark(1)],
    ['advanceTime', (driver) => driver.advanceTime(1)],
    ['idle', (driver) => driver.idle('orders')],
    ['end', (driver) => driver.end()],
    ['outputs', (driver) => driver.outputs('alerts')],
    ['outputRecords', (driver) => driver.outputRecords('alerts')],
    ['sideOutput', (driver) => driver.sideOutput('windows', outputTag('too-late'))],
    ['state', (driver) => driver.state('by-customer', valueState('spent'), 'ada')],
    ['timers', (driver) => driver.timers()],
    ['lateRecords', (driver) => driver.lateRecords()],
    ['crash', (driver) => driver.crash()],
    ['restart', (driver) => driver.restart()],
    ['rebalance', (driver) => driver.rebalance()],
  ])('%s is refused', async (method, call) => {
    const driver = TestDriver.of(spending);
    await driver.close();
    await expect((async () => call(driver))()).rejects.toMatchObject({
      code: 'RS_CLOSED',
      message: `${method}: the test driver was closed; make a new one with TestDriver.of`,
      details: { operation: method },
    });
  });

  test('closing again, or before anything was called, does nothing', async () => {
    const driver = TestDriver.of(spending);
    await Promise.all([driver.close(), driver.close(), driver[Symbol.asyncDispose]()]);
  });

  test('a call under way fails', async () => {
    const job = defineJob((env) => {
      env
        .fromTopic(orders, 'test')
        .map(() => new Promise<never>(() => undefined))
        .addSink(notCalled);
    });
    const driver = TestDriver.of(job);
    const sent = driver.send(orders, { value: { customer: 'ada', amount: 1 } });
    const next = driver.flush();
    await Promise.resolve();
    await driver.close();
    await expect(sent).rejects.toEqual(coded('RS_CLOSED'));
    await expect(next).rejects.toEqual(coded('RS_CLOSED'));
  });
});
