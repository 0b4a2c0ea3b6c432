import { describe, expect, test } from '@jest/globals';
import { type Message, type StandardSchema, topic as topicOf } from '@rs/core';
import { useRedis } from '@rs/redis-server/jest';
import type { Mq } from '../mq.ts';
import { coded } from '../test-support/coded.ts';
import { RETRY, SOON, listed } from '../test-support/dead-letters.ts';
import { until } from '../test-support/until.ts';
import { useMq } from '../test-support/use-mq.ts';

const bench = useMq(useRedis());

interface Order {
  readonly id: number;
}

/** Takes orders that have an id; knows of two things that can be wrong. */
const orderSchema: StandardSchema<Order> = {
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value) => {
      const id = (value as Order | null)?.id;
      if (typeof id === 'number') return { value: { id } };
      return {
        issues: [
          { message: 'no number', path: ['id'] },
          { message: 'no order', path: [{ key: 'items' }, 0] },
        ],
      };
    },
  },
};

/** Handles a topic until it is quiet; gives the values that were handled. */
async function consume(mq: Mq, topic: string, schema = orderSchema, batch = false): Promise<() => number[]> {
  const handled: number[] = [];
  const consumer = mq.consumer({ group: 'billing', ...SOON });
  const orders = topicOf(topic, { value: schema });
  if (batch) {
    consumer.subscribeBatch(orders, (messages: readonly Message<Order>[]) => {
      handled.push(...messages.map(({ value }) => value.id));
    });
  } else {
    consumer.subscribe(
      orders,
      ({ value }) => {
        handled.push(value.id);
      },
      { retry: RETRY },
    );
  }
  await consumer.start();
  return () => handled;
}

describe('a message that cannot be decoded is a dead letter at once, and the partition goes on', () => {
  test.each([false, true])(
    'refused by the schema of the topic, with its issues (in batches: %p)',
    async (batch) => {
      const topic = await bench.topic();
      const mq = bench.mq();
      const values = [{ id: 1 }, { id: 'x' }, { id: 3 }];
      await mq.producer().sendBatch(
        topic,
        values.map((value) => ({ key: 'k', headers: { h: '1' }, timestamp: 5, value })),
      );
      const handled = await consume(mq, topic, orderSchema, batch);
      await until('the others to be handled', () => handled().length === 2);
      expect(handled()).toEqual([1, 3]);
      await until('the bad one to be dead', async () => (await mq.deadLetters(topic).count()).total === 1);
      const [dead] = await listed(mq.deadLetters(topicOf(topic, { value: orderSchema })));
      expect(dead).toMatchObject({
        reason: 'undecodable',
        attempts: 0,
        key: 'k',
        headers: { h: '1' },
        timestamp: 5,
        error: {
          code: 'RS_INVALID_VALUE',
          message: expect.stringContaining('no number'),
          issues: [
            { message: 'no number', path: 'id' },
            { message: 'no order', path: 'items.0' },
          ],
        },
      });
      await expect(dead?.decode()).rejects.toThrow(coded('RS_INVALID_VALUE'));
      // Whoever knows no schema sees the value as it was sent.
      const [untyped] = await listed(mq.deadLetters(topic));
      await expect(untyped?.decode()).resolves.toMatchObject({ value: { id: 'x' } });
    },
  );

  test('replayed under a schema that takes it, it is handled', async () => {
    const topic = await bench.topic();
    const mq = bench.mq();
    await mq.producer().send(topic, { value: { id: 'x' } });
    await consume(mq, topic);
    await until('it to be dead', async () => (await mq.deadLetters(topic).count()).total === 1);
    await mq.close();
    const lenient: StandardSchema<Order> = {
      '~standard': { version: 1, vendor: 'test', validate: () => ({ value: { id: -1 } }) },
    };
    const next = bench.mq();
    const handled = await consume(next, topic, lenient);
    await next.deadLetters(topic).replay({ group: 'billing' });
    await until('it to be handled', () => handled().length === 1);
    expect(handled()).toEqual([-1]);
    expect((await next.deadLetters(topic).count()).total).toBe(0);
  });

  const envelope = (fields: Partial<Record<'m' | 'k' | 'h' | 'd', string>>): string[] =>
    Object.entries({ m: '1,json,-,', k: '', h: '', d: '{"id":2}', ...fields }).flat();

  test.each<[string, (string | Buffer)[], object]>([
    [
      'other fields',
      ['type', 'order', '__proto__', 'x'],
      { raw: { type: Buffer.from('order') }, key: undefined },
    ],
    ['a field that is missing', envelope({}).slice(2), { raw: { d: Buffer.from('{"id":2}') } }],
    ['no JSON', envelope({ d: '{"id":' }), { raw: { d: Buffer.from('{"id":') } }],
    [
      'bytes that are no text',
      ['m', '1,json,k,', 'k', Buffer.from([255]), 'h', '', 'd', '1'],
      { raw: { k: Buffer.from([255]) } },
    ],
    [
      'a codec that nobody knows',
      envelope({ m: '1,protobuf,k,77', k: 'key' }),
      { key: 'key', timestamp: 77 },
    ],
    ['a version of the future', envelope({ m: '2,json,-,' }), { key: undefined }],
    ['headers that are none', envelope({ h: '[1]' }), { headers: {} }],
    ['an event time that is none', envelope({ m: '1,json,-,soon' }), { headers: {} }],
    ['more fields than a script can pass on', Array.from({ length: 12_000 }, (_, at) => `f${at}`), {}],
  ])('%s', async (_, fields, seen) => {
    const topic = await bench.topic();
    const mq = bench.mq();
    const { log } = bench.keys(topic);
    const good = (id: number) => bench.redis.xadd(log, '*', ...envelope({ d: `{"id":${id}}` }));
    await good(1);
    const id = await bench.redis.xadd(log, '*', ...fields);
    await good(3);
    const handled = await consume(mq, topic);
    await until('the others to be handled', () => handled().length === 2);
    expect(handled()).toEqual([1, 3]);
    await until('nothing to be pending', async () => (await bench.pending(topic, 'billing')) === 0);
    const dead = await listed(mq.deadLetters(topic));
    expect(dead).toMatchObject([
      { messageId: id, reason: 'undecodable', attempts: 0, error: { code: 'RS_INVALID_VALUE' }, ...seen },
    ]);
    await expect(dead[0]?.decode()).rejects.toThrow(coded('RS_INVALID_VALUE'));
    expect((await mq.deadLetters(topic).summary()).causes).toMatchObject([
      { reason: 'undecodable', count: 1 },
    ]);

    // Replayed, it dies of the same again, with the same fields.
    await mq.deadLetters(topic).replay({ group: 'billing' });
    const again = () => listed(mq.deadLetters(topic));
    await until('it to die again', async () => (await again()).length === 1);
    expect(await again()).toMatchObject([{ messageId: id, raw: dead[0]?.raw }]);
  });
});
