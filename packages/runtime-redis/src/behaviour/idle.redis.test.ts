import { describe, expect, test } from '@jest/globals';
import type { StreamEnvironment } from '@rs/core';
import { useRedis } from '@rs/redis-server/jest';
import { WatermarkStrategy } from '@rs/watermark';
import { TumblingWindow } from '@rs/window';
import type { RedisRuntimeConfig } from '../options/config.ts';
import { redisStream } from '../sink/slot/redis-stream.ts';
import { contents, type Event, events, eventsOf } from '../test-support/events.ts';
import { until, useJobs } from '../test-support/use-jobs.ts';

const jobs = useJobs(useRedis());

function windows(topic: string, onRecord: (value: Event) => void = () => undefined) {
  return (env: StreamEnvironment): void => {
    eventsOf(env, topic)
      .map((value) => {
        onRecord(value);
        return value;
      })
      .keyBy(({ key }) => key, { uid: 'by-key' })
      .window(TumblingWindow.of(1_000))
      .apply(contents, { uid: 'windows' })
      .addSink(redisStream('results'), { uid: 'results' });
  };
}

/** When the results were committed, on the server's clock. */
async function committedAt(topic: string): Promise<number[]> {
  const entries = await jobs.redis.xrange(
    `${jobs.prefix}:{${topic}#0}:p0:k:${jobs.jobName}:results`,
    '-',
    '+',
  );
  return entries.map(([id]) => Number(id.split('-')[0]));
}

async function pass(ms: number): Promise<void> {
  const end = (await jobs.now()) + ms;
  await until(`${ms} ms to pass`, async () => (await jobs.now()) > end);
}

const quietAfter = (ms: number, mode?: RedisRuntimeConfig['watermarkIdleMode']): RedisRuntimeConfig => ({
  watermarkIdleTimeout: ms,
  ...(mode === undefined ? {} : { watermarkIdleMode: mode }),
});

describe('a topic that becomes quiet (C38)', () => {
  test('without a timeout waits for the next record, and loses nothing', async () => {
    const topic = await jobs.topic();
    const { client } = await jobs.start(windows(topic));
    await jobs.send(topic, events('k@100 k@200'));
    await until('both', () => client.diagnostics().tasks[0]?.watermark === 199);
    await pass(300);
    expect(await jobs.results(topic)).toEqual([]);
    await jobs.send(topic, events('k@2500'));
    await until('the window', async () => (await jobs.results(topic)).length === 1);
    expect(await jobs.results(topic)).toEqual(['k [0,1000): 1 1']);
  });

  test('advance: its watermark follows the clock, from where the records left it', async () => {
    const topic = await jobs.topic();
    const { client } = await jobs.start(windows(topic), quietAfter(200));
    await until('it to wait', () => client.diagnostics().tasks[0]?.state === 'running');
    const before = await jobs.now();
    await jobs.send(topic, events('k@100 k@200'));
    await until('the window', async () => (await jobs.results(topic)).length === 1);
    // From 199 to 999.
    const [at = 0] = await committedAt(topic);
    expect(at - before).toBeGreaterThanOrEqual(750);
    await jobs.send(topic, events('k@900 k@5000'));
    await until('the late one', () => client.diagnostics().tasks[0]?.lateRecords['windows'] === 1);
    expect(await jobs.results(topic)).toEqual(['k [0,1000): 1 1']);
  });

  test('flush: it jumps to the end of time, and the next record begins anew', async () => {
    const topic = await jobs.topic();
    await jobs.start(windows(topic), quietAfter(200, 'flush'));
    await jobs.send(topic, events('k:1@100 k:2@50000'));
    await until('both windows', async () => (await jobs.results(topic)).length === 2);
    await jobs.send(topic, events('k:3@100 k:4@200'));
    await until('the window again', async () => (await jobs.results(topic)).length === 3);
    expect(await jobs.results(topic)).toEqual(['k [0,1000): 1', 'k [50000,51000): 2', 'k [0,1000): 3 4']);
  });

  test('flush, and a restart: the end of time stays, and what comes then begins anew', async () => {
    const topic = await jobs.topic();
    const first = await jobs.start(windows(topic), quietAfter(200, 'flush'));
    await jobs.send(topic, events('k:1@100'));
    await until('the window', async () => (await jobs.results(topic)).length === 1);
    await first.client.stop();
    const { client } = await jobs.start(windows(topic));
    await until('it', () => client.diagnostics().tasks[0]?.watermark === Infinity);
    await client.stop();
    await jobs.start(windows(topic), quietAfter(200, 'flush'));
    await jobs.send(topic, events('k:2@100'));
    await until('the next', async () => (await jobs.results(topic)).length === 2);
    expect(await jobs.results(topic)).toEqual(['k [0,1000): 1', 'k [0,1000): 2']);
  });

  test('hold: it stays where it is, and others that it is merged with need not wait for it', async () => {
    const topic = await jobs.topic();
    const { client } = await jobs.start((env) => {
      const timed = (key: string, mode: 'hold') =>
        eventsStream
          .filter((value) => value.key === key)
          .assignTimestampsAndWatermarks(
            WatermarkStrategy.forMonotonousTimestamps<Event>()
              .withIdleness(300, { mode })
              .withTimestampAssigner(({ at }) => at),
            { uid: `time-${key}` },
          );
      const eventsStream = eventsOf(env, topic);
      timed('a', 'hold')
        .union([timed('b', 'hold')], { uid: 'both' })
        .keyBy(({ key }) => key, { uid: 'by-key' })
        .window(TumblingWindow.of(1_000))
        .apply(contents, { uid: 'windows' })
        .addSink(redisStream('results'), { uid: 'results' });
    });
    const time = (id: string): number | undefined => client.diagnostics().tasks[0]?.watermarks[id];
    await jobs.send(topic, events('a:1@100 b:1@100 a:2@5000'));
    // b is at 99; when it is idle and a is not, a alone counts.
    let at = 5_000;
    await until('the windows', async () => {
      await jobs.send(topic, events(`a:2@${at++}`));
      return (await jobs.results(topic)).length === 2;
    });
    expect((await jobs.results(topic)).sort()).toEqual(['a [0,1000): 1', 'b [0,1000): 1']);
    expect(time('time-b')).toBe(99);
    // What then comes of b is late: the others have not waited.
    await jobs.send(topic, events('b:2@200 b:3@9000 a:3@9000'));
    await until('a window that both have passed', async () => (await jobs.results(topic)).length === 3);
    expect((await jobs.results(topic))[2]).toMatch(/^a \[5000,6000\): 2( 2)*$/);
    expect(client.diagnostics().tasks[0]?.lateRecords).toEqual({ windows: 1 });
  });
});

describe('only waiting counts as quiet time', () => {
  test('not a pause', async () => {
    const topic = await jobs.topic();
    const timeout = 800;
    const { client } = await jobs.start(windows(topic), quietAfter(timeout, 'flush'));
    const sentAt = await jobs.now();
    await jobs.send(topic, events('k@100'));
    await until('it', () => client.diagnostics().tasks[0]?.watermark === 99);
    client.pause();
    const pausedAt = await jobs.now();
    await pass(2 * timeout);
    expect(await jobs.results(topic)).toEqual([]);
    const resumedAt = await jobs.now();
    client.resume();
    await until('the window', async () => (await jobs.results(topic)).length === 1);
    const [at = 0] = await committedAt(topic);
    expect(at - resumedAt).toBeGreaterThanOrEqual(timeout - (pausedAt - sentAt) - 50);
  });

  test('not what was before another process took over', async () => {
    const topic = await jobs.topic();
    const timeout = 600;
    const first = await jobs.start(windows(topic), quietAfter(timeout, 'flush'));
    await jobs.send(topic, events('k@100'));
    await until('it', () => first.client.diagnostics().tasks[0]?.watermark === 99);
    await first.client.stop();
    await pass(timeout);
    const startedAt = await jobs.now();
    await jobs.start(windows(topic), quietAfter(timeout, 'flush'));
    await until('the window', async () => (await jobs.results(topic)).length === 1);
    const [at = 0] = await committedAt(topic);
    expect(at - startedAt).toBeGreaterThanOrEqual(timeout - 50);
  });

  test('not the rests between attempts at a record', async () => {
    const topic = await jobs.topic();
    let attempts = 0;
    await jobs.start(
      windows(topic, ({ amount }) => {
        if (amount === 2 && ++attempts < 4) throw new RangeError('not yet');
      }),
      {
        ...quietAfter(150, 'flush'),
        retry: { attempts: 5, initialBackoff: 200, maxBackoff: 400 },
        batch: { records: 1 },
        random: () => 0.99,
      },
    );
    await jobs.send(topic, events('k:1@100 k:2@200'));
    await until('the window', async () => (await jobs.results(topic)).length >= 1);
    expect(await jobs.results(topic)).toEqual(['k [0,1000): 1 2']);
    expect(attempts).toBe(4);
  });
});
