import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { FaultProxy } from '@rs/redis-server';
import { useRedis } from '@rs/redis-server/jest';
import { systemTimers } from '../time/timers.ts';
import { Door, until } from '../test-support/until.ts';
import { useMq } from '../test-support/use-mq.ts';
import { typed } from '../test-support/typed.ts';

const redis = useRedis({ persistence: 'aof', appendfsync: 'always' });
const bench = useMq(redis);

let proxy: FaultProxy;
beforeEach(async () => {
  proxy = await FaultProxy.start({ to: { host: redis().host, port: redis().port } });
});
afterEach(() => proxy.close());

/** A message queue whose way to Redis can be disturbed. */
const disturbed = () => bench.mq({ url: `redis://${proxy.host}:${proxy.port}` });

const numbers = (count: number): number[] => Array.from({ length: count }, (_, at) => at);
const settled = (topic: string) =>
  until('nothing to be pending', async () => (await bench.pending(topic, 'g')) === 0);
const lost = () => bench.log.filter(({ message }) => message === 'partition lost');

async function after(ms: number): Promise<void> {
  const end = systemTimers.monotonic() + ms;
  await until(`${ms} ms to pass`, () => systemTimers.monotonic() >= end);
}

describe('replies that are lost', () => {
  test('MQ-16: of every outcome: nothing is lost, handled twice, or dead twice', async () => {
    const topic = await bench.topic(1);
    const calls: string[] = [];
    const consumer = disturbed().consumer({ group: 'g', lease: '30s' });
    consumer.subscribe(
      typed<number>(topic),
      ({ value }, { attempt }) => {
        calls.push(`${value}/${attempt}`);
        // That of the call which stores what follows.
        proxy.loseNextReply();
        if (value % 3 === 0) return 'FAIL';
        return value % 3 === 1 && attempt === 1 ? 'RETRY' : 'SUCCESS';
      },
      { retry: { initialBackoff: 1 } },
    );
    await consumer.start();
    const producer = bench.mq().producer();
    for (const value of numbers(18)) {
      await producer.send(topic, { value });
      const last = value % 3 === 1 ? `${value}/2` : `${value}/1`;
      await until('its last attempt', () => calls.includes(last));
    }
    await settled(topic);
    expect(calls).toEqual(
      numbers(18).flatMap((value) => (value % 3 === 1 ? [`${value}/1`, `${value}/2`] : [`${value}/1`])),
    );
    expect((await bench.dead(topic)).map(({ d }) => Number(d))).toEqual(numbers(6).map((n) => 3 * n));
    const { retries, attempts } = bench.keys(topic).group('g');
    expect(await bench.redis.exists(retries, attempts)).toBe(0);
    expect(proxy.accepted).toBeGreaterThan(18);
    expect(lost()).toEqual([]);
  });

  test('of reads: what they delivered is handled, once and in order', async () => {
    const topic = await bench.topic(1);
    const handled: number[] = [];
    const consumer = disturbed().consumer({ group: 'g', lease: '30s' });
    consumer.subscribe(typed<number>(topic), ({ value }) => {
      handled.push(value);
    });
    await consumer.start();
    const producer = bench.mq().producer();
    for (let round = 0; round < 5; round++) {
      proxy.loseNextReply(); // that the doorbell rings
      await producer.send(topic, { value: 2 * round });
      await until('the first', () => handled.length === 2 * round + 1);
      await settled(topic);
      await producer.send(topic, { value: 2 * round + 1 });
      proxy.loseNextReply(); // whichever comes next
      await until('the second', () => handled.length === 2 * round + 2);
      await settled(topic);
    }
    expect(handled).toEqual(numbers(10));
  });
});

describe('a way to Redis that is closed', () => {
  test.each(['swallow', 'refuse'] as const)(
    'MQ-21: (%s) for less than the lease costs no partition',
    async (kind) => {
      const topic = await bench.topic(2);
      const handled: number[] = [];
      // Attempts to connect have pauses of up to a second by then.
      const lease = 3_000;
      const consumer = disturbed().consumer({ group: 'g', lease });
      consumer.subscribe(typed<number>(topic), ({ value }) => {
        handled.push(value);
      });
      await consumer.start();
      const tokens = async () => [
        (await bench.lease(topic, 'g', 0))['token'],
        (await bench.lease(topic, 'g', 1))['token'],
      ];
      const before = await tokens();
      proxy.set(kind === 'swallow' ? { kind, what: 'everything' } : { kind });
      if (kind === 'refuse') proxy.cut();
      await after(0.6 * lease);
      proxy.heal();
      await bench
        .mq()
        .producer()
        .sendBatch(
          topic,
          numbers(4).map((value) => ({ value, partition: value % 2 })),
        );
      await until('what came meanwhile', () => handled.length === 4);
      await after(0.6 * lease);
      expect(await tokens()).toEqual(before);
      expect([lost(), new Set(handled).size]).toEqual([[], 4]);
    },
  );

  test('MQ-21: for longer than the lease: given up, and acquired again only when its last handler has ended', async () => {
    const topic = await bench.topic(1);
    const doors = [new Door(), new Door()];
    const reasons: unknown[] = [];
    let running = 0;
    let most = 0;
    const attempts: number[] = [];
    const consumer = disturbed().consumer({ group: 'g', lease: 500, rebalanceInterval: 100 });
    consumer.subscribe(topic, async (_, { signal, attempt }) => {
      most = Math.max(most, ++running);
      signal.addEventListener('abort', () => reasons.push((signal.reason as { code: unknown }).code));
      await doors[attempts.push(attempt) - 1]?.opened;
      running--;
    });
    await consumer.start();
    await bench.mq().producer().send(topic, { value: 1 });
    await until('the handler', () => running === 1);
    proxy.set({ kind: 'refuse' });
    proxy.cut();
    await until('the signal', () => reasons.length === 1);
    proxy.heal();
    expect(reasons).toEqual(['RS_LEASE_LOST']);
    // It is in the group again, and does not touch what its own handler still works on.
    const seen = async () => (await bench.redis.hvals(`rs:{${topic}}:m:g`))[0];
    const before = await seen();
    await until('it to meet the group', async () => ![before, undefined].includes(await seen()));
    expect(attempts).toEqual([1]);
    doors[0]?.open();
    await until('the second delivery', () => attempts.length === 2);
    expect([attempts, most, running]).toEqual([[1, 1], 1, 1]);
    doors[1]?.open();
    await settled(topic);
  });
});

test('a partition whose old handler hangs stays with its new owner, who serves it; the other one gets another', async () => {
  const topic = await bench.topic(2);
  const door = new Door();
  const options = { group: 'g', lease: 500, rebalanceInterval: 100 };
  const hanging = disturbed().consumer(options);
  const [hung, handled]: [number[], number[]] = [[], []];
  hanging.subscribe(topic, async ({ partition }) => {
    hung.push(partition);
    if (hung.length === 1) await door.opened;
  });
  await hanging.start();
  const producer = bench.mq().producer();
  await producer.send(topic, { value: 1, partition: 1 });
  await until('the handler', () => hung.length === 1);
  proxy.set({ kind: 'refuse' });
  proxy.cut();
  const successor = bench.mq().consumer(options);
  successor.subscribe(topic, ({ partition }) => {
    handled.push(partition);
  });
  await successor.start();
  await until('the successor to have both', () => successor.status().partitions.length === 2);
  proxy.heal();
  const running = () =>
    hanging.status().partitions.flatMap(({ partition, state }) => (state === 'running' ? [partition] : []));
  await until('the first to have its share again', () => running().length === 1);
  expect(running()).toEqual([0]);
  await producer.sendBatch(topic, [
    { value: 2, partition: 0 },
    { value: 3, partition: 1 },
  ]);
  await until('both', () => handled.length === 2 && hung.length === 2);
  expect([handled, hung]).toEqual([
    [1, 1],
    [1, 0],
  ]);
  door.open();
});

describe('a server that forgets', () => {
  test('C24: its scripts, again and again: nothing shows', async () => {
    const topic = await bench.topic(2);
    const handled: number[] = [];
    const mq = bench.mq();
    const consumer = mq.consumer({ group: 'g', lease: 600, rebalanceInterval: 100 });
    consumer.subscribe(typed<number>(topic), ({ value }) => {
      handled.push(value);
    });
    await consumer.start();
    const producer = mq.producer();
    for (const value of numbers(40)) {
      if (value % 4 === 0) await bench.redis.script('FLUSH');
      await producer.send(topic, { value });
    }
    await bench.redis.script('FLUSH');
    await after(700); // renewals go on
    await until('all', () => handled.length === 40);
    expect(handled.sort((a, b) => a - b)).toEqual(numbers(40));
    expect(bench.log.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
  });

  test('a restart: the same lease goes on, and nothing is lost or repeated', async () => {
    const topic = await bench.topic(1);
    const handled: number[] = [];
    const mq = bench.mq();
    const consumer = mq.consumer({ group: 'g', lease: '20s' });
    consumer.subscribe(typed<number>(topic), ({ value }) => {
      handled.push(value);
    });
    await consumer.start();
    const { token } = await bench.lease(topic, 'g');
    const producer = mq.producer();
    await producer.send(topic, { value: 0 });
    await redis().kill();
    const sending = producer.send(topic, { value: 1 });
    await redis().restart();
    await sending;
    await producer.send(topic, { value: 2 });
    await until('all', () => handled.length === 3);
    expect(handled).toEqual([0, 1, 2]);
    expect((await bench.lease(topic, 'g'))['token']).toBe(token);
    await settled(topic);
  });
});
