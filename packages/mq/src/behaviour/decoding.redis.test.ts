import { describe, expect, test } from '@jest/globals';
import { type Message, type StandardSchema, topic as topicOf } from '@rs/core';
import { useRedis } from '@rs/redis-server/jest';
import { bytesCodec } from '../codec/bytes-codec.ts';
import { msgpackCodec } from '../codec/msgpack-codec.ts';
import { systemIds } from '../random.ts';
import { until } from '../test-support/until.ts';
import { useMq } from '../test-support/use-mq.ts';

const redis = useRedis();
const bench = useMq(redis);

const FAST = { lease: 800, rebalanceInterval: 100, pollTimeout: 1_000 } as const;

const settled = (topic: string) =>
  until('nothing to be pending', async () => (await bench.pending(topic, 'g')) === 0);

/** Takes positive amounts, and makes numbers of texts. */
function amounts(how: 'sync' | 'async'): StandardSchema<{ amount: string }, { amount: number }> {
  const validate = (value: unknown) => {
    const amount = Number((value as { amount?: unknown }).amount);
    if (amount > 0) return { value: { amount } };
    return {
      issues: [
        { message: 'not positive', path: ['amount'] },
        { message: 'no currency', path: [{ key: 'currency' }] },
      ],
    };
  };
  return {
    '~standard': {
      version: 1,
      vendor: 'test',
      validate: how === 'sync' ? validate : async (value) => validate(value),
    },
  };
}

describe('what cannot be read', () => {
  const ENVELOPE = ['m', '1,json,-,', 'k', '', 'h', ''];

  test.each([
    ['broken JSON', [...ENVELOPE, 'd', '{"a":']],
    ['a codec that nobody knows', ['m', '1,avro,-,', 'k', '', 'h', '', 'd', '1']],
    ['a version of the future', ['m', '2,json,-,', 'k', '', 'h', '', 'd', '1']],
    ['headers that are none', ['m', '1,json,-,', 'k', '', 'h', '[1]', 'd', '1']],
    ['an entry of another program', ['temperature', '17', 'unit', 'C']],
    ['an envelope with a part missing', ['m', '1,json,-,', 'k', '', 'h', '']],
  ])('%s becomes a dead letter as it is, and the partition goes on', async (_, fields) => {
    const topic = await bench.topic(1);
    const mq = bench.mq();
    const handled: unknown[] = [];
    const consumer = mq.consumer({ group: 'g', ...FAST });
    consumer.subscribe(topic, ({ value }) => {
      handled.push(value);
    });
    const id = String(await bench.redis.xadd(bench.keys(topic).log, '*', ...fields));
    await mq.producer().send(topic, { value: 'after' });
    await consumer.start();
    await until('the message behind it', () => handled.length > 0);
    await settled(topic);
    expect(handled).toEqual(['after']);
    const [letter] = await bench.dead(topic);
    expect(letter).toMatchObject({ o: id, g: 'g', n: '0', r: 'undecodable' });
    for (let at = 0; at < fields.length; at += 2) expect(letter?.[String(fields[at])]).toBe(fields[at + 1]);
    expect(JSON.parse(letter?.['e'] ?? '')).toMatchObject({ code: 'RS_INVALID_VALUE' });
  });

  test.each(['sync', 'async'] as const)(
    'what a schema refuses (%s) is dead with the list of issues',
    async (how) => {
      const name = await bench.topic(1);
      const mq = bench.mq();
      const handled: number[] = [];
      const consumer = mq.consumer({ group: 'g', ...FAST });
      consumer.subscribe(topicOf(name, { value: amounts(how) }), ({ value }) => {
        handled.push(value.amount);
      });
      await consumer.start();
      await mq
        .producer()
        .sendBatch(name, [
          { value: { amount: '3' } },
          { value: { amount: '-1' } },
          { value: { amount: '5' } },
        ]);
      await until('the others', () => handled.length === 2);
      await settled(name);
      expect(handled).toEqual([3, 5]);
      const [letter] = await bench.dead(name);
      expect(letter).toMatchObject({ r: 'undecodable', n: '0', d: '{"amount":"-1"}' });
      expect(JSON.parse(letter?.['e'] ?? '')).toMatchObject({
        code: 'RS_INVALID_VALUE',
        issues: [
          { message: 'not positive', path: 'amount' },
          { message: 'no currency', path: 'currency' },
        ],
      });
    },
  );

  test('a schema that throws or rejects says nothing of the message: it is tried again', async () => {
    const name = await bench.topic(1);
    let calls = 0;
    const unsteady: StandardSchema<unknown, unknown> = {
      '~standard': {
        version: 1,
        vendor: 'test',
        validate: (value) => {
          const away = new Error('registry away');
          if (value === 'never') throw away;
          if (value === 'later' && ++calls === 1) return Promise.reject(away);
          return { value };
        },
      },
    };
    const handled: string[] = [];
    const mq = bench.mq();
    const consumer = mq.consumer({ group: 'g', ...FAST });
    consumer.subscribe(
      topicOf(name, { value: unsteady }),
      ({ value }, { attempt }) => {
        handled.push(`${String(value)}/${attempt}`);
      },
      { retry: { maxAttempts: 3, initialBackoff: 10 } },
    );
    await consumer.start();
    await mq.producer().sendBatch(name, [{ value: 'never' }, { value: 'later' }, { value: 'm' }]);
    await until('the message behind them', () => handled.length === 2);
    await settled(name);
    expect(handled).toEqual(['later/2', 'm/1']);
    expect((await bench.dead(name)).map(({ d, r, n }) => [d, r, n])).toEqual([['"never"', 'attempts', '3']]);
  });
});

describe('what is carried', () => {
  /** Sends, fails each message once, and gives what both attempts saw. */
  async function carried(
    messages: readonly { value: unknown; key?: string; headers?: Record<string, string> }[],
    codec?: 'bytes' | 'msgpack',
  ) {
    const topic = await bench.topic(1);
    const mq = bench.mq();
    const attempts: Message<unknown>[][] = [[], []];
    const consumer = mq.consumer({ group: 'g', ...FAST });
    consumer.subscribe(
      topic,
      (message, { attempt }) => {
        attempts[attempt - 1]?.push(message);
        return attempt === 1 ? 'RETRY' : 'FAIL';
      },
      { retry: { initialBackoff: 1 } },
    );
    await consumer.start();
    const made = codec === 'bytes' ? bytesCodec() : msgpackCodec();
    await mq.producer(codec === undefined ? {} : { codec: made }).sendBatch(topic, messages);
    await until(
      'everything to be dead',
      async () => (await bench.redis.xlen(bench.keys(topic).deadLetters)) === messages.length,
    );
    const sent = await bench.redis.xrangeBuffer(bench.keys(topic).log, '-', '+');
    const dead = await bench.redis.xrangeBuffer(bench.keys(topic).deadLetters, '-', '+');
    return {
      attempts,
      sent: sent.map(([, fields]) => fields),
      dead: dead.map(([, fields]) => fields.slice(12)),
    };
  }

  const NUMBERS = { n: 1_700_000_000_123_456, list: [], obj: {}, f: 0.1 };

  test('C29: a value is the same at the first attempt, at the second, and in the dead letter', async () => {
    const { attempts, sent, dead } = await carried([{ value: NUMBERS }, { value: null }, { value: '' }]);
    for (const seen of attempts) expect(seen.map(({ value }) => value)).toEqual([NUMBERS, null, '']);
    expect(dead).toEqual(sent);
  });

  test('C86: keys, headers and texts of any script, byte for byte', async () => {
    const text = 'NUL \0, emoji 😀, CRLF \r\n, مرحبا, 漢字';
    const message = { value: text, key: '客户-😀', headers: { 'x-名前': '値\r\n', empty: '' } };
    const { attempts, sent, dead } = await carried([message]);
    for (const [seen] of attempts) expect(seen).toMatchObject(message);
    expect(dead).toEqual(sent);
  });

  test('C86: bytes', async () => {
    const bytes = Buffer.from([0xc3, 0x28, 0x00, 0xff]);
    const { attempts, sent, dead } = await carried([{ value: bytes }, { value: Buffer.alloc(0) }], 'bytes');
    for (const seen of attempts) {
      expect(seen.map(({ value }) => Buffer.from(value as Uint8Array).toString('hex'))).toEqual([
        'c32800ff',
        '',
      ]);
    }
    expect(dead).toEqual(sent);
  });

  test('C86: a lone surrogate is refused, or comes as it was', async () => {
    const topic = await bench.topic(1);
    const producer = bench.mq().producer();
    await expect(producer.send(topic, { value: 1, key: '\ud83d' })).rejects.toMatchObject({
      code: 'RS_INVALID_KEY',
    });
    const { attempts } = await carried([{ value: 'lone \ud83d' }]);
    for (const [seen] of attempts) expect(seen?.value).toBe('lone \ud83d');
  });

  test('MQ-19: msgpack values are the same on every way', async () => {
    const value = { ...NUMBERS, when: [1, 'two', { three: true }], nothing: null };
    const { attempts, sent, dead } = await carried([{ value }], 'msgpack');
    for (const [seen] of attempts) expect(seen?.value).toEqual(value);
    expect(dead).toEqual(sent);
  });
});

describe('names', () => {
  test.each(['a{b', 'a}b', '{x}y', '', 'a:b', 't*', 'a\nb', '主题'])(
    'C26: topic and group %j are refused at once',
    async (name) => {
      const mq = bench.mq();
      const coded = { code: 'RS_INVALID_NAME' };
      await expect(mq.topics.ensure(name, { partitions: 1 })).rejects.toMatchObject(coded);
      expect(() => mq.consumer({ group: name })).toThrow(expect.objectContaining(coded));
      expect(() => mq.consumer({ group: 'g', name })).toThrow(expect.objectContaining(coded));
      expect(() => mq.consumer({ group: 'g' }).subscribe(name, () => undefined)).toThrow(
        expect.objectContaining(coded),
      );
    },
  );

  test('C26: topics and groups whose names put together are equal never meet', async () => {
    const mq = bench.mq();
    const handled: string[] = [];
    const tail = systemIds(); // with REDIS_URL all runs share one server
    for (const [topic, group] of [
      [`${tail}.b`, 'c'],
      [tail, 'b.c'],
    ] as const) {
      await mq.topics.ensure(topic, { partitions: 1 });
      const consumer = mq.consumer({ group, ...FAST });
      consumer.subscribe(topic, ({ value }) => {
        handled.push(`${topic}/${group}: ${String(value)}`.replaceAll(tail, 'a'));
      });
      await consumer.start();
      await mq.producer().send(topic, { value: topic });
    }
    await until('both', () => handled.length === 2);
    expect(handled.sort()).toEqual(['a.b/c: a.b', 'a/b.c: a']);
  });
});
