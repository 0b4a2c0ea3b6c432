import { expect, test } from '@jest/globals';
import { useRedis } from '@rs/redis-server/jest';
import { rejectionOf } from '../test-support/coded.ts';
import { complaints, numbersOf, until, useJobs } from '../test-support/use-jobs.ts';

const jobs = useJobs(useRedis());

const startOn = (topic: string, keyed: boolean, got: unknown[] = []) =>
  jobs.start((env) => {
    const source = env.fromTopic(numbersOf(topic), 'g');
    const out = keyed ? source.keyByMessageKey({ uid: 'by' }).sum(undefined, { uid: 'sum' }) : source;
    out.addSink((value) => void got.push(value), { uid: 'out' });
  });

test('a topic that gets more partitions while a keyed job reads it: health and log say that nobody reads them, and what to do', async () => {
  const topic = await jobs.topic(2);
  const { client } = await startOn(topic, true);
  expect(client.health().ok).toBe(true);
  await jobs.mq.topics.grow(topic, { partitions: 4 });
  await until('it is noticed', () => !client.health().ok);
  const reason = client.health().reasons[0] ?? '';
  expect(reason).toMatch(
    /has got more partitions, 4 instead of 2, and nobody reads the new ones: .* start it as another job/,
  );
  expect(complaints(jobs.log)).toEqual([reason]);
  await client.stop();

  const error = await rejectionOf(startOn(topic, true), 'RS_MANIFEST_MISMATCH');
  expect(error.message).toMatch(/A topic never gets fewer partitions, so start it as another job/);
  expect(error.message).not.toMatch(/Bring that back/);
});

test('a job that keeps nothing by key reads them once it was started again, as it says', async () => {
  const topic = await jobs.topic(1);
  const { client } = await startOn(topic, false);
  await jobs.mq.topics.grow(topic, { partitions: 3 });
  await until('it is noticed', () => !client.health().ok);
  expect(client.health().reasons[0]).toMatch(/stop all processes of the job, and start them again/);
  await client.stop();
  await jobs.mq.producer().sendBatch(
    topic,
    [1, 2, 3, 4, 5, 6, 7, 8].map((value) => ({ key: String(value), value })),
  );
  const got: unknown[] = [];
  const again = await startOn(topic, false, got);
  await until('all', () => got.length === 8);
  expect(again.client.health()).toEqual({ ok: true, reasons: [] });
});
