import { describe, expect, test } from '@jest/globals';
import { type ErrorCode, partitionOf } from '@rs/core';
import { rejectionOf } from '../test-support/coded.ts';
import { Producing } from '../test-support/producing.ts';
import { turn } from '../test-support/turn.ts';
import type { NewMessage } from './new-message.ts';

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);

/** Sends to partition 0. */
const at0 = (value: unknown): NewMessage<unknown> => ({ value, partition: 0 });

describe('the partition of a message', () => {
  test.each(['a', 'b', 'polygenelubricants', '', 'schlüssel', '🙂'])('is that of its key %p', async (key) => {
    const { producer, broker, create } = new Producing();
    create.call({ broker }, 'wide', 7);
    expect((await producer.send('wide', { key, value: 1 })).partition).toBe(partitionOf(key, 7));
  });

  test('is the one it was sent to, whatever its key', async () => {
    const { producer } = new Producing();
    expect((await producer.send('orders', { key: 'a', value: 1, partition: 0 })).partition).toBe(0);
    expect((await producer.send('orders', { key: 'a', value: 1, partition: 1 })).partition).toBe(1);
  });

  test('without either is drawn once per batch', async () => {
    const producing = new Producing({ maxBatch: 3 });
    producing.randoms.push(0.9, 0.2, 0.99);
    const receipts = await producing.producer.sendBatch(
      'orders',
      numbers(1, 7).map((value) => ({ value })),
    );
    expect(receipts.map(({ partition }) => partition)).toEqual([1, 1, 1, 0, 0, 0, 1]);
  });

  test('that the topic does not have is refused', async () => {
    const { producer, broker } = new Producing();
    const error = await rejectionOf(
      producer.send('orders', { value: 1, partition: 2 }),
      'RS_INVALID_ARGUMENT',
    );
    expect(error.message).toMatch(/^send to topic 'orders': the topic's partitions are 0 to 1, got 2; /);
    expect(broker.produced).toEqual([]);
  });
});

describe('a batch', () => {
  test('is what was sent in one turn, by partition', async () => {
    const { producer, broker } = new Producing();
    await producer.send('orders', at0('first'));
    const receipts = await Promise.all([
      ...numbers(1, 3).map((value) => producer.send('orders', at0(value))),
      producer.send('orders', { value: 'x', partition: 1 }),
    ]);
    expect(broker.produced.slice(1).map(({ values }) => values)).toEqual([['1', '2', '3'], ['"x"']]);
    expect(receipts.map(({ partition, id }) => [partition, id.split('-')[1]])).toEqual([
      [0, '0'],
      [0, '1'],
      [0, '2'],
      [1, '0'],
    ]);
  });

  test('is what gathered while the one before it was under way', async () => {
    const { producer, broker, values } = new Producing();
    broker.held = true;
    const sent = [];
    for (const value of numbers(1, 5)) {
      sent.push(producer.send('orders', at0(value)));
      await turn();
    }
    expect(broker.produced.map((call) => call.values)).toEqual([['1']]);
    broker.held = false;
    broker.answer();
    await Promise.all(sent);
    expect(broker.produced.map((call) => call.values)).toEqual([['1'], ['2', '3', '4', '5']]);
    expect(values.call({ broker }, 0)).toEqual(['1', '2', '3', '4', '5']);
  });

  test('has as many messages and bytes as it may', async () => {
    const { producer, broker } = new Producing({ maxBatch: 4, maxBatchBytes: 100 });
    await producer.sendBatch('orders', numbers(1, 6).map(at0));
    await producer.sendBatch('orders', ['x'.repeat(40), 'y'.repeat(40), 'z'.repeat(300), 'w'].map(at0));
    expect(broker.produced.map((call) => call.values.map((value) => value.length))).toEqual([
      [1, 1, 1, 1],
      [1, 1],
      [42],
      [42],
      [302],
      [3],
    ]);
  });

  test('lingers for others until it is full, the time is over or it is flushed', async () => {
    const { producer, broker, timers } = new Producing({ linger: 50, maxBatch: 3 });
    void producer.send('orders', at0(1));
    await timers.advance(49);
    void producer.send('orders', at0(2));
    await turn();
    expect(broker.produced).toEqual([]);
    await timers.advance(1);
    expect(broker.produced.map((call) => call.values)).toEqual([['1', '2']]);

    await producer.sendBatch('orders', numbers(3, 5).map(at0));
    void producer.send('orders', at0(6));
    await producer.flush();
    expect(broker.produced.slice(1).map((call) => call.values)).toEqual([['3', '4', '5'], ['6']]);
    expect(timers.time.planned).toBe(0);
  });

  test('of another partition does not wait for it', async () => {
    const { producer, broker } = new Producing();
    await producer.send('orders', at0(0));
    broker.held = true;
    void producer.send('orders', at0(1));
    void producer.send('orders', { value: 2, partition: 1 });
    await turn();
    expect(broker.waiting).toBe(2);
  });

  test('has sequences that go on in each partition', async () => {
    const { producer, broker } = new Producing();
    await producer.sendBatch('orders', [at0(1), at0(2), { value: 3, partition: 1 }]);
    await producer.sendBatch('orders', [at0(4), { value: 5, partition: 1 }]);
    expect(broker.produced.map(({ stream, sequence }) => [stream.slice(-2), sequence])).toEqual([
      ['p0', 1],
      ['p1', 1],
      ['p0', 3],
      ['p1', 2],
    ]);
    expect(new Set(broker.produced.map((call) => call.producer))).toEqual(new Set(['me']));
  });
});

describe('the entry', () => {
  test('has four fields, empty where there is nothing', async () => {
    const { producer, broker } = new Producing();
    await producer.sendBatch('orders', [
      { value: { a: 1 }, key: 'k', headers: { trace: 'x' }, timestamp: -5, partition: 0 },
      { value: null, key: '', headers: {}, partition: 0 },
      { value: '', partition: 0 },
    ]);
    expect(broker.produced[0]?.fields).toEqual([
      ...['1,json,k,-5', 'k', '{"trace":"x"}', '{"a":1}'],
      ...['1,json,k,', '', '', 'null'],
      ...['1,json,-,', '', '', '""'],
    ]);
  });

  test('holds the value as it was when it was sent', async () => {
    const { producer, broker } = new Producing();
    const value = { n: 1 };
    const sent = producer.send('orders', { value });
    value.n = 2;
    await sent;
    expect(broker.produced[0]?.values).toEqual(['{"n":1}']);
  });
});

describe('what is wrong', () => {
  test.each<[string, unknown, ErrorCode]>([
    ['no message', undefined, 'RS_INVALID_ARGUMENT'],
    ['no value', {}, 'RS_INVALID_VALUE'],
    ['the value undefined', { value: undefined }, 'RS_INVALID_VALUE'],
    ['a value that JSON cannot say', { value: { n: Number.NaN } }, 'RS_INVALID_VALUE'],
    ['a key that is a number', { key: 7, value: 1 }, 'RS_INVALID_KEY'],
    ['a key that is null', { key: null, value: 1 }, 'RS_INVALID_KEY'],
    ['a key with a lone surrogate', { key: 'a\ud800', value: 1 }, 'RS_INVALID_KEY'],
    ['a time that is a Date', { value: 1, timestamp: new Date(0) }, 'RS_INVALID_TIMESTAMP'],
    ['half a millisecond', { value: 1, timestamp: 0.5 }, 'RS_INVALID_TIMESTAMP'],
    ['a partition below 0', { value: 1, partition: -1 }, 'RS_INVALID_ARGUMENT'],
    ['a partition that is a text', { value: 1, partition: '1' }, 'RS_INVALID_ARGUMENT'],
    ['headers that are no object', { value: 1, headers: 'x' }, 'RS_INVALID_ARGUMENT'],
    ['a header that is a number', { value: 1, headers: { trace: 7 } }, 'RS_INVALID_ARGUMENT'],
    ['more bytes than a message may have', { value: 'x'.repeat(90) }, 'RS_INVALID_VALUE'],
  ])('%s: nothing is written, and the next send works', async (_what, message, code) => {
    const { producer, broker } = new Producing({ maxMessageBytes: 100 });
    const error = await rejectionOf(producer.send('orders', message as NewMessage<unknown>), code);
    expect(error.message).toMatch(/^send to topic 'orders': /);
    await rejectionOf(producer.sendBatch('orders', [{ value: 1 }, message as NewMessage<unknown>]), code);
    expect(broker.produced).toEqual([]);
    await producer.send('orders', { value: 'next' });
    expect(broker.produced[0]?.values).toEqual(['"next"']);
  });

  test('in a batch is told with its place', async () => {
    const { producer } = new Producing();
    const error = await rejectionOf(
      producer.sendBatch('orders', [{ value: 1 }, { value: 10n }]),
      'RS_INVALID_VALUE',
    );
    expect(error.message).toBe(
      "messages[1]: send to topic 'orders': the value is a bigint, which JSON cannot carry; convert it before you send it, or use msgpackCodec()",
    );
    expect(error.details).toMatchObject({ index: 1 });
  });

  test('a hole in a batch is no message', async () => {
    const bench = new Producing();
    const messages: { value: number }[] = [{ value: 1 }];
    messages[2] = { value: 3 };
    const error = await rejectionOf(bench.producer.sendBatch('orders', messages), 'RS_INVALID_ARGUMENT');
    expect(error.details).toMatchObject({ index: 1 });
  });

  test.each(['', 'a b', 'a:b', '{x}y', 'a{b', 't*', 'a\nb', '主题', undefined, 7])(
    'the topic %p is refused, without asking Redis',
    async (name) => {
      const { producer, broker } = new Producing();
      await rejectionOf(producer.send(name as string, { value: 1 }), 'RS_INVALID_NAME');
      expect(broker.describes).toBe(0);
    },
  );

  test.each([null, 7, [], { signal: 'x' }, { singal: undefined, timeout: 5 }])(
    'the options %j are refused',
    async (options) => {
      const { producer, broker } = new Producing();
      await rejectionOf(producer.send('orders', { value: 1 }, options as never), 'RS_INVALID_ARGUMENT');
      await rejectionOf(producer.sendBatch('orders', [], options as never), 'RS_INVALID_ARGUMENT');
      expect(broker.describes).toBe(0);
    },
  );

  test('messages that are no array are refused; none at all are sent at once', async () => {
    const { producer, broker } = new Producing();
    await rejectionOf(producer.sendBatch('orders', 7 as never), 'RS_INVALID_ARGUMENT');
    expect(await producer.sendBatch('orders', [])).toEqual([]);
    expect(broker.produced).toEqual([]);
  });
});

describe('a topic', () => {
  test('that does not exist is refused with the way to create it, each time anew', async () => {
    const { producer, broker } = new Producing();
    const error = await rejectionOf(producer.send('order', { value: 1 }), 'RS_UNKNOWN_TOPIC');
    expect(error.message).toBe(
      "topic 'order' does not exist. Create it with mq.topics.ensure('order', { partitions: n })",
    );
    broker.topics.set('order', { partitions: 1, shards: 1, version: 1, createdAt: 1 });
    expect((await producer.send('order', { value: 1 })).partition).toBe(0);
  });

  test('is read once for all that is sent at first, which keeps its order', async () => {
    const producing = new Producing();
    const { producer, broker } = producing;
    await Promise.all(numbers(1, 5).map((value) => producer.send('orders', at0(value))));
    expect(broker.describes).toBe(1);
    expect(producing.values(0)).toEqual(['1', '2', '3', '4', '5']);
  });

  test('that cannot be read rejects what waits for it, and not what comes later', async () => {
    const { producer, broker } = new Producing();
    const away = (await rejectionOf(producer.send('nope', { value: 1 }), 'RS_UNKNOWN_TOPIC')) as Error;
    broker.describeError = away as never;
    const sent = [producer.send('orders', { value: 1 }), producer.send('orders', { value: 2 })];
    expect((await Promise.allSettled(sent)).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    broker.describeError = undefined;
    await producer.send('orders', { value: 3 });
    expect(broker.produced.map(({ values }) => values)).toEqual([['3']]);
  });

  test('that has grown is used within its refresh', async () => {
    const producing = new Producing();
    const { producer, timers } = producing;
    const key = ['a', 'b', 'c', 'd'].find((one) => partitionOf(one, 4) >= 2) ?? '';
    await producer.send('orders', { key, value: 1 });
    producing.create('orders', 4, 2);
    await producer.send('orders', { key, value: 2 });
    await timers.advance(10_000);
    // The old facts are used once more while the new ones are fetched.
    await producer.send('orders', { key, value: 3 });
    const { partition } = await producer.send('orders', { key, value: 4 });
    expect(partition).toBe(partitionOf(key, 4));
    expect(producing.values(partition, 'orders', partition % 2)).toEqual(['4']);
    expect(producing.values(partitionOf(key, 2))).toEqual(['1', '2', '3']);
  });

  test('that was deleted is noticed, and one of its name with other shards is another', async () => {
    const producing = new Producing();
    const { producer, broker, timers } = producing;
    await producer.send('orders', at0(1));
    broker.topics.delete('orders');
    await timers.advance(10_000);
    await producer.send('orders', at0(2));
    await turn();
    await rejectionOf(producer.send('orders', at0(3)), 'RS_UNKNOWN_TOPIC');
    producing.create('orders', 3, 1);
    expect((await producer.send('orders', { value: 4, partition: 2 })).partition).toBe(2);
    expect(producing.values(2, 'orders', 0)).toEqual(['4']);
  });
});
