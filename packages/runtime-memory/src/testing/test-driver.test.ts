import { describe, expect, test } from '@jest/globals';
import { defineJob, partitionOf, topic } from '@rs/core';
import { notCalled, type Order, orders, spending, tooLate } from '../test-support/orders-job.ts';
import { TestDriver } from './index.ts';

const order = (customer: string, amount: number, timestamp: number) => ({
  key: customer,
  value: { customer, amount },
  timestamp,
});

describe('send', () => {
  test('has the job process a message, and commit it', async () => {
    const driver = TestDriver.of(spending);
    await driver.send(orders, order('ada', 101, 1_000));
    expect(driver.outputs('alerts')).toEqual(['ada: 101']);
    await driver.send(orders, [order('ada', 1, 2_000), order('bob', 5, 12_000)]);
    expect(driver.outputs('alerts')).toEqual(['ada: 101', 'ada: 102']);
    expect(driver.outputs('windows-out')).toEqual(['ada 0s: 102']);
  });

  test('takes the name of a topic', async () => {
    const driver = TestDriver.of(spending);
    await driver.send('orders', order('ada', 101, 1_000));
    expect(driver.outputs<string>('alerts')).toEqual(['ada: 101']);
  });

  test('gives messages what the sender did not: a partition, an id, the time of the clock', async () => {
    const job = defineJob((env) => {
      env.fromMqTopic('events', 'test').addSink(notCalled);
    });
    const driver = TestDriver.of(job, { topics: { events: 3 }, startTime: 50 });
    await driver.send('events', [{ value: 1 }, { value: 2 }, { value: 3 }, { value: 4 }]);
    await driver.send('events', { key: 'a', value: 5, timestamp: 7, headers: { trace: 'x' } });
    await driver.send('events', { key: 'a', value: 6, partition: 2 });
    await driver.advanceTime(10);
    await driver.send('events', { value: 7 });
    const message = (partition: number, id: string, value: number, timestamp = 50) => ({
      topic: 'events',
      partition,
      id,
      key: undefined,
      value,
      timestamp,
      headers: {},
    });
    expect(driver.outputs()).toEqual([
      message(0, '1-0', 1),
      message(0, '2-0', 4),
      message(1, '1-0', 2),
      message(2, '1-0', 3),
      { ...message(partitionOf('a', 3), '2-0', 5, 7), key: 'a', headers: { trace: 'x' } },
      { ...message(2, '2-0', 6), key: 'a' },
      message(1, '3-0', 7, 60),
    ]);
  });

  test('takes topics of any name', async () => {
    const job = defineJob((env) => {
      env.fromTopic(topic<string>('constructor'), 'test').addSink(notCalled);
    });
    const driver = TestDriver.of(job);
    await driver.send('constructor', { value: 'a', partition: 0 });
    expect(driver.outputs()).toEqual(['a']);
  });

  test('lets all groups of a topic read the message', async () => {
    const job = defineJob((env) => {
      env.fromTopic(topic<string>('words'), 'one').addSink(notCalled, { name: 'one' });
      env.fromTopic(topic<string>('words'), 'two').addSink(notCalled, { name: 'two' });
    });
    const driver = TestDriver.of(job, { topics: { words: 2 } });
    await driver.send('words', { value: 'hello' });
    expect([driver.outputs('one'), driver.outputs('two')]).toEqual([['hello'], ['hello']]);
  });

  test('of nothing does nothing', async () => {
    const driver = TestDriver.of(spending);
    await driver.send(orders, []);
    expect(driver.outputs('alerts')).toEqual([]);
  });

  test('copies values: neither the test nor the job sees what the other changes', async () => {
    const job = defineJob((env) => {
      env
        .fromTopic(topic<Order[]>('lists'), 'test')
        .map((list) => {
          list.push({ customer: 'job', amount: 0 });
          return list;
        })
        .addSink(notCalled);
    });
    const driver = TestDriver.of(job);
    const list: Order[] = [];
    const sent = driver.send('lists', { value: list });
    list.push({ customer: 'test', amount: 0 });
    await sent;
    expect(list).toHaveLength(1);
    expect(driver.outputs()).toEqual([[{ customer: 'job', amount: 0 }]]);
  });
});

describe('calls', () => {
  test('that are not awaited have effect one after the other', async () => {
    const job = defineJob((env) => {
      env
        .fromTopic(topic<number>('numbers'), 'test')
        .map(async (n) => {
          for (let turns = 0; turns < 5 - n; turns++) await Promise.resolve();
          return n;
        })
        .addSink(notCalled);
    });
    const driver = TestDriver.of(job);
    await Promise.all([0, 1, 2, 3].map((value) => driver.send('numbers', { value })));
    expect(driver.outputs()).toEqual([0, 1, 2, 3]);
  });

  test('go on after one that has failed', async () => {
    const driver = TestDriver.of(spending);
    const [unknown, sent] = await Promise.allSettled([
      driver.end('nothing'),
      driver.send(orders, order('ada', 101, 1)),
    ]);
    expect([unknown.status, sent.status]).toEqual(['rejected', 'fulfilled']);
    expect(driver.outputs('alerts')).toHaveLength(1);
  });
});

describe('an error of the job', () => {
  test('rejects the call, and the record is tried again by the next one', async () => {
    let broken = true;
    const job = defineJob((env) => {
      env
        .fromTopic(topic<string>('words'), 'test')
        .map(
          (word) => {
            if (broken && word === 'b') throw new Error('no b');
            return word;
          },
          { name: 'check' },
        )
        .addSink(notCalled);
    });
    const driver = TestDriver.of(job);
    await expect(
      driver.send('words', [{ value: 'a' }, { value: 'b' }, { value: 'c' }]),
    ).rejects.toMatchObject({
      code: 'RS_USER_FUNCTION_FAILED',
      details: { operator: "map 'check'" },
    });
    expect(driver.outputs()).toEqual(['a']);
    await expect(driver.send('words', { value: 'd' })).rejects.toThrow('no b');
    broken = false;
    await driver.flush();
    expect(driver.outputs()).toEqual(['a', 'b', 'c', 'd']);
  });

  test('a value that the schema refuses fails the job when it is sent by name', async () => {
    const driver = TestDriver.of(spending);
    await expect(driver.send('orders', { value: 'nonsense' })).rejects.toMatchObject({
      code: 'RS_INVALID_VALUE',
      message: expect.stringContaining('message 1-0 in partition 0'),
    });
  });
});

describe('outputs', () => {
  test('are named by the uid or the name of their sink, and carry timestamps', async () => {
    const driver = TestDriver.of(spending);
    await driver.send(orders, [order('ada', 101, 1_000), order('ada', 1, 25_000)]);
    expect(driver.outputRecords('windows-out')).toEqual([{ value: 'ada 0s: 101', timestamp: 9_999 }]);
    expect(driver.outputRecords<string>('alerts').map(({ timestamp }) => timestamp)).toEqual([1_000, 25_000]);
  });

  test('need no name where there is one sink; print is one too, and prints nothing', async () => {
    const lines: unknown[] = [];
    const log = (...line: unknown[]) => void lines.push(line);
    const job = defineJob((env) => {
      env.fromTopic(topic<string>('words'), 'test').print('>');
    });
    const driver = TestDriver.of(job, { logger: { debug: log, info: log, warn: log, error: log } });
    await driver.send('words', { value: 'hello' });
    expect([driver.outputs(), driver.outputs('print'), lines]).toEqual([['hello'], ['hello'], []]);
  });

  test('are copies: what a test changes does not show in the next call', async () => {
    const driver = TestDriver.of(spending);
    await driver.send(orders, [order('ada', 101, 25_000), order('ada', 2, 1_000)]);
    driver.outputs('alerts').pop();
    expect(driver.outputs('alerts')).toHaveLength(2);
    for (const late of driver.sideOutput('windows', tooLate)) Object.assign(late, { customer: 'changed' });
    expect(driver.sideOutput('windows', tooLate)).toEqual([{ customer: 'ada', amount: 2 }]);
  });

  test('that are objects are copies as well, with the types that were stored', async () => {
    const job = defineJob((env) => {
      env
        .fromTopic(orders, 'test')
        .map(({ amount }) => new Map([['amounts', [BigInt(amount)]]]))
        .addSink(notCalled);
    });
    const driver = TestDriver.of(job);
    await driver.send(orders, order('ada', 1, 0));
    const [first] = driver.outputs<Map<string, bigint[]>>();
    first?.get('amounts')?.push(2n);
    const [record] = driver.outputRecords<Map<string, bigint[]>>();
    record?.value.clear();
    expect(driver.outputs()).toEqual([new Map([['amounts', [1n]]])]);
  });

  test('of a side output are there although nobody reads it', async () => {
    const driver = TestDriver.of(spending);
    await driver.send(orders, [order('ada', 1, 25_000), order('ada', 2, 1_000)]);
    const late: Order[] = driver.sideOutput('windows', tooLate);
    expect(late).toEqual([{ customer: 'ada', amount: 2 }]);
    expect(driver.lateRecords()).toEqual({ windows: 1 });
  });

  test('of a side output that a sink reads are in both', async () => {
    const job = defineJob((env) => {
      env
        .fromTopic(orders, 'test')
        .keyBy(({ customer }) => customer)
        .process<never>((_key, value, ctx) => ctx.output(tooLate, value), { uid: 'all' })
        .getSideOutput(tooLate)
        .addSink(notCalled, { uid: 'late' });
    });
    const driver = TestDriver.of(job);
    await driver.send(orders, order('ada', 1, 0));
    expect(driver.outputs('late')).toEqual([{ customer: 'ada', amount: 1 }]);
    expect(driver.sideOutput('all', tooLate)).toEqual(driver.outputs('late'));
  });
});

describe('several partitions', () => {
  test('have the results of one, for each key', async () => {
    const customers = ['ada', 'bob', 'cleo', 'dan', 'eve'];
    const results = async (partitions: number) => {
      const driver = TestDriver.of(spending, { topics: { orders: partitions } });
      for (let n = 0; n < 30; n++) await driver.send(orders, order(customers[n % 5] as string, 20, n * 100));
      await driver.end();
      return [driver.outputs<string>('alerts').toSorted(), driver.outputs<string>('windows-out').toSorted()];
    };
    expect(await results(4)).toEqual(await results(1));
  });

  test('keep the time of a window back until the slowest of them is there', async () => {
    const driver = TestDriver.of(spending, { topics: { orders: 2 } });
    // In one call both are known to come, so neither runs ahead of the other.
    await driver.send(orders, [
      { ...order('ada', 1, 31_000), partition: 0 },
      { ...order('ada', 2, 1_000), partition: 1 },
    ]);
    expect([driver.outputs('windows-out'), driver.lateRecords()]).toEqual([[], {}]);
    await driver.send(orders, { ...order('ada', 4, 11_000), partition: 1 });
    expect(driver.outputs('windows-out')).toEqual(['ada 0s: 2']);
  });

  test('a partition that never had a message holds nothing back', async () => {
    const driver = TestDriver.of(spending, { topics: { orders: 4 } });
    await driver.send(orders, order('ada', 1, 1_000));
    await driver.send(orders, order('ada', 1, 11_000));
    expect(driver.outputs('windows-out')).toEqual(['ada 0s: 1']);
  });
});
