import { beforeEach, describe, expect, test } from '@jest/globals';
import { partitionOf, type StandardSchema, topic } from '@rs/core';
import { MemoryTopics, type NewMessage } from '../index.ts';
import { ManualTime } from '../test-support/manual-time.ts';
import { coded, thrownBy } from '../test-support/coded.ts';

let topics: MemoryTopics;
let time: ManualTime;

beforeEach(() => {
  time = new ManualTime(1_000);
  topics = new MemoryTopics({ clock: time });
  topics.create('orders', { partitions: 4 });
});

const untyped = (value: unknown) => value as never;

/** Refuses what is not positive, and says so twice: of the value and of its currency. */
const positive: StandardSchema<{ amount: number }> = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value) =>
      (value as { amount: number }).amount > 0
        ? { value: value as { amount: number } }
        : { issues: [{ message: 'must be positive', path: ['amount'] }, { message: 'is nothing' }] },
  },
};

describe('create', () => {
  test('again with the same number changes nothing, with another one is refused', () => {
    topics.send('orders', { value: 1 });
    topics.create('orders', { partitions: 4 });
    expect(topics.read('orders')).toHaveLength(1);
    const error = thrownBy(() => topics.create('orders', { partitions: 8 }), 'RS_INVALID_ARGUMENT');
    expect(error.message).toContain("topic 'orders' has 4 partitions");
    expect(topics.partitions('orders')).toBe(4);
  });

  test('takes a topic as well as its name', () => {
    const refunds = topic<string>('refunds');
    topics.create(refunds, { partitions: 2 });
    expect([topics.partitions('refunds'), topics.partitions(refunds)]).toEqual([2, 2]);
  });

  test.each([0, -1, 1.5, Number.NaN, '4', undefined])('%p partitions are refused', (partitions) => {
    expect(() => topics.create('other', untyped({ partitions }))).toThrow(coded('RS_INVALID_ARGUMENT'));
    expect(() => topics.create('other', untyped(undefined))).toThrow(coded('RS_INVALID_ARGUMENT'));
    expect(() => topics.partitions('other')).toThrow(coded('RS_UNKNOWN_TOPIC'));
  });

  test.each([4097, 2 ** 32])('%p partitions are too many', (partitions) => {
    const error = thrownBy(() => topics.create('other', { partitions }), 'RS_INVALID_ARGUMENT');
    expect(error.message).toBe(
      `topic 'other' may have at most 4096 partitions, since a job that reads it has a task for each, got ${partitions}`,
    );
    topics.create('other', { partitions: 4096 });
    expect(topics.partitions('other')).toBe(4096);
  });

  test.each(['', 'a b', 'a:b', undefined, 7])('the name %p is refused', (name) => {
    expect(() => topics.create(untyped(name), { partitions: 1 })).toThrow(coded('RS_INVALID_NAME'));
  });
});

describe('send', () => {
  test('returns the message as it was stored', () => {
    const value = { amount: 5 };
    const headers = { trace: 'x' };
    const message = topics.send('orders', { key: 'ada', value, timestamp: 17, headers });
    expect(message).toEqual({
      id: '1-0',
      topic: 'orders',
      partition: partitionOf('ada', 4),
      key: 'ada',
      value,
      timestamp: 17,
      headers: { trace: 'x' },
    });
    expect(message.value).toBe(value);
    headers.trace = 'changed later';
    expect(topics.read('orders')).toEqual([message]);
    expect(message.headers).toEqual({ trace: 'x' });
    expect([message, message.headers].every(Object.isFrozen)).toBe(true);
  });

  test('what is left out is the time of the clock, no key and no headers', () => {
    const message = topics.send('orders', { value: 'x' });
    expect(message).toMatchObject({ timestamp: 1_000, key: undefined, headers: {} });
    time.set(2_000);
    expect(topics.send('orders', { value: 'x' }).timestamp).toBe(2_000);
  });

  test('the time is the machine’s by default', () => {
    const own = new MemoryTopics();
    own.create('t', { partitions: 1 });
    expect(own.send('t', { value: 1 }).timestamp).toBeGreaterThan(1_600_000_000_000);
  });

  test('a key decides on the partition, a partition that is given comes before it', () => {
    for (const key of ['a', 'b', 'c', 'polygenelubricants', '']) {
      expect(topics.send('orders', { key, value: 1 }).partition).toBe(partitionOf(key, 4));
      expect(topics.send('orders', { key, value: 1, partition: 3 }).partition).toBe(3);
    }
  });

  test('messages without a key take turns, whatever is sent between them', () => {
    const partitions = [0, 1, 2, 3, 4, 5].map((n) => {
      topics.send('orders', { key: 'a', value: n });
      topics.send('orders', { value: n, partition: 2 });
      return topics.send('orders', { value: n }).partition;
    });
    expect(partitions).toEqual([0, 1, 2, 3, 0, 1]);
  });

  test('ids count from 1 in each partition', () => {
    const ids = [0, 0, 1, 0].map((partition) => topics.send('orders', { value: 1, partition }).id);
    expect(ids).toEqual(['1-0', '2-0', '1-0', '3-0']);
  });

  test.each<[string, unknown, Parameters<typeof coded>[0]]>([
    ['no message', undefined, 'RS_INVALID_ARGUMENT'],
    ['a key that is a number', { key: 7, value: 1 }, 'RS_INVALID_KEY'],
    ['a key that is null', { key: null, value: 1 }, 'RS_INVALID_KEY'],
    ['a time that is a Date', { value: 1, timestamp: new Date(0) }, 'RS_INVALID_TIMESTAMP'],
    ['half a millisecond', { value: 1, timestamp: 0.5 }, 'RS_INVALID_TIMESTAMP'],
    ['a partition beyond the last', { value: 1, partition: 4 }, 'RS_INVALID_ARGUMENT'],
    ['a partition below 0', { value: 1, partition: -1 }, 'RS_INVALID_ARGUMENT'],
    ['a partition that is a text', { value: 1, partition: '1' }, 'RS_INVALID_ARGUMENT'],
    ['half a partition', { value: 1, partition: 0.5 }, 'RS_INVALID_ARGUMENT'],
    ['headers that are no object', { value: 1, headers: 'x' }, 'RS_INVALID_ARGUMENT'],
    ['a header that is a number', { value: 1, headers: { trace: 7 } }, 'RS_INVALID_ARGUMENT'],
  ])('refuses %s, and stores nothing', (_what, message, code) => {
    expect(() => topics.send('orders', message as NewMessage<unknown>)).toThrow(coded(code));
    expect(topics.read('orders')).toEqual([]);
    expect(topics.send('orders', { value: 'next' }).partition).toBe(0);
  });

  test('a clock that gives no milliseconds is refused', () => {
    const own = new MemoryTopics({ clock: { now: () => 0.5 } });
    own.create('t', { partitions: 1 });
    expect(() => own.send('t', { value: 1 })).toThrow(coded('RS_INVALID_TIMESTAMP'));
    expect(() => new MemoryTopics({ clock: untyped({}) })).toThrow(coded('RS_INVALID_ARGUMENT'));
    for (const options of [null, 5, 'x', () => 0, []]) {
      expect(thrownBy(() => new MemoryTopics(untyped(options)), 'RS_INVALID_ARGUMENT').message).toMatch(
        /^MemoryTopics: options must be an object, got /,
      );
    }
  });
});

describe('a topic with a schema', () => {
  const orders = topic('orders', { value: positive });

  test('refuses a value at send, with the issues, and stores nothing', () => {
    const error = thrownBy(() => topics.send(orders, { value: { amount: 0 } }), 'RS_INVALID_VALUE');
    expect(error.message).toBe(
      "a value sent to topic 'orders' is refused by the topic's schema: amount: must be positive; is nothing",
    );
    expect(error.details).toEqual({
      topic: 'orders',
      issues: [
        { path: 'amount', message: 'must be positive' },
        { path: '', message: 'is nothing' },
      ],
    });
    expect(topics.read(orders)).toEqual([]);
  });

  test('stores what was given, not what the schema makes of it', () => {
    const dates = topic('dates', { value: isoDates });
    topics.create(dates, { partitions: 1 });
    expect(topics.send(dates, { value: '2024-01-01' }).value).toBe('2024-01-01');
  });

  test('is not asked when the topic is only named', () => {
    expect(topics.send('orders', { value: { amount: 0 } }).value).toEqual({ amount: 0 });
  });

  test('that answers later stores the value, also when its promise is rejected', async () => {
    const slow = topic('orders', { value: schemaOf(async () => ({ issues: [{ message: 'no' }] })) });
    const broken = topic('orders', {
      value: schemaOf(async () => {
        throw new Error('out of order');
      }),
    });
    topics.send(slow, { value: 1 });
    topics.send(broken, { value: 2 });
    await new Promise((resolve) => setImmediate(resolve)); // An unhandled rejection would fail the test.
    expect(topics.read('orders').map(({ value }) => value)).toEqual([1, 2]);
  });

  test('that throws is told as a function that failed', () => {
    const broken = topic('orders', {
      value: schemaOf(() => {
        throw new Error('out of order');
      }),
    });
    const error = thrownBy(() => topics.send(broken, { value: 1 }), 'RS_USER_FUNCTION_FAILED');
    expect(error.message).toBe("the schema of topic 'orders' failed: out of order");
    expect(topics.read('orders')).toEqual([]);
  });
});

const isoDates: StandardSchema<string, Date> = {
  '~standard': { version: 1, vendor: 'test', validate: (value) => ({ value: new Date(value as string) }) },
};

function schemaOf(
  validate: StandardSchema<number, number>['~standard']['validate'],
): StandardSchema<number, number> {
  return { '~standard': { version: 1, vendor: 'test', validate } };
}

describe('read', () => {
  beforeEach(() => {
    for (const [value, partition] of [
      ['a', 1],
      ['b', 0],
      ['c', 1],
    ] as const)
      topics.send('orders', { value, partition });
  });

  test('gives the messages of a partition in their order, and all partitions one after the other', () => {
    expect(topics.read('orders', 1).map(({ value }) => value)).toEqual(['a', 'c']);
    expect(topics.read('orders', 2)).toEqual([]);
    expect(topics.read('orders').map(({ value }) => value)).toEqual(['b', 'a', 'c']);
  });

  test('gives a copy', () => {
    topics.read('orders', 1).length = 0;
    expect(topics.read('orders', 1)).toHaveLength(2);
  });

  test.each([4, -1, 0.5, '1'])('the partition %p is refused', (partition) => {
    expect(() => topics.read('orders', untyped(partition))).toThrow(coded('RS_INVALID_ARGUMENT'));
  });
});

describe('a topic that was not created', () => {
  test.each<[string, (topics: MemoryTopics) => unknown]>([
    ['send', (all) => all.send('order', { value: 1 })],
    ['read', (all) => all.read('order')],
    ['partitions', (all) => all.partitions('order')],
    ['no topic at all', (all) => all.send(untyped(undefined), { value: 1 })],
  ])('is refused by %s, with the ones that exist', (_name, step) => {
    topics.create('refunds', { partitions: 1 });
    const error = thrownBy(() => step(topics), 'RS_UNKNOWN_TOPIC');
    expect(error.message).toContain("there are 'orders', 'refunds'");
    expect(thrownBy(() => step(new MemoryTopics()), 'RS_UNKNOWN_TOPIC').message).toContain(
      'there is none yet',
    );
  });
});
