import { expect, test } from '@jest/globals';
import { useRedis } from '@rs/redis-server/jest';
import { useConsumerProcesses } from '../test-support/consumer-process.ts';
import { until } from '../test-support/until.ts';
import { useMq } from '../test-support/use-mq.ts';

const redis = useRedis();
const bench = useMq(redis);
const startProcess = useConsumerProcesses();

const MEGABYTE = 1024 * 1024;

test('C21: 200 messages of 1 MB are handled in little memory', async () => {
  const topic = await bench.topic(1);
  const producer = bench.mq().producer();
  const value = 'x'.repeat(MEGABYTE);
  for (let sent = 0; sent < 200; sent += 20) {
    await producer.sendBatch(
      topic,
      Array.from({ length: 20 }, () => ({ value })),
    );
  }
  // What was read ahead without a limit would not fit.
  const consumer = startProcess(
    { url: redis().url, topic, group: 'g', name: 'small', lease: 5_000, terse: true },
    ['--max-old-space-size=100'],
  );
  await until(
    'all to be handled',
    () => consumer.count('handled', MEGABYTE) === 200 || consumer.ended,
    40_000,
  );
  expect(consumer.count('handled', MEGABYTE)).toBe(200);
  consumer.order({ do: 'close' });
  await consumer.heard('closed');
  const closed = consumer.told.find((each) => each.type === 'closed');
  expect(closed?.type === 'closed' ? closed.buffers / MEGABYTE : Infinity).toBeLessThan(80);
  expect(await bench.pending(topic, 'g')).toBe(0);
  // C88: once it is closed, nothing keeps the process running.
  expect(await consumer.gone()).toBe(0);
});

test('C21: a text of 8 MB of any script arrives as it was, though it is more than may be in flight', async () => {
  const topic = await bench.topic(1);
  const mq = bench.mq();
  const text = '漢字😀'.repeat((8 * MEGABYTE) / 10);
  const handled: unknown[] = [];
  const consumer = mq.consumer({ group: 'g', lease: 5_000 });
  consumer.subscribe(
    topic,
    ({ value }) => {
      handled.push(value);
    },
    { maxInFlightBytes: MEGABYTE },
  );
  await consumer.start();
  await mq.producer().sendBatch(topic, [{ value: text }, { value: 'after' }]);
  await until('both', () => handled.length === 2);
  expect(handled[0] === text).toBe(true);
  expect(consumer.status().partitions[0]?.inFlight).toBe(0);
});
