import { describe, expect, test } from '@jest/globals';
import { useRedis } from '@rs/redis-server/jest';
import type { HandlerResult } from '../consumer/outcome.ts';
import { outcome } from '../consumer/outcome.ts';
import type { ConsumerSubscriptionOptions } from '../consumer/subscription-options.ts';
import { systemTimers } from '../time/timers.ts';
import { Door, until } from '../test-support/until.ts';
import { useMq } from '../test-support/use-mq.ts';
import { typed } from '../test-support/typed.ts';

const redis = useRedis();
const bench = useMq(redis);

const FAST = { lease: 800, rebalanceInterval: 100, pollTimeout: 1_000 } as const;
const QUICK = { initialBackoff: 20, jitter: 'none' } as const;

interface Running {
  readonly topic: string;
  /** `value/attempt` of each call, in order. */
  readonly calls: string[];
  send(...values: string[]): Promise<void>;
}

/** A consumer of one partition. The part of a value before the dot is its key. */
async function consuming(
  handle: (value: string, attempt: number) => HandlerResult | Promise<HandlerResult>,
  options: ConsumerSubscriptionOptions = {},
): Promise<Running> {
  const topic = await bench.topic(1);
  const mq = bench.mq();
  const calls: string[] = [];
  const consumer = mq.consumer({ group: 'g', ...FAST });
  consumer.subscribe(
    typed<string>(topic),
    async ({ value }, { attempt }) => {
      calls.push(`${value}/${attempt}`);
      return handle(value, attempt);
    },
    { retry: QUICK, ...options },
  );
  await consumer.start();
  const send = async (...values: string[]): Promise<void> => {
    await mq.producer().sendBatch(
      topic,
      values.map((value) => ({ value, key: value.split('.')[0] })),
    );
  };
  return { topic, calls, send };
}

const settled = (topic: string) =>
  until('nothing to be pending', async () => (await bench.pending(topic, 'g')) === 0);

describe('attempts', () => {
  test.each([1, 2, 5])(
    'MQ-5: a message that always fails is handled exactly %i times, then it is dead',
    async (maxAttempts) => {
      const { topic, calls, send } = await consuming(
        (value) => {
          if (value === 'p') throw new TypeError('never 17');
        },
        { retry: { ...QUICK, maxAttempts } },
      );
      await send('p', 'm');
      await until('the message behind it', () => calls.includes('m/1'));
      expect(calls).toEqual([...Array.from({ length: maxAttempts }, (_, at) => `p/${at + 1}`), 'm/1']);
      await settled(topic);
      const [letter, ...others] = await bench.dead(topic);
      expect(others).toEqual([]);
      expect(letter).toMatchObject({ g: 'g', n: String(maxAttempts), r: 'attempts', k: 'p', d: '"p"' });
      expect(JSON.parse(letter?.['e'] ?? '')).toMatchObject({ name: 'TypeError', message: 'never 17' });
      // Nothing is left of it but the dead letter.
      const { retries, attempts } = bench.keys(topic).group('g');
      expect(await bench.redis.exists(retries, attempts)).toBe(0);
    },
  );

  test('a delay that is no whole number of milliseconds is rounded up', async () => {
    const { topic, calls, send } = await consuming((_, attempt) =>
      attempt === 1 ? { type: 'retry', delay: 1e-7 } : undefined,
    );
    await send('a', 'b');
    await settled(topic);
    await until('both', () => calls.length === 4);
    expect(calls).toEqual(['a/1', 'a/2', 'b/1', 'b/2']);
  });

  test('what Redis refuses to store for good gives the partition up, with a warning; later all is stored', async () => {
    let blocked = true;
    const { topic, calls, send } = await consuming((_, attempt) =>
      // So late that the second attempt does not come before the first one was to be stored.
      blocked && attempt === 1 ? outcome.retry({ delay: '1m' }) : undefined,
    );
    const { retries } = bench.keys(topic).group('g');
    await bench.redis.set(retries, 'of another type');
    await send('a');
    await until('it to be given up', () =>
      bench.log.some(({ message, facts }) => message === 'partition lost' && facts['topic'] === topic),
    );
    blocked = false;
    await bench.redis.del(retries);
    await settled(topic);
    expect(calls[0]).toBe('a/1');
    // Nothing was stored of what it came to, so no attempt was counted.
    expect(new Set(calls)).toEqual(new Set(['a/1']));
  });

  test('C12: what comes after a poison message is held for its backoffs, and no longer', async () => {
    const times: [string, number][] = [];
    const { topic, calls, send } = await consuming(
      (value) => {
        times.push([value, systemTimers.monotonic()]);
        if (value === 'p') throw new Error('never');
      },
      { retry: { maxAttempts: 4, initialBackoff: 40, multiplier: 2, jitter: 'none' } },
    );
    await send('p', 'm1', 'm2', 'm3');
    await until('all of them', () => calls.length === 7);
    expect(calls).toEqual(['p/1', 'p/2', 'p/3', 'p/4', 'm1/1', 'm2/1', 'm3/1']);
    const at = times.map(([, time]) => time);
    const gaps = at.slice(1).map((time, index) => time - (at[index] ?? 0));
    // 40, 80, 160: not before, and on a busy machine somewhat after.
    [40, 80, 160].forEach((wait, index) => {
      expect(gaps[index]).toBeGreaterThanOrEqual(wait - 1);
      expect(gaps[index]).toBeLessThan(wait + 400);
    });
    expect(gaps[3]).toBeLessThan(400);
    await settled(topic);
    expect(await bench.dead(topic)).toHaveLength(1);
  });

  test('a rejected promise, RETRY and outcome.retry count alike; the wait may be given', async () => {
    const { topic, calls, send } = await consuming(async (_, attempt) => {
      if (attempt === 1) throw new Error('rejected');
      if (attempt === 2) return 'RETRY';
      return attempt === 3 ? outcome.retry({ delay: 1 }) : 'SUCCESS';
    });
    await send('m', 'n');
    await until('both', () => calls.length === 8);
    expect(calls).toEqual(['m/1', 'm/2', 'm/3', 'm/4', 'n/1', 'n/2', 'n/3', 'n/4']);
    await settled(topic);
    expect(await bench.dead(topic)).toEqual([]);
  });

  test.each([
    ['FAIL', 'the handler returned FAIL'],
    ['DEAD_LETTER', 'the handler returned DEAD_LETTER'],
    [outcome.deadLetter('unknown customer', new RangeError('4711')), 'unknown customer'],
  ] as const)('%p makes it a dead letter at once', async (result, reason) => {
    const { topic, calls, send } = await consuming((value) => (value === 'p' ? result : undefined));
    await send('p', 'm');
    await until('both', () => calls.length === 2);
    await settled(topic);
    const [letter] = await bench.dead(topic);
    expect(letter).toMatchObject({ r: 'handler', n: '1', d: '"p"' });
    expect(JSON.parse(letter?.['e'] ?? '')).toMatchObject({ reason });
    expect(calls).toEqual(['p/1', 'm/1']);
  });

  test('the policy decides by error', async () => {
    const { topic, calls, send } = await consuming(
      (value) => {
        throw new Error(value);
      },
      {
        retry: {
          ...QUICK,
          maxAttempts: 3,
          policy: (error) => (String(error).includes('hopeless') ? 'deadLetter' : { delay: 1 }),
        },
      },
    );
    await send('hopeless', 'hard');
    await until('all attempts', () => calls.length === 4);
    expect(calls).toEqual(['hopeless/1', 'hard/1', 'hard/2', 'hard/3']);
    await settled(topic);
    expect((await bench.dead(topic)).map(({ r, n, d }) => [r, n, d])).toEqual([
      ['policy', '1', '"hopeless"'],
      ['attempts', '3', '"hard"'],
    ]);
  });

  test('a result that is none makes it a dead letter: it is neither lost nor handled again', async () => {
    const { topic, calls, send } = await consuming(() => String('sucess') as 'SUCCESS');
    await send('m');
    await until('the dead letter', async () => (await bench.dead(topic)).length === 1);
    await settled(topic);
    expect(calls).toEqual(['m/1']);
    const [letter] = await bench.dead(topic);
    expect(letter?.['r']).toBe('policy');
    expect(JSON.parse(letter?.['e'] ?? '')).toMatchObject({
      message: expect.stringContaining("got 'sucess'"),
    });
  });

  test('attempts are remembered by the next owner', async () => {
    const topic = await bench.topic(1);
    const calls: string[] = [];
    const producer = bench.mq().producer();
    await producer.send(topic, { value: 'm' });
    for (const name of ['first', 'second']) {
      const consumer = bench.mq().consumer({ group: 'g', name, ...FAST });
      consumer.subscribe(
        topic,
        (_, { attempt }) => {
          calls.push(`${name}/${attempt}`);
          if (attempt < 3) throw new Error('not yet');
        },
        // The second wait is too long for this test: only a new owner with other rules gets to the third attempt.
        {
          retry:
            name === 'first'
              ? { initialBackoff: 10, multiplier: 100_000, maxBackoff: '10m', jitter: 'none' }
              : QUICK,
        },
      );
      await consumer.start();
      if (name === 'first') {
        await until('two attempts', () => calls.length === 2);
        const retries = bench.keys(topic).group('g').retries;
        await until(
          'the wait to be stored',
          async () => Number((await bench.redis.zrange(retries, 0, -1, 'WITHSCORES'))[1]) > 0,
        );
        await consumer.close();
        // The time that was stored stands; it is brought forward here.
        const [id] = await bench.redis.zrange(retries, 0, -1);
        await bench.redis.zadd(retries, 1, String(id));
      }
    }
    await until('the third attempt', () => calls.length === 3);
    expect(calls).toEqual(['first/1', 'first/2', 'second/3']);
    await settled(topic);
  });
});

describe('order', () => {
  const FAILS_ONCE = (value: string, attempt: number) => {
    if (value === 'a.1' && attempt === 1) throw new Error('not yet');
  };

  test("'partition': everything waits for the message that is retried", async () => {
    const { calls, send } = await consuming(FAILS_ONCE);
    await send('a.1', 'b.1', 'a.2');
    await until('all', () => calls.length === 4);
    expect(calls).toEqual(['a.1/1', 'a.1/2', 'b.1/1', 'a.2/1']);
  });

  test("'key': its own key waits, others go on", async () => {
    const { calls, send } = await consuming(FAILS_ONCE, { ordering: 'key' });
    await send('a.1', 'b.1', 'a.2');
    await until('all', () => calls.length === 4);
    expect(calls).toEqual(['a.1/1', 'b.1/1', 'a.1/2', 'a.2/1']);
  });

  test("'none': nothing waits", async () => {
    const { calls, send } = await consuming(FAILS_ONCE, { ordering: 'none' });
    await send('a.1', 'b.1', 'a.2');
    await until('all', () => calls.length === 4);
    expect(calls).toEqual(['a.1/1', 'b.1/1', 'a.2/1', 'a.1/2']);
  });

  test('key lanes: as many at a time as were asked for, one per key, each in order', async () => {
    let running = 0;
    let most = 0;
    const keys = new Map<string, string[]>();
    const together: string[] = [];
    const { topic, calls, send } = await consuming(
      async (value, attempt) => {
        const [key = '', n = ''] = value.split('.');
        if (together.includes(key)) throw new Error(`two of ${key} at a time`);
        together.push(key);
        most = Math.max(most, ++running);
        await new Promise(setImmediate);
        running--;
        together.splice(together.indexOf(key), 1);
        if (Number(n) % 5 === 0 && attempt === 1) throw new Error('not yet');
        keys.set(key, [...(keys.get(key) ?? []), n]);
      },
      { ordering: 'key', concurrency: 4, retry: { ...QUICK, initialBackoff: 5 } },
    );
    const values = Array.from({ length: 10 }, (_, n) =>
      ['a', 'b', 'c', 'd', 'e', 'f'].map((key) => `${key}.${n}`),
    ).flat();
    await send(...values);
    await until('all', () => calls.length === 72);
    await settled(topic);
    expect(most).toBe(4);
    const inOrder = Array.from({ length: 10 }, (_, n) => String(n));
    expect([...keys.entries()].sort()).toEqual(['a', 'b', 'c', 'd', 'e', 'f'].map((key) => [key, inOrder]));
    expect(await bench.dead(topic)).toEqual([]);
  });

  test('messages without a key are free under ordering by key', async () => {
    const door = new Door();
    const topic = await bench.topic(1);
    const mq = bench.mq();
    const calls: unknown[] = [];
    const consumer = mq.consumer({ group: 'g', ...FAST });
    consumer.subscribe(
      topic,
      async ({ value }) => {
        calls.push(value);
        if (value === 0) await door.opened;
      },
      { ordering: 'key', concurrency: 2 },
    );
    await consumer.start();
    await mq.producer().sendBatch(topic, [{ value: 0 }, { value: 1 }, { value: 2 }]);
    await until('the others to overtake', () => calls.length === 3);
    door.open();
  });

  test('maxParked: no more is read than waits, and all of it is handled in the end', async () => {
    const { topic, calls, send } = await consuming(
      (_, attempt) => {
        if (attempt === 1) throw new Error('not yet');
      },
      {
        ordering: 'none',
        maxParked: 10,
        maxInFlight: 4,
        batchCount: 4,
        retry: { initialBackoff: 300, jitter: 'none' },
      },
    );
    await send(...Array.from({ length: 40 }, (_, n) => `k${n}.0`));
    await until('the lane to be full', () => calls.length >= 10);
    const parked = bench.keys(topic).group('g').retries;
    await until('that to be stored', async () => (await bench.redis.zcard(parked)) >= 10);
    const read = await bench.pending(topic, 'g');
    expect(read).toBeLessThanOrEqual(14);
    await until('all', () => calls.length === 80);
    await settled(topic);
  });
});
