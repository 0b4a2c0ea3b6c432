import { describe, expect, test } from '@jest/globals';
import { useRedis } from '@rs/redis-server/jest';
import type { MessageHandler } from '../consumer/handler.ts';
import { outcome } from '../consumer/outcome.ts';
import type { ConsumerSubscriptionOptions } from '../consumer/subscription-options.ts';
import type { Mq } from '../mq.ts';
import type { NewMessage } from '../producer/new-message.ts';
import { coded } from '../test-support/coded.ts';
import { RETRY, SOON, listed } from '../test-support/dead-letters.ts';
import { until } from '../test-support/until.ts';
import { useMq } from '../test-support/use-mq.ts';
import { typed } from '../test-support/typed.ts';

const bench = useMq(useRedis());

interface Death {
  readonly topic: string;
  readonly group?: string;
  readonly handler: MessageHandler<never>;
  readonly options?: ConsumerSubscriptionOptions;
  readonly messages?: readonly NewMessage<unknown>[];
  /** Dead letters to wait for. Default: as many as messages. */
  readonly count?: number;
}

/** Sends messages and lets all that the group has not handled die. */
async function die(mq: Mq, death: Death): Promise<void> {
  const { topic, group = 'billing', handler, options, messages = [], count = messages.length } = death;
  const before = (await mq.deadLetters(topic).count()).total;
  const consumer = mq.consumer({ group, ...SOON });
  consumer.subscribe(typed<never>(topic), handler, { retry: RETRY, ...options });
  await consumer.start();
  if (messages.length > 0) await mq.producer().sendBatch(topic, messages);
  await until(
    'all to be dead letters',
    async () => (await mq.deadLetters(topic).count()).total >= before + count,
  );
  await consumer.close();
}

const fails = (): never => {
  throw new TypeError('no customer 17');
};

describe('why a message is a dead letter', () => {
  test('C15: its attempts are used up; everything of the message and of the error is there', async () => {
    const topic = await bench.topic(2);
    const mq = bench.mq();
    const message = { key: 'k', value: { n: 1 }, headers: { h: '1' }, timestamp: 1_700_000_000_000 };
    await die(mq, { topic, handler: fails, messages: [message] });
    const dead = await listed(mq.deadLetters(typed<{ n: number }>(topic)));
    expect(dead).toEqual([
      {
        id: expect.stringMatching(/^[01]:\d+-\d+$/),
        topic,
        partition: expect.any(Number),
        group: 'billing',
        messageId: expect.stringMatching(/^\d+-\d+$/),
        attempts: 2,
        failedAt: expect.any(Number),
        reason: 'attempts',
        error: {
          name: 'TypeError',
          message: 'no customer 17',
          signature: 'TypeError: no customer <n>',
          stack: expect.stringContaining('no customer 17'),
        },
        key: 'k',
        headers: { h: '1' },
        timestamp: 1_700_000_000_000,
        raw: {
          m: Buffer.from('1,json,k,1700000000000'),
          k: Buffer.from('k'),
          h: Buffer.from('{"h":"1"}'),
          d: Buffer.from('{"n":1}'),
        },
        decode: expect.any(Function),
      },
    ]);
    const [first] = dead;
    await expect(first?.decode()).resolves.toEqual({
      id: first?.messageId,
      topic,
      partition: first?.partition,
      key: 'k',
      value: { n: 1 },
      timestamp: 1_700_000_000_000,
      headers: { h: '1' },
    });
    expect(await bench.pending(topic, 'billing', first?.partition)).toBe(0);
  });

  test('C12: one that always fails holds those behind it for its attempts, then they are handled in order', async () => {
    const topic = await bench.topic();
    const mq = bench.mq();
    const handled: unknown[] = [];
    let attempts = 0;
    const consumer = mq.consumer({ group: 'billing', ...SOON });
    consumer.subscribe(
      typed<string>(topic),
      ({ value }) => {
        if (value === 'p') {
          attempts++;
          throw new Error('poison');
        }
        handled.push(value);
      },
      { retry: { ...RETRY, maxAttempts: 4 } },
    );
    await mq.producer().sendBatch(topic, [{ value: 'p' }, { value: 'm1' }, { value: 'm2' }, { value: 'm3' }]);
    await consumer.start();
    await until('the others to be handled', () => handled.length === 3);
    expect(handled).toEqual(['m1', 'm2', 'm3']);
    expect(attempts).toBe(4);
    await until('nothing to be pending', async () => (await bench.pending(topic, 'billing')) === 0);
    const [dead, ...rest] = await listed(mq.deadLetters(topic));
    expect(rest).toEqual([]);
    expect(dead).toMatchObject({ reason: 'attempts', attempts: 4, error: { message: 'poison' } });
  });

  test('its handler says so, with a reason, with an error, in a word', async () => {
    const topic = await bench.topic();
    const mq = bench.mq();
    const results: Record<string, () => ReturnType<MessageHandler<unknown>>> = {
      reason: () => outcome.deadLetter('customer 17 is closed'),
      error: () => outcome.deadLetter('closed', new RangeError('account 5')),
      word: () => 'FAIL',
      long: () => outcome.deadLetter('x'.repeat(10_000)),
    };
    await die(mq, {
      topic,
      handler: ({ value }) => results[value as string]?.(),
      messages: Object.keys(results).map((value) => ({ value })),
    });
    const dead = await listed(mq.deadLetters(topic));
    expect(dead.map(({ reason, attempts }) => [reason, attempts])).toEqual(dead.map(() => ['handler', 1]));
    expect(dead.map(({ error: { name, reason, signature } }) => ({ name, reason, signature }))).toEqual([
      { name: undefined, reason: 'customer 17 is closed', signature: 'customer <n> is closed' },
      { name: 'RangeError', reason: 'closed', signature: 'RangeError: account <n>' },
      { name: undefined, reason: 'the handler returned FAIL', signature: 'the handler returned FAIL' },
      { name: undefined, reason: 'x'.repeat(512), signature: 'x'.repeat(200) },
    ]);
  });

  test('the policy says so at the first attempt', async () => {
    const topic = await bench.topic();
    const mq = bench.mq();
    const options = { retry: { ...RETRY, policy: () => 'deadLetter' as const } };
    await die(mq, { topic, handler: fails, options, messages: [{ value: 1 }] });
    expect(await listed(mq.deadLetters(topic))).toEqual([
      expect.objectContaining({ reason: 'policy', attempts: 1 }),
    ]);
  });
});

describe('list', () => {
  test('goes through all partitions in order, on after any of them, up to a limit', async () => {
    const topic = await bench.topic(3);
    const mq = bench.mq();
    const messages = Array.from({ length: 9 }, (_, value) => ({ value, partition: value % 3 }));
    await die(mq, { topic, handler: fails, messages });
    const letters = mq.deadLetters(typed<number>(topic));
    const all = await listed(letters);
    expect(all.map(({ partition }) => partition)).toEqual([0, 0, 0, 1, 1, 1, 2, 2, 2]);
    const values = await Promise.all(all.map(async (each) => (await each.decode()).value));
    expect(values).toEqual([0, 3, 6, 1, 4, 7, 2, 5, 8]);
    const ids = all.map(({ id }) => id);
    for (const [at, after] of ids.entries()) {
      expect((await listed(letters, { after })).map(({ id }) => id)).toEqual(ids.slice(at + 1));
    }
    expect((await listed(letters, { limit: 4 })).map(({ id }) => id)).toEqual(ids.slice(0, 4));
    expect((await listed(letters, { partition: 1 })).map(({ id }) => id)).toEqual(ids.slice(3, 6));
    const inPartition = { partition: 1, after: String(ids[3]) };
    expect((await listed(letters, inPartition)).map(({ id }) => id)).toEqual(ids.slice(4, 6));
    expect(await listed(letters, { partition: 0, after: String(ids[3]) })).toEqual([]);
    expect(await letters.count()).toEqual({ total: 9, partitions: [3, 3, 3] });
  });

  test('reads in pages, also such as are larger than a page', async () => {
    const topic = await bench.topic();
    const mq = bench.mq();
    const { deadLetters } = bench.keys(topic);
    const facts = ['o', '1-0', 'g', 'g', 'n', '1', 't', '5', 'r', 'attempts', 'e', '{}'];
    const message = ['m', '1,text,-,', 'k', '', 'h', '', 'd'];
    const add = (d: string) => bench.redis.xadd(deadLetters, '*', ...facts, ...message, d);
    for (const size of [5e6, 1, 3e6, 3e6]) await add('x'.repeat(size));
    await Promise.all(Array.from({ length: 450 }, (_, at) => add(String(at))));
    const all = await listed(mq.deadLetters(typed<string>(topic)));
    expect(all.slice(0, 4).map(({ raw }) => raw.d?.length)).toEqual([5e6, 1, 3e6, 3e6]);
    expect(all.slice(4).map(({ raw }) => String(raw.d))).toEqual(
      Array.from({ length: 450 }, (_, at) => String(at)),
    );
  });

  test('ends with what was there when it came to a partition', async () => {
    const topic = await bench.topic();
    const mq = bench.mq();
    await die(mq, { topic, handler: fails, messages: [{ value: 1 }, { value: 2 }] });
    const copy = ['o', '1-0', 'g', 'g', 'n', '1', 't', '5', 'r', 'attempts', 'e', '{}'];
    let count = 0;
    for await (const { id } of mq.deadLetters(topic).list()) {
      expect(id).toBeDefined();
      count++;
      await bench.redis.xadd(bench.keys(topic).deadLetters, '*', ...copy);
    }
    expect(count).toBe(2);
  });

  test('leaves out what is no dead letter', async () => {
    const topic = await bench.topic();
    const mq = bench.mq();
    await bench.redis.xadd(bench.keys(topic).deadLetters, '*', 'some', 'thing');
    await die(mq, { topic, handler: fails, messages: [{ value: 1 }] });
    expect(await listed(mq.deadLetters(topic))).toHaveLength(1);
    expect(await mq.deadLetters(topic).replay({ group: 'billing' })).toEqual({ replayed: 1, skipped: 0 });
  });
});

describe('filters, summary and remove', () => {
  async function several(): Promise<{ mq: Mq; topic: string }> {
    const topic = await bench.topic(2);
    const mq = bench.mq();
    const messages = Array.from({ length: 6 }, (_, value) => ({ value, partition: value % 2 }));
    const handler: MessageHandler<number> = ({ value }) => {
      if (value === 5) return outcome.deadLetter('five');
      throw new Error(value < 2 ? `no customer ${value}` : 'timeout');
    };
    await die(mq, { topic, handler, messages });
    await die(mq, { topic, group: 'audit', handler: fails, count: 6 });
    return { mq, topic };
  }

  test('tell causes apart', async () => {
    const { mq, topic } = await several();
    const letters = mq.deadLetters(topic);
    const number = expect.any(Number);
    const times = { oldest: number, newest: number };
    const { causes, scanned, complete } = await letters.summary();
    expect({ scanned, complete }).toEqual({ scanned: 12, complete: true });
    expect(causes).toHaveLength(4);
    expect(causes).toEqual(
      expect.arrayContaining([
        { group: 'audit', reason: 'attempts', signature: 'TypeError: no customer <n>', count: 6, ...times },
        { group: 'billing', reason: 'attempts', signature: 'Error: timeout', count: 3, ...times },
        { group: 'billing', reason: 'attempts', signature: 'Error: no customer <n>', count: 2, ...times },
        { group: 'billing', reason: 'handler', signature: 'five', count: 1, ...times },
      ]),
    );
    expect(causes.map(({ count }) => count)).toEqual([6, 3, 2, 1]);
    expect(
      (await letters.summary({ group: 'billing', partition: 1 })).causes.map(({ count }) => count),
    ).toEqual([1, 1, 1]);
    expect(await letters.summary({ limit: 12 })).toMatchObject({ scanned: 12, complete: false });
    expect(await letters.summary({ limit: 5 })).toMatchObject({ scanned: 5, complete: false });

    const count = async (filter: Parameters<typeof listed>[1]) => (await listed(letters, filter)).length;
    expect(await count({ group: 'billing' })).toBe(6);
    expect(await count({ reason: 'handler' })).toBe(1);
    expect(await count({ signature: 'Error: timeout', partition: 0 })).toBe(2);
    expect(await count({ group: 'audit', signature: 'Error: timeout' })).toBe(0);
  });

  test('remove takes what a filter says, ids, or all', async () => {
    const { mq, topic } = await several();
    const letters = mq.deadLetters(topic);
    expect(await letters.remove({ group: 'billing', signature: 'Error: timeout' })).toBe(3);
    expect(await letters.remove({ group: 'billing', signature: 'Error: timeout' })).toBe(0);
    const ids = (await listed(letters, { group: 'billing' })).map(({ id }) => id);
    expect(ids).toHaveLength(3);
    expect(await letters.remove({ ids: [...ids.slice(0, 2), ...ids.slice(0, 1), '7:1-1', '0:1-1'] })).toBe(2);
    expect((await letters.count()).total).toBe(7);
    expect(await letters.remove({ all: true })).toBe(7);
    expect(await letters.count()).toEqual({ total: 0, partitions: [0, 0] });
  });
});

describe('refused', () => {
  test('what is known at once', async () => {
    const topic = await bench.topic(2);
    const mq = bench.mq();
    const letters = mq.deadLetters(topic);
    expect(() => mq.deadLetters('a b')).toThrow(coded('RS_INVALID_NAME'));
    for (const options of [
      { after: '17-0' },
      { limit: 0 },
      { partition: -1 },
      { reason: 'lost' },
      { grup: 'g' },
    ]) {
      expect(() => letters.list(options as object)).toThrow(coded('RS_INVALID_ARGUMENT'));
    }
    await expect(listed(letters, { partition: 2 })).rejects.toThrow(coded('RS_INVALID_ARGUMENT'));
    const replays = [{}, { group: 'g', rate: 0 }, { group: 'g', ids: ['1-0'] }, { group: 'g', ids: '0:1-0' }];
    for (const options of [
      ...replays,
      { group: 'g', ids: [], reason: 'attempts' },
      { group: 'g', signal: {} },
    ]) {
      await expect(letters.replay(options as never)).rejects.toMatchObject({
        code: expect.stringMatching(/^RS_INVALID_(ARGUMENT|NAME)$/),
      });
    }
    for (const options of [
      {},
      { all: true, group: 'g' },
      { all: false },
      { ids: [], group: 'g' },
      { all: 1 },
    ]) {
      await expect(letters.remove(options as never)).rejects.toThrow(coded('RS_INVALID_ARGUMENT'));
    }
    await mq.close();
    expect(() => mq.deadLetters(topic)).toThrow(coded('RS_CLOSED'));
  });

  test('a topic that nobody created', async () => {
    const letters = bench.mq().deadLetters('no-such-topic');
    const unknown = coded('RS_UNKNOWN_TOPIC');
    await expect(listed(letters)).rejects.toThrow(unknown);
    await expect(letters.count()).rejects.toThrow(unknown);
    await expect(letters.summary()).rejects.toThrow(unknown);
    await expect(letters.replay({ group: 'g' })).rejects.toThrow(unknown);
    await expect(letters.remove({ all: true })).rejects.toThrow(unknown);
  });
});
