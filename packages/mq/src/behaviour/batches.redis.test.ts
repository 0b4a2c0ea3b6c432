import { describe, expect, test } from '@jest/globals';
import { type StandardSchema, topic as topicOf } from '@rs/core';
import { useRedis } from '@rs/redis-server/jest';
import type { BatchContext, BatchHandler } from '../consumer/handler.ts';
import { outcome } from '../consumer/outcome.ts';
import type { BatchOptions, ConsumerSubscriptionOptions } from '../consumer/subscription-options.ts';
import { Door, until } from '../test-support/until.ts';
import { useMq } from '../test-support/use-mq.ts';
import { typed } from '../test-support/typed.ts';

const redis = useRedis();
const bench = useMq(redis);

const FAST = { lease: 800, rebalanceInterval: 100, pollTimeout: 1_000 } as const;
const QUICK = { initialBackoff: 10, jitter: 'none' } as const;

const numbers = (count: number, from = 0): number[] => Array.from({ length: count }, (_, at) => from + at);
const settled = (topic: string) =>
  until('nothing to be pending', async () => (await bench.pending(topic, 'g')) === 0);

interface Running {
  readonly topic: string;
  /** The values of each call, with their attempts. */
  readonly calls: string[][];
  send(...values: number[]): Promise<void>;
}

async function batching(
  handle: (values: readonly number[], context: BatchContext) => ReturnType<BatchHandler<number>>,
  options: ConsumerSubscriptionOptions & BatchOptions = {},
): Promise<Running> {
  const topic = await bench.topic(1);
  const mq = bench.mq();
  const calls: string[][] = [];
  const consumer = mq.consumer({ group: 'g', ...FAST });
  consumer.subscribeBatch(
    typed<number>(topic),
    (messages, context) => {
      const values = messages.map(({ value }) => value);
      calls.push(values.map((value, at) => `${value}/${String(context.attempts[at])}`));
      return handle(values, context);
    },
    { retry: QUICK, ...options },
  );
  await consumer.start();
  return {
    topic,
    calls,
    send: async (...values) => {
      await mq.producer().sendBatch(
        topic,
        values.map((value) => ({ value, key: `k${value % 3}` })),
      );
    },
  };
}

describe('batches', () => {
  test('have up to max messages in order, and are settled as a whole', async () => {
    const { topic, calls, send } = await batching(() => undefined, { max: 10 });
    await send(...numbers(25));
    await until('all', () => calls.flat().length === 25);
    expect(calls.flat()).toEqual(numbers(25).map((value) => `${value}/1`));
    expect(Math.max(...calls.map(({ length }) => length))).toBeLessThanOrEqual(10);
    await settled(topic);
  });

  test('maxWait: with enough messages waiting none waits, whatever else is the limit', async () => {
    const full = await batching(() => undefined, { max: 500, maxWait: '1h' });
    await full.send(...numbers(2_500));
    await until('all', () => full.calls.flat().length === 2_500);
    expect(full.calls.map(({ length }) => length)).toEqual([500, 500, 500, 500, 500]);
    // Here bytes are: about seven of them fit.
    const large = await batching(() => undefined, { max: 100, maxWait: '1h', maxInFlightBytes: 100 });
    await large.send(...numbers(1_000));
    await until('nearly all', () => large.calls.flat().length > 900);
  });

  test('maxWait: a batch waits for more, and not for ever', async () => {
    const { calls, send } = await batching(() => undefined, { max: 3, maxWait: 150 });
    await send(0, 1);
    await send(2, 3);
    await until('all', () => calls.flat().length === 4);
    expect(calls).toEqual([['0/1', '1/1', '2/1'], ['3/1']]);
  });

  test('one result for each message: retries wait alone, dead ones go, the others are settled', async () => {
    const { topic, calls, send } = await batching(
      (values) =>
        values.map((value) => {
          if (value === 1) return 'DEAD_LETTER';
          if (value === 2 && calls.flat().filter((call) => call.startsWith('2/')).length === 1)
            return outcome.retry({ delay: 5 });
          return value === 3 ? 'SUCCESS' : undefined;
        }),
      { ordering: 'none', max: 5, maxWait: 100 },
    );
    await send(...numbers(5));
    await until('the retry', () => calls.length === 2);
    expect(calls).toEqual([['0/1', '1/1', '2/1', '3/1', '4/1'], ['2/2']]);
    await settled(topic);
    expect((await bench.dead(topic)).map(({ d, r, n }) => [d, r, n])).toEqual([['1', 'handler', '1']]);
  });

  test("'partition': what failed is handled again before anything that comes after the batch", async () => {
    const { calls, send } = await batching(
      (values, { attempts }) =>
        values.map((value, at) => (value === 1 && attempts[at] === 1 ? 'RETRY' : 'SUCCESS')),
      { max: 3, maxWait: 100 },
    );
    await send(...numbers(6));
    await until('all', () => calls.flat().length === 7);
    expect(calls[0]).toEqual(['0/1', '1/1', '2/1']);
    expect(calls.flat().slice(3)).toEqual(['1/2', '3/1', '4/1', '5/1']);
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('all of it');
      },
    ],
    ['rejects', () => Promise.reject(new Error('all of it'))],
    ['returns too few results', () => ['SUCCESS' as const]],
    ['never returns', () => new Promise<never>(() => undefined)],
  ])('a batch handler that %s fails every message of its batch', async (how, fail) => {
    const { topic, calls, send } = await batching(fail, {
      max: 2,
      maxWait: 100,
      handlerTimeout: 40,
      retry: { ...QUICK, maxAttempts: 2, policy: () => 'retry' },
    });
    await send(0, 1);
    await until('two attempts of each', () => calls.flat().length === 4);
    // Each waits for itself: the second attempts need not be one batch.
    expect([calls[0], calls.slice(1).flat()]).toEqual([
      ['0/1', '1/1'],
      ['0/2', '1/2'],
    ]);
    await settled(topic);
    const dead = await bench.dead(topic);
    expect(dead.map(({ d, r, n }) => [d, r, n])).toEqual([
      ['0', 'attempts', '2'],
      ['1', 'attempts', '2'],
    ]);
    if (how === 'never returns') expect(dead[0]?.['e']).toContain('RS_HANDLER_TIMEOUT');
  });

  test('what cannot be decoded is dead alone; the rest of its batch is handled', async () => {
    const name = await bench.topic(1);
    const mq = bench.mq();
    const calls: number[][] = [];
    const positive: StandardSchema<number, number> = {
      '~standard': {
        version: 1,
        vendor: 'test',
        validate: (value) =>
          Number(value) > 0 ? { value: Number(value) } : { issues: [{ message: 'not positive' }] },
      },
    };
    const consumer = mq.consumer({ group: 'g', ...FAST });
    consumer.subscribeBatch(
      topicOf(name, { value: positive }),
      (messages) => {
        calls.push(messages.map(({ value }) => value));
      },
      { max: 3, maxWait: 100 },
    );
    await consumer.start();
    await mq.producer().sendBatch(name, [{ value: 1 }, { value: -1 }, { value: 3 }]);
    await until('the others', () => calls.flat().length === 2);
    await settled(name);
    expect(calls).toEqual([[1, 3]]);
    expect((await bench.dead(name)).map(({ d, r }) => [d, r])).toEqual([['-1', 'undecodable']]);
  });

  test('a handler per partition at a time', async () => {
    const topic = await bench.topic(2);
    const mq = bench.mq();
    const door = new Door();
    const running: number[] = [];
    const consumer = mq.consumer({ group: 'g', ...FAST });
    consumer.subscribeBatch(
      topic,
      async ([first]) => {
        running.push(first?.partition ?? -1);
        await door.opened;
      },
      { max: 2 },
    );
    await consumer.start();
    await mq.producer().sendBatch(
      topic,
      numbers(8).map((value) => ({ value, partition: value % 2 })),
    );
    await until('both partitions', () => running.length === 2);
    await until('all to be read', async () =>
      consumer.status().partitions.every(({ inFlight }) => inFlight === 4),
    );
    expect(running.sort()).toEqual([0, 1]);
    door.open();
  });

  test('misuse is refused', async () => {
    const topic = await bench.topic(1);
    const consumer = bench.mq().consumer({ group: 'g' });
    const wrong: (ConsumerSubscriptionOptions & BatchOptions)[] = [
      { concurrency: 2, ordering: 'key' },
      { max: 600 },
      { max: 0 },
      { ack: 'manual' },
    ];
    for (const options of wrong) {
      expect(() => consumer.subscribeBatch(topic, () => undefined, options)).toThrow(
        expect.objectContaining({ code: 'RS_INVALID_ARGUMENT' }),
      );
    }
  });
});
