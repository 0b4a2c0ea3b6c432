import { describe, expect, test } from '@jest/globals';
import { useRedis } from '@rs/redis-server/jest';
import { FAST, numbers, useReading } from '../test-support/reading.ts';
import { until } from '../test-support/until.ts';
import { useMq } from '../test-support/use-mq.ts';

const redis = useRedis();
const bench = useMq(redis);
const { consume, send, lowOf, holdOf, settled } = useReading(bench);

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
