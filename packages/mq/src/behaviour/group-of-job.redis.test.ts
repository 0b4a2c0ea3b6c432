import { expect, test } from '@jest/globals';
import { TopicKeys } from '@rs/redis';
import { useRedis } from '@rs/redis-server/jest';
import { coded } from '../test-support/coded.ts';
import { until } from '../test-support/until.ts';
import { useMq } from '../test-support/use-mq.ts';

const server = useRedis();
const bench = useMq(server);

/** What a job writes down when it takes a group. */
async function giveToJob(topic: string, group: string): Promise<void> {
  await bench.redis.hset(new TopicKeys({ topic, shards: 1 }).meta, `job:${group}`, 'counting');
}

test('a consumer cannot join the group of a job, but any other group of the topic', async () => {
  const topic = await bench.topic(2);
  await giveToJob(topic, 'g');
  const mq = bench.mq();
  const refused = mq.consumer({ group: 'g' });
  refused.subscribe(topic, () => undefined);
  await expect(refused.start()).rejects.toEqual(
    coded('RS_GROUP_OF_JOB', { details: { topic, group: 'g', job: 'counting' } }),
  );
  await refused.close();

  const handled: unknown[] = [];
  const other = mq.consumer({ group: 'h' });
  other.subscribe(topic, ({ value }) => void handled.push(value));
  await other.start();
  await mq.producer().send(topic, { value: 1 });
  await until('it is handled', () => handled.length === 1);
});

test('nor can it acquire a partition that a task of a job has taken', async () => {
  const topic = await bench.topic();
  await bench.redis.hset(bench.keys(topic).group('g').lease, 'job', 'counting');
  const consumer = bench.mq().consumer({ group: 'g' });
  consumer.subscribe(topic, () => undefined);
  await consumer.start();
  await until('it is told', () =>
    bench.log.some(
      ({ level, facts }) =>
        level === 'warn' && String(facts['error']).includes("belongs to the job 'counting'"),
    ),
  );
  expect(consumer.status().partitions).toEqual([]);
});
