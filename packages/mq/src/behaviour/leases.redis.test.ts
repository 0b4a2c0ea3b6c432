import { describe, expect, test } from '@jest/globals';
import { useRedis } from '@rs/redis-server/jest';
import type { Consumer } from '../consumer/consumer.ts';
import { systemTimers } from '../time/timers.ts';
import { useConsumerProcesses } from '../test-support/consumer-process.ts';
import { Door, until } from '../test-support/until.ts';
import { useMq } from '../test-support/use-mq.ts';
import { typed } from '../test-support/typed.ts';

const redis = useRedis();
const bench = useMq(redis);
const startProcess = useConsumerProcesses();

const LEASE = 600;
const FAST = { lease: LEASE, rebalanceInterval: 100, pollTimeout: 500 } as const;

interface Running {
  readonly consumer: Consumer;
  readonly handled: unknown[];
}

async function consume(topic: string): Promise<Running> {
  const consumer = bench.mq().consumer({ group: 'g', name: 'successor', ...FAST });
  const handled: unknown[] = [];
  consumer.subscribe(topic, ({ value }) => {
    handled.push(value);
  });
  await consumer.start();
  return { consumer, handled };
}

const send = (topic: string, ...values: unknown[]) =>
  bench
    .mq()
    .producer()
    .sendBatch(
      topic,
      values.map((value) => ({ value })),
    );

const process = (topic: string, more: object = {}) =>
  startProcess({ url: redis().url, topic, group: 'g', name: 'owner', lease: LEASE, ...more });

const settled = (topic: string) =>
  until('nothing to be pending', async () => (await bench.pending(topic, 'g')) === 0);

/** Everything that Redis has of a group, but for what renewing changes. */
async function stateOf(topic: string): Promise<unknown> {
  const { until: _, ...lease } = await bench.lease(topic, 'g');
  const { retries, attempts } = bench.keys(topic).group('g');
  const pending = await bench.redis.xpending(bench.keys(topic).log, 'g', '-', '+', 100);
  return {
    lease,
    pending: (pending as unknown[][]).map(([id]) => id),
    retries: await bench.redis.zrange(retries, 0, -1, 'WITHSCORES'),
    attempts: await bench.redis.hgetall(attempts),
    dead: await bench.dead(topic),
  };
}

describe('an owner that dies', () => {
  test('MQ-22, C08: its entries are handled before newer ones, within lease + 1 s', async () => {
    const topic = await bench.topic(1);
    const owner = process(topic, { hold: [1] });
    await owner.heard('started');
    const { handled, consumer } = await consume(topic);
    await send(topic, 0, 1, 2);
    await owner.heard('handling', 1);
    await until('the one before to be settled', async () => (await bench.pending(topic, 'g')) === 2);
    owner.signal('SIGKILL');
    const killedAt = systemTimers.monotonic();
    await send(topic, 3);
    await until('the first of its entries', () => handled.length > 0, LEASE + 5_000);
    expect(systemTimers.monotonic() - killedAt).toBeLessThan(LEASE + 1_000);
    await until('all', () => handled.includes(3));
    // What it had handled it had settled.
    expect(handled).toEqual([1, 2, 3]);
    await settled(topic);
    expect(consumer.status().partitions).toMatchObject([{ partition: 0, state: 'running' }]);
  });
});

describe('an owner that stands still', () => {
  test('MQ-20: stopped for longer than its lease, what its handlers then say changes nothing', async () => {
    const topic = await bench.topic(1);
    const results = ['SUCCESS', 'RETRY', 'FAIL'];
    const subscription = { ordering: 'none', concurrency: 3 } as const;
    const owner = process(topic, { hold: results, answers: true, subscription });
    await owner.heard('started');
    await send(topic, ...results);
    for (const result of results) await owner.heard('handling', result);
    owner.signal('SIGSTOP');
    const { handled } = await consume(topic);
    await until('the successor to have them', () => handled.length === 3);
    await settled(topic);
    const before = await stateOf(topic);
    owner.order({ do: 'release' });
    owner.signal('SIGCONT');
    for (const result of results) await owner.heard('handled', result);
    await owner.heard('lost');
    for (const value of results) {
      await owner.heard('aborted', value);
      expect(owner.told).toContainEqual({ type: 'aborted', value, code: 'RS_LEASE_LOST' });
    }
    expect(await stateOf(topic)).toEqual(before);
    await send(topic, 'SUCCESS');
    await until('the next message', () => handled.length === 4);
    expect(owner.count('handling')).toBe(3);
  });

  test('MQ-20: an owner that does not know yet that it is none is refused, whatever it settles', async () => {
    const topic = await bench.topic(1);
    const door = new Door();
    const reasons: unknown[] = [];
    const consumer = bench.mq().consumer({ group: 'g', ...FAST, lease: '30s' });
    consumer.subscribe(
      typed<string>(topic),
      async ({ value }, { signal }) => {
        signal.addEventListener('abort', () => reasons.push((signal.reason as { code: unknown }).code));
        await door.opened;
        return value as 'SUCCESS' | 'RETRY' | 'FAIL';
      },
      { ordering: 'none', concurrency: 3 },
    );
    await consumer.start();
    await send(topic, 'SUCCESS', 'RETRY', 'FAIL');
    await until('three handlers', () => consumer.status().partitions[0]?.handling === 3);
    await bench.redis.hset(bench.keys(topic).group('g').lease, 'token', 'another', 'until', '9999999999999');
    const before = await stateOf(topic);
    door.open();
    await until('the partition to be lost', () => consumer.status().partitions.length === 0);
    expect(bench.log.filter(({ message }) => message === 'partition lost')).toHaveLength(1);
    expect(await stateOf(topic)).toEqual(before);
    expect(before).toMatchObject({ dead: [], retries: [], pending: { length: 3 } });
    expect(reasons).toEqual([]);
  });

  test('C31: what it gives back when it goes on is not the lease of its successor', async () => {
    const topic = await bench.topic(1);
    const owner = process(topic);
    await owner.heard('started');
    owner.signal('SIGSTOP');
    const { handled, consumer } = await consume(topic);
    await until('the successor to own it', () => consumer.status().partitions.length === 1);
    const { token } = await bench.lease(topic, 'g');
    owner.signal('SIGCONT');
    owner.order({ do: 'close' });
    await owner.heard('closed');
    expect(await owner.gone()).toBe(0);
    expect((await bench.lease(topic, 'g'))['token']).toBe(token);
    await send(topic, 1);
    await until('the successor to go on', () => handled.length === 1);
  });

  test('an event loop that is blocked for less than the lease keeps its partitions', async () => {
    const topic = await bench.topic(1);
    const owner = process(topic, { hold: [1], lease: 1_500 });
    await owner.heard('started');
    const { token } = await bench.lease(topic, 'g');
    const { handled } = await consume(topic);
    await send(topic, 1);
    await owner.heard('handling', 1);
    // Longer than members count as alive without a word, on a busy machine too; the successor asks for the partition meanwhile.
    owner.order({ do: 'block', ms: 1_200 });
    await owner.heard('blocked');
    owner.order({ do: 'release' });
    await owner.heard('handled', 1);
    await settled(topic);
    expect((await bench.lease(topic, 'g'))['token']).toBe(token);
    expect([owner.count('lost'), owner.count('aborted'), handled]).toEqual([0, 0, []]);
  });

  test('one that is blocked for longer is fenced, and joins again', async () => {
    const topic = await bench.topic(2);
    const owner = process(topic);
    await owner.heard('started');
    await until('both partitions', () => owner.count('acquired') === 2);
    const { consumer } = await consume(topic);
    await until('one to be handed over', () => owner.count('released') === 1);
    owner.order({ do: 'block', ms: 2 * LEASE });
    await until('the other one to own both', () => consumer.status().partitions.length === 2);
    await owner.heard('blocked');
    await owner.heard('lost');
    await until('the first to have one again', () => owner.count('acquired') === 3);
    await until('the second to have one left', () => consumer.status().partitions.length === 1);
  });
});

describe('owners of one process', () => {
  test('C06: a read that waits holds up neither sending nor renewing', async () => {
    const topics = [await bench.topic(1), await bench.topic(1)];
    const [idle = '', busy = ''] = topics;
    const mq = bench.mq();
    const consumer = mq.consumer({ group: 'g', lease: 500, pollTimeout: '5s' });
    consumer.subscribe(idle, () => undefined);
    await consumer.start();
    await until('the read to wait', async () =>
      /blocked_clients:[1-9]/.test(String(await redis().cli('INFO', 'clients'))),
    );
    const { token } = await bench.lease(idle, 'g');
    const times: number[] = [];
    const until3s = systemTimers.monotonic() + 1_200; // two leases
    while (systemTimers.monotonic() < until3s) {
      const at = systemTimers.monotonic();
      await mq.producer().send(busy, { value: 1 });
      await mq.topics.describe(busy);
      times.push(systemTimers.monotonic() - at);
    }
    expect(Math.max(...times)).toBeLessThan(500);
    expect((await bench.lease(idle, 'g'))['token']).toBe(token);
    expect(bench.log.filter(({ message }) => message === 'partition lost')).toEqual([]);
  });

  test('MQ-29: clocks of clients that are a minute ahead or behind change nothing', async () => {
    const topic = await bench.topic(2);
    const machine = Date;
    const handled: unknown[] = [];
    const shifted = (ms: number) =>
      class extends machine {
        static override now(): number {
          return super.now() + ms;
        }
      };
    try {
      const consumers: Consumer[] = [];
      for (const ms of [60_000, -60_000]) {
        globalThis.Date = shifted(ms) as DateConstructor;
        const consumer = bench.mq().consumer({ group: 'g', ...FAST });
        consumer.subscribe(
          topic,
          ({ value }, { attempt }) => {
            handled.push(`${String(value)}/${attempt}`);
            if (attempt === 1) throw new Error('not yet');
          },
          { retry: { initialBackoff: 50, jitter: 'none' } },
        );
        await consumer.start();
        consumers.push(consumer);
      }
      await until('an even split', () => consumers.every((one) => one.status().partitions.length === 1));
      const sent = await bench
        .mq()
        .producer()
        .sendBatch(
          topic,
          [0, 1].map((value) => ({ value, partition: value })),
        );
      await until('second attempts', () => handled.length === 4, 2_000);
      expect(handled.sort()).toEqual(['0/1', '0/2', '1/1', '1/2']);
      // Ids, and with them the timestamps of messages, come from Redis.
      const [seconds] = await bench.redis.time();
      for (const { id } of sent)
        expect(Math.abs(Number(id.split('-')[0]) - Number(seconds) * 1_000)).toBeLessThan(30_000);
    } finally {
      globalThis.Date = machine;
    }
  });
});
