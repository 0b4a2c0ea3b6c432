import { describe, expect, test } from '@jest/globals';
import { topic as topicOf } from '@rs/core';
import { useRedis } from '@rs/redis-server/jest';
import type { HandlerContext, MessageHandler } from '../consumer/handler.ts';
import { outcome } from '../consumer/outcome.ts';
import type { ConsumerSubscriptionOptions } from '../consumer/subscription-options.ts';
import { coded } from '../test-support/coded.ts';
import { Door, until } from '../test-support/until.ts';
import { useMq } from '../test-support/use-mq.ts';

const redis = useRedis();
const bench = useMq(redis);

const FAST = { lease: 800, rebalanceInterval: 100, pollTimeout: 1_000 } as const;
const QUICK = { initialBackoff: 10, jitter: 'none' } as const;

const settled = (topic: string) =>
  until('nothing to be pending', async () => (await bench.pending(topic, 'g')) === 0);

async function consume(
  handler: MessageHandler<unknown>,
  options: ConsumerSubscriptionOptions = {},
  topic?: string,
) {
  const name = topic ?? (await bench.topic(1));
  const mq = bench.mq();
  const consumer = mq.consumer({ group: 'g', ...FAST });
  consumer.subscribe(name, handler, { retry: QUICK, ...options });
  await consumer.start();
  const send = (...values: unknown[]) =>
    mq.producer().sendBatch(
      name,
      values.map((value) => ({ value })),
    );
  return { topic: name, consumer, send };
}

describe('handlerTimeout', () => {
  test('aborts the signal and fails the attempt; what the handler says later has no effect', async () => {
    const contexts: HandlerContext[] = [];
    const door = new Door();
    const { topic, send } = await consume(
      async ({ value }, context) => {
        contexts.push(context);
        if (value === 'n' || context.attempt === 2) return 'SUCCESS';
        await door.opened;
        return 'DEAD_LETTER';
      },
      { handlerTimeout: 50 },
    );
    await send('m', 'n');
    await until('the next message', () => contexts.length >= 3);
    door.open();
    const [late, again] = contexts;
    expect(late?.signal.aborted).toBe(true);
    expect(late?.signal.reason).toEqual(coded('RS_HANDLER_TIMEOUT'));
    expect([again?.attempt, again?.signal.aborted]).toEqual([2, false]);
    await settled(topic);
    expect(await bench.dead(topic)).toEqual([]);
  });

  test('a message that is late each time is dead, and the dead letter says so', async () => {
    const { topic, send } = await consume(() => new Promise<undefined>(() => undefined), {
      handlerTimeout: 30,
      retry: { ...QUICK, maxAttempts: 2 },
    });
    await send('m');
    await until('the dead letter', async () => (await bench.dead(topic)).length === 1);
    const [letter] = await bench.dead(topic);
    expect(letter).toMatchObject({ r: 'attempts', n: '2' });
    expect(JSON.parse(letter?.['e'] ?? '')).toMatchObject({
      signature: expect.stringContaining('RS_HANDLER_TIMEOUT'),
    });
  });

  test('a handler that ends in time is not disturbed', async () => {
    const signals: AbortSignal[] = [];
    const { topic, send } = await consume(
      async (_, { signal }) => {
        signals.push(signal);
      },
      { handlerTimeout: 200 },
    );
    await send(1, 2, 3);
    await until('all', () => signals.length === 3);
    await settled(topic);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false, false]);
  });
});

describe("ack: 'manual'", () => {
  test('MQ-13: pending until acknowledged, also after the handler has returned', async () => {
    const contexts: HandlerContext[] = [];
    const { topic, consumer, send } = await consume(
      (_, context) => {
        contexts.push(context);
      },
      { ack: 'manual' },
    );
    await send(0, 1, 2);
    await until('all handlers', () => contexts.length === 3);
    expect(await bench.pending(topic, 'g')).toBe(3);
    expect(consumer.status().partitions).toMatchObject([{ inFlight: 3, handling: 0 }]);
    contexts[1]?.ack();
    await until('the second to be settled', async () => (await bench.pending(topic, 'g')) === 2);
    // The first one is not: nothing is settled up to it.
    expect((await bench.lease(topic, 'g'))['low']).toBe('0-0');
    contexts[0]?.ack();
    contexts[0]?.settle(outcome.deadLetter('too late'));
    contexts[2]?.settle(outcome.deadLetter('unwanted'));
    await settled(topic);
    expect((await bench.dead(topic)).map(({ d }) => d)).toEqual(['2']);
    expect(consumer.status().partitions).toMatchObject([{ inFlight: 0 }]);
  });

  test('MQ-13: with one in flight, the next is read when it is acknowledged', async () => {
    const contexts: HandlerContext[] = [];
    const { topic, send } = await consume(
      (_, context) => {
        contexts.push(context);
      },
      { ack: 'manual', maxInFlight: 1 },
    );
    await send(0, 1, 2);
    for (let n = 1; n <= 3; n++) {
      await until('the next handler', () => contexts.length === n);
      await until('it to be pending', async () => (await bench.pending(topic, 'g')) === 1);
      expect(contexts).toHaveLength(n);
      contexts[n - 1]?.ack();
    }
    await settled(topic);
  });

  test('settle with retry, during the handler and after it', async () => {
    const calls: string[] = [];
    const { topic, send } = await consume(
      async ({ value }, context) => {
        calls.push(`${String(value)}/${context.attempt}`);
        if (context.attempt > 1) return context.ack();
        if (value === 'during') context.settle(outcome.retry());
        else setImmediate(() => context.settle(outcome.retry({ delay: 5 })));
        await new Promise(setImmediate);
      },
      { ack: 'manual', ordering: 'none' },
    );
    await send('during', 'after');
    await until('four calls', () => calls.length === 4);
    await settled(topic);
    expect(calls.sort()).toEqual(['after/1', 'after/2', 'during/1', 'during/2']);
  });

  test('a handler that throws before it acknowledges has failed; after, it has not', async () => {
    const calls: string[] = [];
    const { topic, send } = await consume(
      async ({ value }, context) => {
        calls.push(`${String(value)}/${context.attempt}`);
        if (value === 'after' || context.attempt === 2) context.ack();
        throw new Error('oh');
      },
      { ack: 'manual', ordering: 'none' },
    );
    await send('before', 'after');
    await until('three calls', () => calls.length === 3);
    await settled(topic);
    expect(calls.sort()).toEqual(['after/1', 'before/1', 'before/2']);
    expect(await bench.dead(topic)).toEqual([]);
  });

  test('close leaves what is not acknowledged to the next owner, at once and without an attempt', async () => {
    const first = await consume(() => undefined, { ack: 'manual' });
    await first.send('m');
    await until('the handler', () => first.consumer.status().partitions[0]?.inFlight === 1);
    await expect(first.consumer.close()).resolves.toEqual({ abandoned: 0, unreleased: 0 });
    const attempts: number[] = [];
    await consume((_, { attempt }) => void attempts.push(attempt), {}, first.topic);
    await until('it to come again', () => attempts.length === 1);
    expect(attempts).toEqual([1]);
  });
});

describe('C17: promises', () => {
  test('nothing is settled before its promise, and the next message waits', async () => {
    const doors = [new Door(), new Door()];
    const begun: unknown[] = [];
    const { topic, send } = await consume(async ({ value }) => {
      begun.push(value);
      await doors[Number(value)]?.opened;
    });
    await send(0, 1);
    await until('the first', () => begun.length === 1);
    expect(await bench.pending(topic, 'g')).toBe(2);
    doors[0]?.open();
    await until('the second', () => begun.length === 2);
    await until('the first to be settled', async () => (await bench.pending(topic, 'g')) === 1);
    doors[1]?.open();
    await settled(topic);
  });

  test('a thenable that throws fails the attempt, and the partition goes on', async () => {
    const calls: unknown[] = [];
    const evil = {
      then() {
        throw new Error('no promise at all');
      },
    };
    const { topic, send } = await consume(
      ({ value }) => {
        calls.push(value);
        return value === 'evil' ? (evil as never) : undefined;
      },
      { retry: { ...QUICK, maxAttempts: 2 } },
    );
    await send('evil', 'm');
    await until('the next message', () => calls.includes('m'));
    await settled(topic);
    expect(calls).toEqual(['evil', 'evil', 'm']);
  });
});

describe('an asynchronous schema', () => {
  test('a lease that is lost while it decides: the handler is not called', async () => {
    const name = await bench.topic(1);
    const door = new Door();
    let checks = 0;
    const handled: string[] = [];
    const slow = topicOf(name, {
      value: {
        '~standard': {
          version: 1,
          vendor: 'test',
          validate: async (value: unknown) => {
            if (++checks === 1) await door.opened;
            return { value };
          },
        },
      },
    });
    const mq = bench.mq();
    const consumer = mq.consumer({ group: 'g', ...FAST, lease: '30s' });
    consumer.subscribe(slow, (_, { attempt }) => {
      handled.push(`first/${attempt}`);
    });
    await consumer.start();
    await mq.producer().send(name, { value: 1 });
    await until('the schema', () => checks === 1);
    const { lease } = bench.keys(name).group('g');
    await bench.redis.hset(lease, 'token', 'another', 'until', '1');
    // What it cannot do any more shows when it looks for something new.
    await mq.producer().send(name, { value: 2 });
    await until('the loss', () => bench.log.some(({ message }) => message === 'partition lost'));
    door.open();
    await until(
      'the partition to be its own again',
      () => consumer.status().partitions[0]?.state === 'running',
    );
    await until('both messages', () => handled.length >= 2);
    await settled(name);
    expect(handled).toEqual(['first/1', 'first/1']);
  });

  test('close while it decides: the message is the next owner’s', async () => {
    const name = await bench.topic(1);
    const door = new Door();
    let checks = 0;
    const slow = topicOf(name, {
      value: {
        '~standard': {
          version: 1,
          vendor: 'test',
          validate: async (value: unknown) => {
            checks++;
            await door.opened;
            return { value };
          },
        },
      },
    });
    const handled: string[] = [];
    for (const who of ['first', 'second']) {
      const consumer = bench.mq().consumer({ group: 'g', ...FAST });
      consumer.subscribe(slow, (_, { attempt }) => {
        handled.push(`${who}/${attempt}`);
      });
      await consumer.start();
      if (who === 'second') break;
      await bench.mq().producer().send(name, { value: 1 });
      await until('the schema', () => checks === 1);
      const closing = consumer.close();
      door.open();
      await closing;
    }
    await until('the handler', () => handled.length > 0);
    await settled(name);
    expect(handled).toEqual(['second/1']);
  });
});
