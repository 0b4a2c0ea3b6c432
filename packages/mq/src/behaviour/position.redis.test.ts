import { describe, expect, test } from '@jest/globals';
import { useRedis } from '@rs/redis-server/jest';
import type { StartPosition } from '../consumer/subscription-options.ts';
import { FAST, numbers, useReading } from '../test-support/reading.ts';
import { Door, until } from '../test-support/until.ts';
import { useMq } from '../test-support/use-mq.ts';
import { typed } from '../test-support/typed.ts';

const redis = useRedis();
const bench = useMq(redis);
const { consume, send, lowOf, holdOf, settled } = useReading(bench);

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
