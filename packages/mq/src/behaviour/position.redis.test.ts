import { describe, expect, test } from '@jest/globals';
import { useRedis } from '@rs/redis-server/jest';
import type { Consumer } from '../consumer/consumer.ts';
import type { ConsumerSubscriptionOptions, StartPosition } from '../consumer/subscription-options.ts';
import { Door, until } from '../test-support/until.ts';
import { useMq } from '../test-support/use-mq.ts';
import { typed } from '../test-support/typed.ts';

const redis = useRedis();
const bench = useMq(redis);

const FAST = { lease: 800, rebalanceInterval: 100, pollTimeout: 500 } as const;

const numbers = (count: number, from = 0): number[] => Array.from({ length: count }, (_, at) => from + at);

interface Running {
  readonly consumer: Consumer;
  readonly handled: number[];
}

async function consume(
  topic: string,
  {
    group = 'g',
    from = 'earliest',
    lease = FAST.lease,
    ...options
  }: { group?: string; from?: StartPosition; lease?: number } & ConsumerSubscriptionOptions = {},
): Promise<Running> {
  const consumer = bench.mq().consumer({ group, ...FAST, lease });
  const handled: number[] = [];
  consumer.subscribe(
    typed<number>(topic),
    ({ value }) => {
      handled.push(value);
    },
    { from, ...options },
  );
  await consumer.start();
  return { consumer, handled };
}

async function send(topic: string, ...values: number[]): Promise<string[]> {
  const receipts = await bench
    .mq()
    .producer()
    .sendBatch(
      topic,
      values.map((value) => ({ value, partition: 0 })),
    );
  return receipts.map(({ id }) => id);
}

const lowOf = async (topic: string, group = 'g'): Promise<string | undefined> =>
  (await bench.lease(topic, group))['low'];
const holdOf = (topic: string, group = 'g') => bench.redis.hget(bench.keys(topic).holds, `g:${group}`);
const settled = (topic: string, group = 'g') =>
  until('nothing to be pending', async () => (await bench.pending(topic, group)) === 0);

describe('where a new group begins', () => {
  const cases: [string, (ids: readonly string[]) => StartPosition, number[]][] = [
    ['earliest', () => 'earliest', [0, 1, 2, 3]],
    ['latest', () => 'latest', [3]],
    ['after an id', (ids) => ids[1] as `${number}-${number}`, [2, 3]],
    ['a time in the past', () => new Date(0), [0, 1, 2, 3]],
  ];
  test.each(cases)('%s', async (_, from, expected) => {
    const topic = await bench.topic(1);
    const ids = await send(topic, 0, 1, 2);
    const { handled } = await consume(topic, { from: from(ids) });
    await send(topic, 3);
    await until('the last message', () => handled.includes(3));
    expect(handled).toEqual(expected);
  });

  test('a time: that millisecond is the first', async () => {
    const topic = await bench.topic(1);
    const keys = bench.keys(topic);
    for (const [at, id] of ['1000-0', '1999-7', '2000-0', '2000-1', '3000-0'].entries()) {
      await bench.redis.xadd(keys.log, id, 'm', '1,json,-,', 'k', '', 'h', '', 'd', String(at));
    }
    const { handled } = await consume(topic, { from: new Date(2_000) });
    await until('the last message', () => handled.includes(4));
    expect(handled).toEqual([2, 3, 4]);
  });

  test('it has no effect on a group that exists', async () => {
    const topic = await bench.topic(1);
    await send(topic, 0);
    const first = await consume(topic, { from: 'latest' });
    await first.consumer.close();
    await send(topic, 1);
    const second = await consume(topic, { from: 'earliest' });
    await until('what came since', () => second.handled.includes(1));
    expect([first.handled, second.handled]).toEqual([[], [1]]);
  });

  test('MQ-17: a group that is away keeps its place, and retention is told from the first moment', async () => {
    const topic = await bench.topic(1);
    const [first] = await send(topic, 0, 1, 2);
    const { consumer, handled } = await consume(topic, { from: String(first) as `${number}-${number}` });
    // Written with the group itself: nothing was settled yet.
    expect(await holdOf(topic)).toBe(first);
    await until('both', () => handled.length === 2);
    await settled(topic);
    await consumer.close();
    const low = await lowOf(topic);
    expect(await holdOf(topic)).toBe(low);
    await send(topic, ...numbers(50, 3));
    expect(await holdOf(topic)).toBe(low);
    const back = await consume(topic);
    await until('its backlog', () => back.handled.length === 50);
    expect(back.handled).toEqual(numbers(50, 3));
  });
});

describe('the low watermark', () => {
  test('MQ-9: it is that of each group, and stands below what is not settled', async () => {
    const topic = await bench.topic(1);
    const door = new Door();
    const ids = await send(topic, 0, 1, 2, 3);
    const fast = await consume(topic, { group: 'fast' });
    const slow = bench.mq().consumer({ group: 'slow', ...FAST });
    const handled: number[] = [];
    slow.subscribe(
      typed<number>(topic),
      async ({ value }) => {
        if (value === 1) await door.opened;
        handled.push(value);
      },
      { ordering: 'none', concurrency: 4 },
    );
    await slow.start();
    await until('all but one', () => fast.handled.length === 4 && handled.length === 3);
    await until('the fast one’s watermark', async () => (await lowOf(topic, 'fast')) === ids[3]);
    await until('three to be settled', async () => (await bench.pending(topic, 'slow')) === 1);
    expect([await lowOf(topic, 'slow'), await holdOf(topic, 'slow')]).toEqual([ids[0], ids[0]]);
    expect(slow.status().partitions.map(({ low }) => low)).toEqual([ids[0]]);
    door.open();
    await until('the slow one’s watermark', async () => (await lowOf(topic, 'slow')) === ids[3]);
    expect(await holdOf(topic, 'slow')).toBe(ids[3]);
  });

  test('a dead letter counts as settled, a retry does not', async () => {
    const topic = await bench.topic(1);
    const consumer = bench.mq().consumer({ group: 'g', ...FAST });
    const door = new Door();
    consumer.subscribe(
      typed<number>(topic),
      async ({ value }, { attempt }) => {
        if (value === 0) return 'FAIL';
        if (value === 1 && attempt === 1) return 'RETRY';
        if (value === 1) await door.opened;
        return undefined;
      },
      { ordering: 'none', concurrency: 2, retry: { initialBackoff: 1 } },
    );
    const ids = await send(topic, 0, 1, 2);
    await consumer.start();
    await until('one to be left', async () => (await bench.pending(topic, 'g')) === 1);
    expect(await lowOf(topic)).toBe(ids[0]);
    door.open();
    await until('all to be settled', async () => (await lowOf(topic)) === ids[2]);
  });

  test('MQ-17: retention learns what a takeover shows, without waiting for a message', async () => {
    const topic = await bench.topic(1);
    const { log } = bench.keys(topic);
    const ids = await send(topic, 0, 1, 2);
    await bench.redis.xgroup('CREATE', log, 'g', '0');
    // Somebody else has handled two of them, and left one that is gone.
    await bench.redis.xreadgroup('GROUP', 'g', 'foreign', 'STREAMS', log, '>');
    await bench.redis.xack(log, 'g', String(ids[0]), String(ids[1]));
    await bench.redis.xdel(log, String(ids[2]));
    await consume(topic);
    await until('the watermark', async () => (await lowOf(topic)) === ids[2]);
    expect(await holdOf(topic)).toBe(ids[2]);
  });

  test.each(['while it runs', 'while it is away'])(
    'MQ-9: a group that is destroyed %s is made again where it was: nothing twice, nothing lost',
    async (when) => {
      const topic = await bench.topic(1);
      const { log } = bench.keys(topic);
      // No lease has to end for that, here or below.
      const first = await consume(topic, { lease: 30_000 });
      await send(topic, 0, 1, 2);
      await until('what was sent', () => first.handled.length === 3);
      await settled(topic);
      if (when === 'while it is away') await first.consumer.close();
      await bench.redis.xgroup('DESTROY', log, 'g');
      await send(topic, 3, 4);
      const second = when === 'while it is away' ? await consume(topic) : first;
      await until('what came after', () => second.handled.includes(4));
      expect(second.handled).toEqual(second === first ? numbers(5) : [3, 4]);
      await settled(topic);
    },
  );

  test('a group that is destroyed under handlers: what was not settled comes again, and nothing is lost', async () => {
    const topic = await bench.topic(1);
    const door = new Door();
    const handled: number[] = [];
    const consumer = bench.mq().consumer({ group: 'g', ...FAST });
    consumer.subscribe(
      typed<number>(topic),
      async ({ value }) => {
        handled.push(value);
        await door.opened;
        return value === 1 ? 'FAIL' : 'SUCCESS';
      },
      { ordering: 'none', concurrency: 3 },
    );
    await consumer.start();
    const ids = await send(topic, 0, 1, 2);
    await until('three handlers', () => handled.length === 3);
    await bench.redis.xgroup('DESTROY', bench.keys(topic).log, 'g');
    door.open();
    await until('all to be settled', async () => (await lowOf(topic)) === ids[2]);
    await settled(topic);
    expect((await bench.dead(topic)).map(({ d }) => d)).toEqual(['1']);
    expect(handled.sort()).toEqual([0, 0, 1, 1, 2, 2]);
  });

  test('C19: a position that is moved back repeats what follows it; the watermark never moves back', async () => {
    const topic = await bench.topic(1);
    const ids = await send(topic, ...numbers(10));
    const first = await consume(topic);
    await until('all', () => first.handled.length === 10);
    await settled(topic);
    await first.consumer.close();
    const low = await lowOf(topic);
    await bench.redis.xgroup('SETID', bench.keys(topic).log, 'g', String(ids[2]));
    await send(topic, 10);
    const second = await consume(topic);
    await until('the new one', () => second.handled.includes(10));
    expect(second.handled).toEqual(numbers(8, 3));
    await settled(topic);
    expect(low).toBe(ids[9]);
    const after = await lowOf(topic);
    expect(Number(after?.split('-')[0])).toBeGreaterThanOrEqual(Number(low?.split('-')[0]));
    expect(after).not.toBe(low);
  });

  test('C19: also under a consumer that runs', async () => {
    const topic = await bench.topic(1);
    const ids = await send(topic, ...numbers(5));
    const { handled } = await consume(topic, { lease: 30_000 });
    await until('all', () => handled.length === 5);
    await settled(topic);
    await bench.redis.xgroup('SETID', bench.keys(topic).log, 'g', String(ids[2]));
    await send(topic, 5);
    await until('the new one', () => handled.includes(5));
    expect(handled).toEqual([0, 1, 2, 3, 4, 3, 4, 5]);
    await settled(topic);
  });
});

describe('what others did to the stream', () => {
  test('MQ-7: what another program reads as the group while it has an owner is taken over, and the low watermark does not pass it', async () => {
    const topic = await bench.topic(1);
    const { log } = bench.keys(topic);
    const mq = bench.mq();
    const handled: unknown[] = [];
    const consumer = mq.consumer({ group: 'g', ...FAST });
    consumer.subscribe(topic, ({ value }) => {
      handled.push(value);
    });
    await consumer.start();
    await mq.producer().send(topic, { value: 1 });
    await until('the first', () => handled.length === 1);
    // Pausing lets the other program be first.
    await consumer.pause();
    await mq.producer().send(topic, { value: 2 });
    await bench.redis.xreadgroup('GROUP', 'g', 'foreign', 'STREAMS', log, '>');
    await mq.producer().send(topic, { value: 3 });
    consumer.resume();
    await until('both', () => handled.includes(2) && handled.includes(3));
    await until('nothing to be pending', async () => (await bench.pending(topic, 'g')) === 0);
    expect(await bench.consumers(topic, 'g')).toEqual(['owner']);
  });

  test('MQ-7, C08: what a foreign consumer left pending is handled first, and its name goes when it has nothing', async () => {
    const topic = await bench.topic(1);
    const { log } = bench.keys(topic);
    // More than a takeover takes at once.
    await send(topic, ...numbers(1_201));
    await bench.redis.xgroup('CREATE', log, 'g', '0');
    await bench.redis.xreadgroup('GROUP', 'g', 'foreign', 'COUNT', 1_200, 'STREAMS', log, '>');
    await bench.redis.xgroup('CREATECONSUMER', log, 'g', 'idle');
    expect((await bench.consumers(topic, 'g')).sort()).toEqual(['foreign', 'idle']);
    const { handled } = await consume(topic);
    await until('all', () => handled.length === 1_201);
    expect(handled).toEqual(numbers(1_201));
    await settled(topic);
    expect(await bench.consumers(topic, 'g')).toEqual(['owner']);
  });

  test('C02: entries that were trimmed away leave the pending list, and the log names what was lost', async () => {
    const topic = await bench.topic(1);
    const { log } = bench.keys(topic);
    const ids = await send(topic, 1, 2, 3, 4);
    await bench.redis.xgroup('CREATE', log, 'g', '0');
    await bench.redis.xreadgroup('GROUP', 'g', 'x', 'COUNT', 2, 'STREAMS', log, '>');
    await bench.redis.xtrim(log, 'MAXLEN', 1);
    const handled: number[] = [];
    for (let run = 0; run < 3; run++) {
      await send(topic, 5 + run);
      const running = await consume(topic);
      await until('the new message', () => running.handled.includes(5 + run));
      handled.push(...running.handled);
      await settled(topic);
      await running.consumer.close();
    }
    expect(handled).toEqual([4, 5, 6, 7]);
    const lost = bench.log.filter(({ message }) => message.startsWith('messages were removed'));
    expect(lost.flatMap(({ facts }) => facts['ids'])).toEqual(ids.slice(0, 2));
    // The third one was never read; Redis knows that one is missing.
    expect(lost.reduce((sum, { facts }) => sum + Number(facts['count']), 0)).toBe(3);
  });

  test('C04: a stream that is deleted under an idle consumer: what comes then is handled', async () => {
    const topic = await bench.topic(1);
    const { consumer, handled } = await consume(topic);
    await send(topic, 0);
    await until('the first', () => handled.length === 1);
    await settled(topic);
    await bench.redis.del(bench.keys(topic).log);
    await send(topic, 1);
    await send(topic, 2);
    await until('both', () => handled.length === 3, 3 * FAST.pollTimeout + 1_000);
    expect(handled).toEqual([0, 1, 2]);
    await settled(topic);
    await expect(consumer.close({ timeout: 1_000 })).resolves.toEqual({ abandoned: 0, unreleased: 0 });
  });

  test('C04: a stream that was made anew, with lower ids, is read from its start', async () => {
    const topic = await bench.topic(1);
    const { log } = bench.keys(topic);
    const first = await consume(topic);
    await send(topic, 0, 1);
    await until('the first', () => first.handled.length === 2);
    await settled(topic);
    await first.consumer.close();
    await bench.redis.del(log);
    for (const [id, value] of [
      ['5-1', '2'],
      ['5-2', '3'],
    ] as const) {
      await bench.redis.xadd(log, id, 'm', '1,json,-,', 'k', '', 'h', '', 'd', value);
    }
    const second = await consume(topic);
    await until('both', () => second.handled.length === 2);
    expect(second.handled).toEqual([2, 3]);
    await until('the watermark to follow', async () => (await lowOf(topic)) === '5-2');
    expect(await holdOf(topic)).toBe('5-2');
  });
});
