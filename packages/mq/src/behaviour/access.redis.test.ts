import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { useRedis } from '@rs/redis-server/jest';
import { until } from '../test-support/until.ts';
import { useMq } from '../test-support/use-mq.ts';

/** What the README tells administrators to give. */
const RULES =
  /^ACL SETUSER \S+ on >\S+ (.+)$/m.exec(readFileSync(join(__dirname, '../../README.md'), 'utf8'))?.[1] ?? '';

const redis = useRedis({ acl: [{ user: 'orders', password: 'secret', rules: RULES.split(' ') }] });
const bench = useMq(redis);

test('a user with the rights that the README names can do everything', async () => {
  const topic = await bench.topic(2);
  const url = redis().url.replace('redis://', 'redis://orders:secret@');
  const mq = bench.mq({ url });
  await mq.topics.ensure(topic, { partitions: 2 });
  const handled: unknown[] = [];
  const consumer = mq.consumer({ group: 'g', pollTimeout: 200 });
  consumer.subscribe(
    topic,
    ({ value }) => {
      handled.push(value);
      if (handled.length === 1) throw new Error('dies');
    },
    { retry: { maxAttempts: 1 } },
  );
  await consumer.start();
  await mq.producer().sendBatch(topic, [{ value: 1 }, { value: 2 }]);
  await until('both', () => handled.length === 2);
  const letters = mq.deadLetters(topic);
  await until('the dead letter', async () => (await letters.count()).total === 1);
  expect(await letters.replay({ group: 'g' })).toEqual({ replayed: 1, skipped: 0 });
  await until('it again', () => handled.length === 3);
  expect((await mq.doctor()).filter(({ level }) => level === 'error')).toEqual([]);
  await mq.topics.grow(topic, { partitions: 3 });
  expect(await mq.topics.list()).toContain(topic);
  await consumer.close();
  expect(bench.log.filter(({ level, message }) => level === 'error' || message.includes('NOPERM'))).toEqual(
    [],
  );
});
