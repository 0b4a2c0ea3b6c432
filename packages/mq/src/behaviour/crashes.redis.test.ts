import { expect, test } from '@jest/globals';
import { useRedis } from '@rs/redis-server/jest';
import { useConsumerProcesses } from '../test-support/consumer-process.ts';
import type { ProgramOptions } from '../test-support/consumer-program.ts';
import { until } from '../test-support/until.ts';
import { useMq } from '../test-support/use-mq.ts';

const redis = useRedis();
const bench = useMq(redis);
const startProcess = useConsumerProcesses();

const LEASE = 600;

const process = (topic: string, more: Partial<ProgramOptions> = {}) =>
  startProcess({ url: redis().url, topic, group: 'g', name: 'worker', lease: LEASE, ...more });

const send = (topic: string, ...values: unknown[]) =>
  bench
    .mq()
    .producer()
    .sendBatch(
      topic,
      values.map((value) => ({ value })),
    );

const settled = (topic: string) =>
  until('nothing to be pending', async () => (await bench.pending(topic, 'g')) === 0);

test('MQ-24: a message that kills its process is dead after maxAttempts; its neighbours are not charged', async () => {
  const topic = await bench.topic(1);
  await send(topic, 'a', 'poison', 'b');
  const subscription = { ordering: 'none', concurrency: 3, retry: { maxAttempts: 2 } } as const;
  // Two crashes at one position show that something is wrong, two more that it is this message; the first one may be at another position.
  const workers = Array.from({ length: 6 }, () => process(topic, { dieOn: 'poison', subscription }));
  await until('a dead letter', async () => (await bench.dead(topic)).length === 1, 30_000);
  await settled(topic);
  const survivors = workers.filter(({ ended }) => !ended);
  await send(topic, 'c');
  // One or two are left, and one of them has the partition.
  await until('a survivor to handle what comes after', () =>
    survivors.some((survivor) => survivor.count('handled', 'c') > 0),
  );
  const [letter, ...others] = await bench.dead(topic);
  expect(others).toEqual([]);
  expect(letter).toMatchObject({ r: 'crashed', n: '2', d: '"poison"', g: 'g' });
  const told = workers.flatMap((worker) => worker.told);
  const attempts = (value: string) =>
    told.flatMap((each) => (each.type === 'handling' && each.value === value ? [each.attempt] : []));
  expect(attempts('poison').sort().slice(-4)).toEqual([1, 1, 1, 2]);
  expect(attempts('poison').length).toBeLessThanOrEqual(5);
  expect(new Set([...attempts('a'), ...attempts('b')])).toEqual(new Set([1]));
  expect(survivors.map((survivor) => survivor.count('handling', 'poison'))).toEqual(survivors.map(() => 0));
  const { retries, attempts: counts } = bench.keys(topic).group('g');
  expect(await bench.redis.exists(retries, counts)).toBe(0);
});

test('C17: what a handler that was killed had begun is delivered again, and settled once its promise is', async () => {
  const topic = await bench.topic(1);
  const first = process(topic, { hold: ['m1'] });
  await first.heard('started');
  await send(topic, 'm1', 'm2');
  await first.heard('handling', 'm1');
  expect(await bench.pending(topic, 'g')).toBe(2);
  first.signal('SIGKILL');
  const second = process(topic, { hold: ['m1'] });
  await second.heard('handling', 'm1');
  expect([first.count('handling', 'm2'), second.count('handling', 'm2')]).toEqual([0, 0]);
  second.order({ do: 'release' });
  await second.heard('handled', 'm2');
  await settled(topic);
  // A crash that is not known to be this message's fault costs it no attempt.
  expect(second.told.filter(({ type }) => type === 'handling')).toEqual([
    { type: 'handling', value: 'm1', attempt: 1 },
    { type: 'handling', value: 'm2', attempt: 1 },
  ]);
});

test('MQ-13: acknowledged by hand, a message is pending until then, and comes again after a crash before', async () => {
  const topic = await bench.topic(1);
  const first = process(topic, { manual: true });
  await first.heard('started');
  await send(topic, 1, 2);
  // Its handler has returned: the second one runs.
  await first.heard('handling', 2);
  expect(await bench.pending(topic, 'g')).toBe(2);
  first.signal('SIGKILL');
  const second = process(topic, { manual: true });
  await second.heard('handling', 2);
  expect(await bench.pending(topic, 'g')).toBe(2);
  second.order({ do: 'release' });
  await settled(topic);
  expect(await bench.dead(topic)).toEqual([]);
});

test('attempts that failed are counted over crashes', async () => {
  const topic = await bench.topic(1);
  const subscription = {
    ordering: 'none',
    concurrency: 2,
    retry: { initialBackoff: 1, maxAttempts: 3 },
  } as const;
  const first = process(topic, {
    answers: true,
    hold: ['SUCCESS'],
    subscription: { ...subscription, retry: { initialBackoff: 60_000, jitter: 'none' } },
  });
  await first.heard('started');
  await send(topic, 'RETRY', 'SUCCESS');
  const { attempts } = bench.keys(topic).group('g');
  await until('the failure to be stored', async () => (await bench.redis.hlen(attempts)) === 1);
  first.signal('SIGKILL');
  const { retries } = bench.keys(topic).group('g');
  const [id] = await bench.redis.zrange(retries, 0, -1);
  await bench.redis.zadd(retries, 1, String(id));
  const second = process(topic, { answers: true, subscription });
  await until('the dead letter', async () => (await bench.dead(topic)).length === 1, 20_000);
  await settled(topic);
  const seen = second.told.flatMap((each) =>
    each.type === 'handling' ? [`${String(each.value)}/${each.attempt}`] : [],
  );
  expect(seen.sort()).toEqual(['RETRY/2', 'RETRY/3', 'SUCCESS/1']);
});
