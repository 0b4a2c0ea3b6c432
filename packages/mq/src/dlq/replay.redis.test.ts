import { afterEach, describe, expect, test } from '@jest/globals';
import { type RedisClient, createRedisClient } from '@rs/redis';
import { useRedis } from '@rs/redis-server/jest';
import { Redis } from 'ioredis';
import { replayDeadLetters } from '../lua/scripts.generated.ts';
import { coded } from '../test-support/coded.ts';
import { die, fails, handle, listed, total } from '../test-support/dead-letters.ts';
import { until } from '../test-support/until.ts';
import { useMq } from '../test-support/use-mq.ts';

const redis = useRedis();
const bench = useMq(redis);
const clients: RedisClient[] = [];
afterEach(() => Promise.all(clients.splice(0).map((client) => client.close())));

describe('replay', () => {
  test('C15: while nobody consumes; then it is handled as it was sent, with attempts counted anew', async () => {
    const topic = await bench.topic(2);
    const mq = bench.mq();
    const dying = await handle(mq, topic, fails);
    const sent = { key: 'k', value: 7, headers: { h: '1' }, timestamp: 1_700_000_000_000 };
    const { partition, id } = await mq.producer().send(topic, sent);
    await until('it to die', async () => (await total(mq, topic)) === 1);
    await dying.consumer.close();

    const letters = mq.deadLetters(topic);
    expect(await letters.replay({ group: 'billing' })).toEqual({ replayed: 1, skipped: 0 });
    expect((await letters.count()).total).toBe(0);
    expect(await letters.replay({ group: 'billing' })).toEqual({ replayed: 0, skipped: 0 });

    const { calls } = await handle(mq, topic, () => undefined);
    await until('it to be handled', () => calls.length > 0);
    expect(calls).toEqual([{ attempt: 1, message: { id, topic, partition, ...sent } }]);
    const { redelivery, attempts, retries } = bench.keys(topic, partition).group('billing');
    await until('it to be settled', async () => (await bench.redis.xlen(redelivery)) === 0);
    expect(await bench.redis.exists(attempts, retries)).toBe(0);
    expect((await letters.count()).total).toBe(0);
  });

  test('rings the consumer that waits; it goes to that group alone, with new messages behind it handled too', async () => {
    const topic = await bench.topic();
    const mq = bench.mq();
    let down = true;
    const billing = await handle(mq, topic, () => (down ? fails() : undefined), {
      retry: { maxAttempts: 1 },
    });
    const audit = await handle(mq, topic, () => undefined, { group: 'audit' });
    await mq.producer().send(topic, { value: 1 });
    await until('it to die', async () => (await total(mq, topic)) === 1);
    await until('the other group to have it', () => audit.calls.length === 1);
    down = false;
    await mq.deadLetters(topic).replay({ group: 'billing' });
    // Well before a consumer would look by itself.
    await until('it to be handled', () => billing.calls.length === 2, 3_000);
    await mq.producer().send(topic, { value: 2 });
    await until('new ones to be handled', () => billing.calls.length === 3 && audit.calls.length === 2);
    expect(billing.values()).toEqual([1, 1, 2]);
    expect(audit.values()).toEqual([1, 2]);
    expect(billing.calls.map(({ attempt }) => attempt)).toEqual([1, 1, 1]);
  });

  test('dead letters of other groups stay; the same message can be one of each', async () => {
    const topic = await bench.topic();
    const mq = bench.mq();
    await die(mq, topic, 2);
    const audit = await handle(mq, topic, fails, { group: 'audit' });
    await until('it to die there too', async () => (await total(mq, topic)) === 4);
    await audit.consumer.close();
    const ids = (await listed(mq.deadLetters(topic))).map(({ id }) => id);
    expect(await mq.deadLetters(topic).replay({ group: 'audit', ids })).toEqual({ replayed: 2, skipped: 2 });
    expect((await listed(mq.deadLetters(topic))).map(({ group }) => group)).toEqual(['billing', 'billing']);
  });

  test('one that fails again is a dead letter again, and this replay does not meet it again', async () => {
    const topic = await bench.topic();
    const mq = bench.mq();
    const before = await die(mq, topic, 3);
    const [first] = await listed(mq.deadLetters(topic));
    const { calls } = await handle(mq, topic, fails);
    expect(await mq.deadLetters(topic).replay({ group: 'billing' })).toEqual({ replayed: 3, skipped: 0 });
    await until('all to die again', async () => (await total(mq, topic)) === 3);
    expect(calls.map(({ attempt }) => attempt)).toEqual([1, 2, 1, 2, 1, 2]);
    const again = await listed(mq.deadLetters(topic));
    expect(again.map(({ id }) => id)).not.toEqual(before);
    const [secondLife] = again;
    expect(secondLife).toMatchObject({ messageId: first?.messageId, attempts: 2, raw: first?.raw });
    expect(await bench.redis.xlen(bench.keys(topic).group('billing').redelivery)).toBe(0);
  });

  test('in the order in which they died, per partition, whatever the order of the ids', async () => {
    const topic = await bench.topic(2);
    const mq = bench.mq();
    const ids = await die(mq, topic, 8, 2);
    const shuffled = [5, 0, 7, 3, 2, 6, 1, 4].map((at) => String(ids[at]));
    const report = await mq
      .deadLetters(topic)
      .replay({ group: 'billing', ids: [...shuffled, '1:5-5', '9:1-1'] });
    expect(report).toEqual({ replayed: 8, skipped: 2 });
    const { calls } = await handle(mq, topic, () => undefined);
    await until('all to be handled', () => calls.length === 8);
    for (const parity of [0, 1]) {
      const values = calls.map(({ message }) => message.value).filter((value) => value % 2 === parity);
      expect(values).toEqual([0, 2, 4, 6].map((value) => value + parity));
    }
  });

  test('by filter and up to a limit', async () => {
    const topic = await bench.topic(2);
    const mq = bench.mq();
    await die(mq, topic, 10, 2);
    const letters = mq.deadLetters(topic);
    const group = 'billing';
    expect(await letters.replay({ group, limit: 3 })).toEqual({ replayed: 3, skipped: 0 });
    expect(await letters.count()).toEqual({ total: 7, partitions: [2, 5] });
    expect(await letters.replay({ group, signature: 'Error: up' })).toEqual({ replayed: 0, skipped: 0 });
    expect(await letters.replay({ group, reason: 'crashed' })).toEqual({ replayed: 0, skipped: 0 });
    const filter = { signature: 'Error: down', reason: 'attempts', partition: 1 } as const;
    expect(await letters.replay({ group, ...filter })).toEqual({ replayed: 5, skipped: 0 });
    expect(await letters.count()).toEqual({ total: 2, partitions: [2, 0] });
  });

  test('two replays at the same time count each dead letter once, and it is delivered once', async () => {
    const topic = await bench.topic();
    const mq = bench.mq();
    const ids = await die(mq, topic, 30);
    const letters = mq.deadLetters(topic);
    const reports = await Promise.all([0, 1, 2].map(() => letters.replay({ group: 'billing', ids })));
    expect(reports.reduce((sum, { replayed }) => sum + replayed, 0)).toBe(30);
    expect(reports.reduce((sum, { skipped }) => sum + skipped, 0)).toBe(60);
    expect(await bench.redis.xlen(bench.keys(topic).group('billing').redelivery)).toBe(30);
  });

  test('the same call again, after a lost reply, moves nothing and answers as the first did', async () => {
    const topic = await bench.topic();
    const mq = bench.mq();
    const ids = (await die(mq, topic, 2)).map((id) => id.slice(2));
    const keys = bench.keys(topic);
    const { redelivery, lease } = keys.group('billing');
    const client = createRedisClient(new Redis(redis().url, { lazyConnect: true }));
    clients.push(client);
    const call = replayDeadLetters({
      keys: { dead: keys.deadLetters, redelivery, request: keys.request('r1'), lease },
      args: { group: 'billing', ids: [...ids, '5-5'] },
    });
    expect([await client.run(call), await client.run(call)]).toEqual([2, 2]);
    expect(await bench.redis.xlen(redelivery)).toBe(2);
    expect(await bench.redis.pttl(keys.request('r1'))).toBeGreaterThan(60_000);
  });

  test('is refused for the group of a job, which would never read it', async () => {
    const topic = await bench.topic();
    const mq = bench.mq();
    await die(mq, topic, 1);
    await bench.redis.hset(bench.keys(topic).group('billing').lease, 'job', 'counting');
    const refused = mq.deadLetters(topic).replay({ group: 'billing' });
    await expect(refused).rejects.toEqual(
      coded('RS_GROUP_OF_JOB', { details: { topic, group: 'billing', job: 'counting' } }),
    );
    expect(await total(mq, topic)).toBe(1);
  });

  test('a signal ends it: what was replayed stays, and the same call goes on', async () => {
    const topic = await bench.topic();
    const mq = bench.mq();
    await die(mq, topic, 3);
    const letters = mq.deadLetters(topic);
    const controller = new AbortController();
    const replaying = letters.replay({ group: 'billing', rate: 0.001, signal: controller.signal });
    await until('the first to be replayed', async () => (await letters.count()).total === 2);
    controller.abort(new Error('enough'));
    await expect(replaying).rejects.toThrow('enough');
    expect((await letters.count()).total).toBe(2);
    expect(await letters.replay({ group: 'billing' })).toEqual({ replayed: 2, skipped: 0 });
    await expect(letters.replay({ group: 'billing', signal: controller.signal })).rejects.toThrow('enough');
  });
});
