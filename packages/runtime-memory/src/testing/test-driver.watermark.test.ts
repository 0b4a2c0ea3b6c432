import { describe, expect, test } from '@jest/globals';
import { defineJob, topic } from '@rs/core';
import { TumblingWindow } from '@rs/window';
import { notCalled, orders, spending } from '../test-support/orders-job.ts';
import { TestDriver } from './index.ts';

const order = (customer: string, amount: number, timestamp: number) => ({
  key: customer,
  value: { customer, amount },
  timestamp,
});

describe('advanceWatermark', () => {
  test('closes windows, and makes later messages late', async () => {
    for (const partitions of [1, 4]) {
      const driver = TestDriver.of(spending, { topics: { orders: partitions } });
      await driver.send(orders, [order('ada', 1, 1_000), order('bob', 2, 2_000)]);
      await driver.advanceWatermark(9_998);
      expect(driver.outputs('windows-out')).toEqual([]);
      await driver.advanceWatermark(9_999);
      expect(driver.outputs<string>('windows-out').toSorted()).toEqual(['ada 0s: 1', 'bob 0s: 2']);
      await driver.send(orders, order('ada', 4, 3_000));
      expect(driver.lateRecords()).toEqual({ windows: 1 });
      await driver.advanceWatermark(5);
      await driver.send(orders, order('ada', 4, 13_000));
      expect(driver.lateRecords()).toEqual({ windows: 1 });
    }
  });

  test('moves one topic, or one of its partitions', async () => {
    const driver = TestDriver.of(spending, { topics: { orders: 2 } });
    await driver.send(orders, [
      { ...order('ada', 1, 1_000), partition: 0 },
      { ...order('ada', 2, 2_000), partition: 1 },
    ]);
    await driver.advanceWatermark(10_000, { topic: orders, partition: 0 });
    expect(driver.outputs('windows-out')).toEqual([]);
    await driver.advanceWatermark(10_000, { topic: 'orders' });
    expect(driver.outputs('windows-out')).toEqual(['ada 0s: 3']);
  });

  test('of watermarks that the environment lets lag behind', async () => {
    const driver = TestDriver.of(spending, { watermarkOutOfOrderness: '5s' });
    await driver.send(orders, [order('ada', 1, 1_000), order('ada', 1, 14_999), order('ada', 1, 5_000)]);
    expect(driver.outputs('windows-out')).toEqual([]);
    await driver.send(orders, order('ada', 1, 15_000));
    expect(driver.outputs('windows-out')).toEqual(['ada 0s: 2']);
  });

  test('leaves room for late messages where the environment does', async () => {
    const driver = TestDriver.of(spending, { windowAllowedLateness: '1m', windowLatenessMode: 'postpone' });
    await driver.send(orders, order('ada', 1, 1_000));
    await driver.advanceWatermark(69_998);
    await driver.send(orders, order('ada', 2, 2_000));
    expect(driver.outputs('windows-out')).toEqual([]);
    await driver.advanceWatermark(69_999);
    expect(driver.outputs('windows-out')).toEqual(['ada 0s: 3']);
  });
});

describe('idle', () => {
  const both = [
    { ...order('ada', 1, 1_000), partition: 0 },
    { ...order('ada', 2, 2_000), partition: 1 },
  ];

  test('lets time go on without a partition', async () => {
    const driver = TestDriver.of(spending, { topics: { orders: 2 } });
    await driver.send(orders, both);
    await driver.send(orders, { ...order('ada', 4, 12_000), partition: 0 });
    expect(driver.outputs('windows-out')).toEqual([]);
    await driver.idle(orders, 1);
    expect(driver.outputs('windows-out')).toEqual(['ada 0s: 3']);
  });

  test('ends with the next message, also when that is no newer, and not with an advance', async () => {
    const driver = TestDriver.of(spending, { topics: { orders: 2 } });
    await driver.send(orders, both);
    await driver.idle('orders', 1);
    await driver.advanceWatermark(3_000);
    await driver.advanceWatermark(4_000, { topic: orders, partition: 1 });
    await driver.send(orders, { ...order('ada', 4, 12_000), partition: 0 });
    expect(driver.outputs('windows-out')).toEqual(['ada 0s: 3']);
    await driver.send(orders, { ...order('ada', 8, 2_000), partition: 1 });
    await driver.send(orders, { ...order('ada', 16, 25_000), partition: 0 });
    expect(driver.outputs('windows-out')).toHaveLength(1);
    expect(driver.lateRecords()).toEqual({ windows: 1 });
  });

  test('ends with the next message also where partitions are not exchanged', async () => {
    const job = defineJob((env) => {
      env
        .fromTopic(topic<string>('left'), 'test')
        .union(env.fromTopic(topic<string>('right'), 'test'))
        .keyBy((name) => name)
        .window(TumblingWindow.of(10))
        .count()
        .addSink(notCalled);
    });
    const driver = TestDriver.of(job);
    await driver.send('right', { value: 'a', timestamp: 12 });
    await driver.idle('right');
    await driver.send('right', { value: 'a', timestamp: 11 });
    await driver.send('left', { value: 'a', timestamp: 30 });
    expect(driver.outputs()).toEqual([]);
    await driver.idle('right', 0);
    expect(driver.outputs()).toEqual([2]);
  });

  test('of a whole topic leaves the time to the others', async () => {
    const job = defineJob((env) => {
      env
        .fromTopic(topic<string>('left'), 'test')
        .union(env.fromTopic(topic<string>('right'), 'test'))
        .keyBy((name) => name)
        .window(TumblingWindow.of(10))
        .count()
        .addSink(notCalled);
    });
    const driver = TestDriver.of(job, { topics: { left: 2, right: 2 } });
    const message = (timestamp: number) => ({ key: 'a', value: 'a', timestamp });
    await driver.send('right', message(2));
    await driver.send('left', [message(1), message(15)]);
    expect(driver.outputs()).toEqual([]);
    await driver.idle('right');
    expect(driver.outputs()).toEqual([2]);
  });
});

describe('end', () => {
  test('fires what is left, and says so of all inputs', async () => {
    const driver = TestDriver.of(spending, { topics: { orders: 3 }, batchSize: 50 });
    await driver.send(orders, [order('ada', 1, 1_000), order('bob', 2, 12_000)]);
    await driver.end();
    expect(driver.outputs<string>('windows-out').toSorted()).toEqual(['ada 0s: 1', 'bob 10s: 2']);
    expect(driver.timers()).toEqual([]);
    await driver.end();
    await driver.advanceWatermark(99_999);
    expect(driver.outputs('windows-out')).toHaveLength(2);
  });

  test('of one topic leaves the others open', async () => {
    const job = defineJob((env) => {
      env
        .fromTopic(topic<string>('left'), 'test')
        .union(env.fromTopic(topic<string>('right'), 'test'))
        .keyBy((name) => name)
        .window(TumblingWindow.of(10))
        .count()
        .addSink(notCalled);
    });
    const driver = TestDriver.of(job);
    await driver.send('left', { value: 'a', timestamp: 1 });
    await driver.send('right', { value: 'a', timestamp: 15 });
    expect(driver.outputs()).toEqual([]);
    await driver.end('left');
    expect(driver.outputs()).toEqual([1]);
    await driver.send('right', { value: 'a', timestamp: 25 });
    expect(driver.outputs()).toEqual([1, 1]);
  });
});
