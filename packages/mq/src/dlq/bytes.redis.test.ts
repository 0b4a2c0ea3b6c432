import { expect, test } from '@jest/globals';
import { useRedis } from '@rs/redis-server/jest';
import { bytesCodec } from '../codec/bytes-codec.ts';
import { jsonCodec } from '../codec/json-codec.ts';
import { msgpackCodec } from '../codec/msgpack-codec.ts';
import { textCodec } from '../codec/text-codec.ts';
import { RETRY, SOON, listed } from '../test-support/dead-letters.ts';
import { until } from '../test-support/until.ts';
import { useMq } from '../test-support/use-mq.ts';

const bench = useMq(useRedis());

const everyByte = Buffer.from(Array.from({ length: 256 }, (_, at) => at));
/** C29: what a round trip through JSON in Lua would change. */
const fragile = { n: 1_700_000_000_123_456, list: [], obj: {}, f: 0.1, deep: { none: null } };

test.each([
  ['a text', jsonCodec(), 'naïve "quoted" \u0000 text 😀'],
  ['an object', jsonCodec(), fragile],
  ['null', jsonCodec(), null],
  ['an empty text', jsonCodec(), ''],
  ['a packed object', msgpackCodec(), { ...fragile, bytes: everyByte }],
  ['an empty text as it is', textCodec(), ''],
  ['bytes', bytesCodec(), everyByte],
  ['no bytes', bytesCodec(), Buffer.alloc(0)],
])(
  'MQ-19, C29: %s is the same on every attempt, in the dead letters and after a replay',
  async (_, codec, value) => {
    const topic = await bench.topic();
    const mq = bench.mq();
    const message = { key: 'ключ', headers: { 'x-😀': '"1"' }, timestamp: -5, value };
    const { id } = await mq.producer({ codec }).send(topic, message);
    const { log, deadLetters, group } = bench.keys(topic);
    const { redelivery } = group.call(bench.keys(topic), 'billing');
    const bytes = async (key: string): Promise<Buffer[]> => {
      const [entry] = await bench.redis.xrangeBuffer(key, '-', '+');
      return entry?.[1].slice(-8) ?? [];
    };
    const sent = await bytes(log);

    let failing = true;
    const seen: unknown[] = [];
    const handle = async (): Promise<void> => {
      const consumer = bench.mq().consumer({ group: 'billing', ...SOON });
      consumer.subscribe(
        topic,
        (received, { attempt }) => {
          seen.push({ attempt, received });
          if (failing) throw new Error('down');
        },
        { retry: { ...RETRY, maxAttempts: 3 } },
      );
      await consumer.start();
    };
    const dies = (): Promise<void> =>
      until('it to die', async () => (await mq.deadLetters(topic).count()).total === 1);
    await handle();
    await dies();
    expect(await bytes(deadLetters)).toEqual(sent);
    const [dead] = await listed(mq.deadLetters(topic));
    const received = { ...message, id, topic, partition: 0 };
    expect(dead?.raw.d).toEqual(sent[7]);
    const [decodable] = await listed(mq.deadLetters(topic));
    await expect(decodable?.decode()).resolves.toEqual(received);

    await mq.deadLetters(topic).replay({ group: 'billing' });
    await dies();
    expect(await bytes(deadLetters)).toEqual(sent);
    const again = {
      ...dead,
      id: expect.any(String),
      failedAt: expect.any(Number),
      decode: expect.any(Function),
    };
    expect(await listed(mq.deadLetters(topic))).toEqual([again]);

    failing = false;
    await mq.deadLetters(topic).replay({ group: 'billing' });
    await until('it to be settled', async () => (await bench.redis.xlen(redelivery)) === 0);
    expect(seen).toEqual([1, 2, 3, 1, 2, 3, 1].map((attempt) => ({ attempt, received })));
  },
);
