import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type RedisClient, type RedisReply, TopicKeys, createRedisClient } from '@rs/redis';
import { useRedis } from '@rs/redis-server/jest';
import { Redis } from 'ioredis';
import { produce } from '../lua/scripts.generated.ts';
import { rejectionOf } from '../test-support/coded.ts';

const redis = useRedis();
let ioredis: Redis;
let client: RedisClient;
let count = 0;
let stream: string;
let pid: string;

beforeAll(() => {
  const { host, port } = redis();
  ioredis = new Redis({ host, port, lazyConnect: true });
  client = createRedisClient(ioredis);
});

afterAll(async () => {
  await client.close();
  ioredis.disconnect();
});

beforeEach(() => {
  const keys = new TopicKeys({ topic: `produce.${process.pid}.${count++}`, shards: 1 }).partition(0);
  [stream, pid] = [keys.log, keys.producers];
});

const fields = (...values: readonly (string | Buffer)[]) =>
  values.flatMap((value) => ['1,bytes,-,', '', '', value]);

function send(
  producer: string,
  sequence: number,
  ...values: readonly (string | Buffer)[]
): Promise<RedisReply> {
  return client.run(
    produce({ keys: { stream, pid }, args: { producer, sequence, fields: fields(...values) } }),
  );
}

/** Id and value of each entry. */
async function entries(): Promise<[string, string][]> {
  const reply = (await redis().cli('XRANGE', stream, '-', '+')) as [string, string[]][];
  return reply.map(([id, entry]) => [id, entry[7] ?? '']);
}

const now = async () => {
  const [seconds = 0] = ((await redis().cli('TIME')) as string[]).map(Number);
  return seconds * 1000;
};

describe('a batch', () => {
  test('gets consecutive ids, of which the reply is the first', async () => {
    const [status, ms, seq] = (await send('p', 1, 'a', 'b', 'c')) as string[];
    expect(status).toBe('OK');
    expect(await entries()).toEqual([
      [`${ms}-${seq}`, 'a'],
      [`${ms}-${Number(seq) + 1}`, 'b'],
      [`${ms}-${Number(seq) + 2}`, 'c'],
    ]);
  });

  test('has its ids also behind an entry of the future, with a sequence beyond doubles', async () => {
    await redis().cli('XADD', stream, '9999999999999-9007199254740993', 'x', 'y');
    const reply = await send('p', 1, 'a', 'b');
    expect(reply).toEqual(['OK', '9999999999999', '9007199254740994']);
    expect((await entries()).map(([id]) => id).slice(1)).toEqual([
      '9999999999999-9007199254740994',
      '9999999999999-9007199254740995',
    ]);
  });

  test('sent again has the same ids and changes nothing', async () => {
    const [, ms, seq] = (await send('p', 1, 'a', 'b')) as string[];
    const before = await entries();
    expect(await send('p', 1, 'a', 'b')).toEqual(['DUP', ms, seq]);
    expect(await send('p', 1, 'a', 'b')).toEqual(['DUP', ms, seq]);
    expect(await entries()).toEqual(before);
  });

  test('is not the same with other messages, and old once another was sent', async () => {
    await send('p', 1, 'a', 'b');
    expect(await send('p', 1, 'a')).toEqual(['STALE', '2']);
    expect(await send('p', 2, 'b')).toEqual(['STALE', '2']);
    expect(await send('p', 2, 'b', 'c')).toEqual(['STALE', '2']);
    // A gap: what was to be 3 and 4 was given up.
    expect(await send('p', 5, 'e')).toEqual(['OK', expect.any(String), expect.any(String)]);
    expect(await send('p', 3, 'c', 'd')).toEqual(['STALE', '5']);
    expect((await entries()).map(([, value]) => value)).toEqual(['a', 'b', 'e']);
  });

  test('counts for its own producer', async () => {
    await send('p', 1, 'a');
    expect(await send('q', 1, 'b')).toEqual(['OK', expect.any(String), expect.any(String)]);
    expect(await redis().cli('HLEN', pid)).toBe(2);
  });

  test('has sequences that are exact up to 2^53', async () => {
    const high = Number.MAX_SAFE_INTEGER - 1;
    const [, ms, seq] = (await send('p', high, 'a', 'b')) as string[];
    expect(await send('p', high, 'a', 'b')).toEqual(['DUP', ms, seq]);
    expect(await redis().cli('HGET', pid, 'p')).toBe(`9007199254740991,9007199254740990,${ms},${seq}`);
    expect(await send('p', high - 1, 'x')).toEqual(['STALE', '9007199254740991']);
  });

  test('may be as large as any producer makes it', async () => {
    const values = Array.from({ length: 10_000 }, (_, at) => String(at));
    await send('p', 1, ...values);
    expect((await entries()).map(([, value]) => value)).toEqual(values);
  });

  test('keeps bytes as they are', async () => {
    const bytes = Buffer.from([0xc3, 0x28, 0x00, 0xff]);
    await send('p', 1, bytes, '');
    const reply = await client.command({ name: 'XRANGE', args: [stream, '-', '+'], binary: true });
    const stored = (reply as [Buffer, Buffer[]][]).map(([, entry]) => entry[7]);
    expect(stored).toEqual([bytes, Buffer.alloc(0)]);
  });
});

describe('nothing is written', () => {
  test.each([0, 1, 3, 5])('of %d fields, which are no messages', async (length) => {
    const call = produce({
      keys: { stream, pid },
      args: { producer: 'p', sequence: 1, fields: Array<string>(length).fill('x') },
    });
    await rejectionOf(client.run(call), 'RS_REDIS_REPLY');
    expect(await redis().cli('EXISTS', stream, pid)).toBe(0);
  });

  test('when a key holds something else', async () => {
    await redis().cli('SET', pid, 'x');
    await rejectionOf(send('p', 1, 'a'), 'RS_REDIS_REPLY');
    expect(await redis().cli('EXISTS', stream)).toBe(0);
    await redis().cli('DEL', pid);
    await redis().cli('SET', stream, 'x');
    await rejectionOf(send('p', 1, 'a'), 'RS_REDIS_REPLY');
    expect(await redis().cli('EXISTS', pid)).toBe(0);
  });
});

describe('producers that are gone', () => {
  test('are forgotten an hour after their last batch, once there are many', async () => {
    const time = await now();
    const old = `9,9,${time - 3_700_000},0`;
    const recent = `9,9,${time - 3_500_000},0`;
    const producers = Array.from({ length: 64 }, (_, at) => [`p${at}`, at % 2 === 0 ? old : recent]);
    await redis().cli('HSET', pid, ...producers.flat());
    await send('p0', 10, 'a');
    expect(await redis().cli('HLEN', pid)).toBe(64);
    await send('new', 1, 'a');
    await send('newer', 1, 'a');
    const left = (await redis().cli('HKEYS', pid)) as string[];
    const named = (wanted: string) =>
      producers.flatMap(([name = '', facts]) => (facts === wanted && name !== 'p0' ? [name] : []));
    const isLeft = (name: string) => left.includes(name);
    expect([...named(recent), 'p0', 'new', 'newer'].filter((name) => !isLeft(name))).toEqual([]);
    // The second new one finds 65 and looks at any 64 of them.
    expect(named(old).filter(isLeft).length).toBeLessThanOrEqual(1);
  });
});
