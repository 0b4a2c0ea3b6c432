import { expect, test } from '@jest/globals';
import { type StreamEnvironment, valueState } from '@rs/core';
import { useRedis } from '@rs/redis-server/jest';
import { until, useJobs } from '../test-support/use-jobs.ts';

const jobs = useJobs(useRedis());
const COUNT = valueState('count', { default: () => 0 });
const PARTITIONS = 6;
const KEYS = Array.from({ length: 20 }, (_, at) => `key${at}`);

/** Counts the messages of each key. */
function counting(topic: string) {
  return (env: StreamEnvironment): void => {
    const keyed = env.fromMqTopicWithId('messages', topic, 'g').keyByMessageKey({ uid: 'by-key' });
    const count = keyed.getState(COUNT);
    keyed
      .process<number>(
        {
          processElement(_key, _message, _context, out) {
            count.update(count.value() + 1);
            out.collect(count.value());
          },
        },
        { uid: 'count' },
      )
      .addSink(() => undefined, { uid: 'sink' });
  };
}

test('processes come and go while messages do: each counts once, and nobody waits for long', async () => {
  const topic = await jobs.topic(PARTITIONS);
  let sent = 0;
  const send = async (): Promise<void> => {
    await jobs.send(
      topic,
      Array.from({ length: 200 }, (_, at) => ({
        key: KEYS[(sent + at) % KEYS.length] ?? '',
        value: sent + at,
      })),
    );
    sent += 200;
  };
  await send();
  const one = await jobs.start(counting(topic));
  const two = await jobs.start(counting(topic));
  await send();
  await one.client.ready();
  await until('both have their share', () =>
    [one, two].every(
      ({ client }) => client.diagnostics().tasks.filter(({ state }) => state === 'running').length === 3,
    ),
  );
  await send();
  // A new version of the program comes beside the old ones, which go one by one.
  const three = await jobs.start(counting(topic));
  await one.client.stop();
  await send();
  await two.kill();
  await send();
  await three.client.ready();

  const counted = async (): Promise<number> => {
    const counts = await Promise.all(KEYS.map((key) => three.client.queryState('by-key', COUNT, key)));
    return counts.reduce<number>((sum, count) => sum + (count ?? 0), 0);
  };
  await until('all have been counted', async () => (await counted()) >= sent, 20_000);
  expect(await counted()).toBe(sent);
  expect(three.client.diagnostics().pipelines[0]?.owned).toHaveLength(PARTITIONS);
});

test('a job that is paused goes on from where it was', async () => {
  const topic = await jobs.topic();
  const { client } = await jobs.start(counting(topic));
  await client.ready();
  client.pause();
  await until('it is paused', () => client.diagnostics().tasks[0]?.state === 'paused');
  await jobs.send(topic, [{ key: 'a', value: 1 }]);
  expect(await client.queryState('by-key', COUNT, 'a')).toBeUndefined();
  client.resume();
  await until('it is counted', async () => (await client.queryState('by-key', COUNT, 'a')) === 1);
});

test('a state that nobody declares under that uid, and a key that is none', async () => {
  const topic = await jobs.topic();
  const { client } = await jobs.start(counting(topic));
  await expect(client.queryState('nobody', COUNT, 'a')).rejects.toThrow("has no operator 'nobody'");
  await expect(client.queryState('by-key', COUNT, Symbol('s'))).rejects.toMatchObject({
    code: 'RS_INVALID_KEY',
  });
  expect(await client.queryState('by-key', COUNT, 'never seen')).toBeUndefined();
});
