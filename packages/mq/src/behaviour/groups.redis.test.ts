import { describe, expect, test } from '@jest/globals';
import { useRedis } from '@rs/redis-server/jest';
import type { Consumer } from '../consumer/consumer.ts';
import { until } from '../test-support/until.ts';
import { useMq } from '../test-support/use-mq.ts';
import { typed } from '../test-support/typed.ts';

const redis = useRedis();
const bench = useMq(redis);

const FAST = { lease: 800, rebalanceInterval: 100, pollTimeout: 1_000 } as const;

/** Partitions that a consumer works on. */
function owned(consumer: Consumer): number[] {
  return consumer
    .status()
    .partitions.filter(({ state }) => state === 'running')
    .map(({ partition }) => partition)
    .sort((a, b) => a - b);
}

function seen(values: readonly unknown[]): unknown[] {
  return [...new Set(values)].sort((a, b) => Number(a) - Number(b));
}

const numbers = (count: number, from = 0): number[] => Array.from({ length: count }, (_, at) => from + at);

describe('partitions of a group', () => {
  test('MQ-3: partitions that a topic gets later are consumed without subscribing again', async () => {
    const topic = await bench.topic(2);
    const mq = bench.mq();
    const handled: number[] = [];
    const consumer = mq.consumer({ group: 'g', ...FAST });
    consumer.subscribe(topic, ({ partition }) => {
      handled.push(partition);
    });
    await consumer.start();
    await mq.topics.grow(topic, { partitions: 4 });
    const messages = numbers(4).map((partition) => ({ value: partition, partition }));
    await mq.producer().sendBatch(topic, messages);
    await until('all partitions to be handled', () => handled.length === 4);
    expect(seen(handled)).toEqual([0, 1, 2, 3]);
    expect(owned(consumer)).toEqual([0, 1, 2, 3]);
  });

  test('MQ-4: of two consumers on one partition, one gets everything', async () => {
    const topic = await bench.topic(1);
    const handled: Record<string, number[]> = { a: [], b: [] };
    for (const name of ['a', 'b']) {
      const consumer = bench.mq().consumer({ group: 'g', name, ...FAST });
      consumer.subscribe(typed<number>(topic), ({ value }) => {
        handled[name]?.push(value);
      });
      await consumer.start();
    }
    const producer = bench.mq().producer();
    for (const value of numbers(20)) await producer.send(topic, { value });
    await until('all messages', () => Object.values(handled).flat().length === 20);
    expect([handled['a']?.length, handled['b']?.length].sort()).toEqual([0, 20]);
    expect(Object.values(handled).flat()).toEqual(numbers(20));
  });

  test('MQ-4: pinned consumers own exactly their part', async () => {
    const topic = await bench.topic(4);
    const consumers = [0, 1].map((remainder) => {
      const consumer = bench.mq().consumer({ group: 'g', ...FAST });
      consumer.subscribe(topic, () => undefined, { pin: { modulo: 2, remainder } });
      return consumer;
    });
    await consumers[0]?.start();
    // Alone in the group it still takes no more than its part.
    expect(consumers.map(owned)).toEqual([[0, 2], []]);
    await consumers[1]?.start();
    expect(consumers.map(owned)).toEqual([
      [0, 2],
      [1, 3],
    ]);
  });

  test('MQ-26: a consumer that joins takes its share, no more moves, and nothing is handled twice', async () => {
    const topic = await bench.topic(6);
    const handled: number[] = [];
    const join = async (): Promise<Consumer> => {
      const consumer = bench.mq().consumer({ group: 'g', ...FAST });
      consumer.subscribe(typed<number>(topic), ({ value }) => {
        handled.push(value);
      });
      await consumer.start();
      return consumer;
    };
    const producer = bench.mq().producer();
    let sent = 0;
    const send = async (count: number) => {
      for (const value of numbers(count, sent)) await producer.send(topic, { value, key: `k${value}` });
      sent += count;
    };
    const first = await join();
    const second = await join();
    await until('an even split', () => owned(first).length === 3 && owned(second).length === 3);
    const before = [owned(first), owned(second)];
    await send(60);
    const third = await join();
    await send(60);
    await until('the third to have its share', () => owned(third).length === 2);
    await send(60);
    await until('everything to be handled', () => handled.length >= 180);
    expect(handled.sort((a, b) => a - b)).toEqual(numbers(180));
    const after = [owned(first), owned(second)];
    expect(after.map((partitions) => partitions.length)).toEqual([2, 2]);
    after.forEach((partitions, at) => expect(before[at]).toEqual(expect.arrayContaining(partitions)));
  });

  test('a consumer that leaves hands its partitions over at once, and its handlers end first', async () => {
    const topic = await bench.topic(2);
    const [a, b] = ['a', 'b'].map((name) => {
      // With such a lease nobody could wait for its end.
      const consumer = bench.mq().consumer({ group: 'g', name, lease: '60s', rebalanceInterval: 100 });
      consumer.subscribe(topic, () => undefined);
      return consumer;
    });
    if (a === undefined || b === undefined) throw new Error('two consumers');
    await a.start();
    await b.start();
    await until('an even split', () => owned(a).length === 1 && owned(b).length === 1);
    await expect(a.close()).resolves.toEqual({ abandoned: 0, unreleased: 0 });
    await until('the other to have both', () => owned(b).length === 2, 3_000);
    expect(
      bench.log
        .filter(({ message }) => message === 'partition acquired')
        .map(({ facts }) => facts['crashed']),
    ).toEqual([false, false, false, false]);
  });
});

describe('groups', () => {
  test('C07: a group that is new handles what was sent before, and groups do not share', async () => {
    const topic = await bench.topic(1);
    const producer = bench.mq().producer();
    await producer.sendBatch(
      topic,
      numbers(5).map((value) => ({ value })),
    );
    const handled: Record<string, number[]> = { g1: [], g2: [] };
    for (const group of ['g1', 'g2']) {
      const consumer = bench.mq().consumer({ group, ...FAST });
      consumer.subscribe(typed<number>(topic), ({ value }) => {
        handled[group]?.push(value);
      });
      await consumer.start();
      await until(`${group} to catch up`, () => handled[group]?.length === 5);
    }
    await producer.send(topic, { value: 5 });
    await until('both to have the new one', () => Object.values(handled).flat().length === 12);
    expect(handled).toEqual({ g1: numbers(6), g2: numbers(6) });
  });

  test('MQ-18: one group fails three times, the other one sees the message once', async () => {
    const topic = await bench.topic(1);
    const attempts: number[] = [];
    const calm: unknown[] = [];
    const failing = bench.mq().consumer({ group: 'failing', ...FAST });
    failing.subscribe(
      topic,
      ({ value }, { attempt }) => {
        attempts.push(attempt);
        if (value === 'm' && attempt <= 3) throw new Error('not yet');
      },
      { retry: { initialBackoff: 10, jitter: 'none' } },
    );
    const other = bench.mq().consumer({ group: 'calm', ...FAST });
    other.subscribe(topic, ({ value }) => {
      calm.push(value);
    });
    await Promise.all([failing.start(), other.start()]);
    const producer = bench.mq().producer();
    await producer.send(topic, { value: 'm' });
    await until('the fourth attempt', () => attempts.length === 4);
    await producer.send(topic, { value: 'end' });
    await until('the end', () => calm.includes('end') && attempts.length === 5);
    expect(attempts).toEqual([1, 2, 3, 4, 1]);
    expect(calm).toEqual(['m', 'end']);
    expect(await bench.dead(topic)).toEqual([]);
  });

  test('C09: restarts leave no names behind, and no lease', async () => {
    const topic = await bench.topic(2);
    const producer = bench.mq().producer();
    const names: number[] = [];
    let handled = 0;
    for (let run = 0; run < 5; run++) {
      const consumer = bench.mq().consumer({ group: 'g', name: 'worker-1', ...FAST });
      consumer.subscribe(topic, () => {
        handled++;
      });
      await consumer.start();
      await producer.sendBatch(
        topic,
        numbers(4).map((value) => ({ value, partition: value % 2 })),
      );
      await until('this run’s messages', () => handled === 4 * (run + 1));
      await consumer.close();
      names.push(
        (await bench.consumers(topic, 'g', 0)).length + (await bench.consumers(topic, 'g', 1)).length,
      );
    }
    expect(names).toEqual([2, 2, 2, 2, 2]);
    for (const partition of [0, 1]) {
      expect(await bench.pending(topic, 'g', partition)).toBe(0);
      const lease = await bench.lease(topic, 'g', partition);
      expect([lease['token'], lease['owner'], lease['epoch']]).toEqual([undefined, undefined, '5']);
    }
  });

  test('C23: a topic that grows while its group is paused loses nothing and handles nothing twice', async () => {
    const topic = await bench.topic(2);
    const mq = bench.mq();
    const handled: string[] = [];
    const places = new Map<string, number[]>();
    const consumer = mq.consumer({ group: 'g', ...FAST });
    consumer.subscribe(typed<string>(topic), ({ value, partition, key = '' }) => {
      handled.push(value);
      const place = `${partition}/${key}`;
      places.set(place, [...(places.get(place) ?? []), Number(value.split('.')[1])]);
    });
    await consumer.start();
    await consumer.pause();
    const producer = mq.producer();
    const send = (ns: number[]) =>
      producer.sendBatch(
        topic,
        ns.flatMap((n) => numbers(20).map((key) => ({ key: `k${key}`, value: `k${key}.${n}` }))),
      );
    await send([1, 2, 3]);
    await mq.topics.grow(topic, { partitions: 4 });
    await send([4, 5, 6]);
    consumer.resume();
    await until('all partitions to have an owner', () => owned(consumer).length === 4);
    await until('everything', () => handled.length >= 120);
    expect(new Set(handled).size).toBe(120);
    expect(handled).toHaveLength(120);
    for (const order of places.values()) expect(order).toEqual([...order].sort((a, b) => a - b));
    expect(new Set([...places.keys()].map((place) => place.split('/')[0]))).toEqual(
      new Set(['0', '1', '2', '3']),
    );
  });
});
