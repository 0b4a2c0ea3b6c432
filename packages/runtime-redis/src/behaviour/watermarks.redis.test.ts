import { describe, expect, test } from '@jest/globals';
import type { DataStream, StreamEnvironment, WatermarkGenerator } from '@rs/core';
import { useRedis } from '@rs/redis-server/jest';
import { WatermarkStrategy } from '@rs/watermark';
import { TumblingWindow } from '@rs/window';
import { redisStream } from '../sink/slot/redis-stream.ts';
import { contents, type Event, event, events, eventsOf } from '../test-support/events.ts';
import { type JobProcess, until, useJobs } from '../test-support/use-jobs.ts';

const jobs = useJobs(useRedis());

/** Windows of a size over the events of a topic, with whatever watermarks `timed` gives them. */
function windows(
  topic: string,
  {
    size = 10,
    timed = (stream) => stream,
  }: { size?: number; timed?: (stream: DataStream<Event>) => DataStream<Event> } = {},
) {
  return (env: StreamEnvironment): void => {
    timed(eventsOf(env, topic))
      .keyBy(({ key }) => key, { uid: 'by-key', colocated: true })
      .window(TumblingWindow.of(size))
      .apply(contents, { uid: 'windows' })
      .addSink(redisStream('results'), { uid: 'results' });
  };
}

/** What functions see of the watermark, record by record. */
function watermarksSeen(topic: string, timed: (stream: DataStream<Event>) => DataStream<Event>) {
  return (env: StreamEnvironment): void => {
    timed(eventsOf(env, topic))
      .keyBy(({ key }) => key, { uid: 'by-key' })
      .process<string>((_key, { at }, ctx, out) => out.collect(`${at}: ${ctx.currentWatermark()}`), {
        uid: 'seen',
      })
      .addSink(redisStream('results'), { uid: 'results' });
  };
}

/** The time of what a process has seen, by partition. */
const watermarks = ({ client }: JobProcess): Record<number, number> =>
  Object.fromEntries(client.diagnostics().tasks.map(({ partition, watermark }) => [partition, watermark]));

const lateRecords = ({ client }: JobProcess): Record<string, number> =>
  client.diagnostics().tasks.reduce<Record<string, number>>((sum, { lateRecords: late }) => {
    for (const [id, count] of Object.entries(late)) sum[id] = (sum[id] ?? 0) + count;
    return sum;
  }, {});

describe('the watermark of a topic', () => {
  test('is behind the newest message of its partition by the out-of-orderness and one, whatever others do', async () => {
    const topic = await jobs.topic(2);
    const started = await jobs.start(windows(topic), { watermarkOutOfOrderness: 5 });
    // 'a' and 'd' are in different partitions, which are far apart.
    await jobs.send(topic, events('a@1 a@1000 d@2 d@9 d@3 d@16'));
    await until('both windows', async () => (await jobs.results(topic)).length === 2);
    expect((await jobs.results(topic)).sort()).toEqual(['a [0,10): 1', 'd [0,10): 1 1 1']);
    await until('the watermarks', () => Object.values(watermarks(started)).includes(994));
    expect(Object.values(watermarks(started)).sort((a, b) => a - b)).toEqual([10, 994]);
    expect(lateRecords(started)).toEqual({});
  });

  test.each(['stop', 'kill'] as const)(
    'is there again after a %s: what has fired does not fire again, and late records are late, and counted on',
    async (end) => {
      const topic = await jobs.topic();
      const first = await jobs.start(windows(topic), { lease: 500 });
      await jobs.send(topic, events('a:1@1 a:2@15 a:3@4'));
      await until('the first window', async () => (await jobs.results(topic)).length === 1);
      await until('the late record', () => lateRecords(first)['windows'] === 1);
      if (end === 'stop') await first.client.stop();
      else await first.kill();
      const second = await jobs.start(windows(topic), { lease: 500 });
      await until('the second to have it', () => watermarks(second)[0] === 14);
      expect(lateRecords(second)).toEqual({ windows: 1 });
      await jobs.send(topic, events('a:4@9 a:5@10 a:6@25'));
      await until('the second window', async () => (await jobs.results(topic)).length >= 2);
      expect(await jobs.results(topic)).toEqual(['a [0,10): 1', 'a [10,20): 2 5']);
      await until('both late records', () => lateRecords(second)['windows'] === 2);
    },
  );

  test('its equal is not late (C33)', async () => {
    const topic = await jobs.topic();
    const started = await jobs.start(windows(topic, { size: 1_000 }));
    await jobs.send(topic, events('k@999 k@999 k@2500'));
    await until('the window', async () => (await jobs.results(topic)).length === 1);
    expect(await jobs.results(topic)).toEqual(['k [0,1000): 1 1']);
    expect(lateRecords(started)).toEqual({});
  });
});

describe('watermarks of the job’s own', () => {
  const sent = (at: number) => ({
    key: 'k',
    value: { key: 'k', amount: 1, at },
    timestamp: 1_700_000_000_000,
  });
  const assigned = (stream: DataStream<Event>) =>
    stream.assignTimestampsAndWatermarks(
      WatermarkStrategy.forBoundedOutOfOrderness<Event>(0).withTimestampAssigner(({ at }) => at),
      { uid: 'time' },
    );

  test('mute those of the topic (C43)', async () => {
    const topic = await jobs.topic();
    const started = await jobs.start(windows(topic, { size: 1_000, timed: assigned }));
    await jobs.send(topic, [1_000, 1_500, 2_500].map(sent));
    await until('the window', async () => (await jobs.results(topic)).length === 1);
    expect(await jobs.results(topic)).toEqual(['k [1000,2000): 1 1']);
    expect(lateRecords(started)).toEqual({});
    expect(watermarks(started)[0]).toBe(2_499);
  });

  test('are there again after a restart, though generators begin anew', async () => {
    const topic = await jobs.topic();
    const first = await jobs.start(windows(topic, { size: 1_000, timed: assigned }));
    await jobs.send(topic, [1_000, 2_500].map(sent));
    await until('the window', async () => (await jobs.results(topic)).length === 1);
    await first.client.stop();
    const second = await jobs.start(windows(topic, { size: 1_000, timed: assigned }));
    await jobs.send(topic, [1_200, 2_600, 3_000].map(sent));
    await until('the next window', async () => (await jobs.results(topic)).length === 2);
    expect(await jobs.results(topic)).toEqual(['k [1000,2000): 1', 'k [2000,3000): 1 1']);
    expect(lateRecords(second)).toEqual({ windows: 1 });
  });

  test('never fall, also not over a restart (C43)', async () => {
    const topic = await jobs.topic();
    const emitting = (stream: DataStream<Event>) =>
      stream.assignTimestampsAndWatermarks(
        (): WatermarkGenerator<Event> => ({
          onEvent: (value, _timestamp, output) => output.emitWatermark(value.amount),
          onPeriodicEmit: () => undefined,
        }),
        { uid: 'time' },
      );
    const first = await jobs.start(watermarksSeen(topic, emitting));
    await jobs.send(topic, events('k:100@1 k:50@2 k:100@3'));
    await until('three', async () => (await jobs.results(topic)).length === 3);
    await first.client.stop();
    await jobs.start(watermarksSeen(topic, emitting));
    await jobs.send(topic, events('k:60@4 k:200@5 k:1@6'));
    await until('six', async () => (await jobs.results(topic)).length === 6);
    // A record's own watermark comes before it.
    expect(await jobs.results(topic)).toEqual(['1: 100', '2: 100', '3: 100', '4: 100', '5: 200', '6: 200']);
  });

  test('that never come make nothing fire and nothing late (C43)', async () => {
    const topic = await jobs.topic();
    const none = (stream: DataStream<Event>) =>
      stream.assignTimestampsAndWatermarks(WatermarkStrategy.noWatermarks<Event>(), { uid: 'time' });
    const started = await jobs.start(watermarksSeen(topic, none));
    await jobs.send(topic, events('k@5 k@100 k@1 k@50000 k@2'));
    await until('all', async () => (await jobs.results(topic)).length === 5);
    expect(await jobs.results(topic)).toEqual([5, 100, 1, 50_000, 2].map((at) => `${at}: -Infinity`));
    expect(lateRecords(started)).toEqual({});
  });

  test('timestamps that are no number are the fault of their records alone (C42)', async () => {
    const topic = await jobs.topic();
    const times: readonly unknown[] = [1_000, NaN, undefined, '1500', Infinity, 1.5, 2_500];
    const odd = (stream: DataStream<Event>) =>
      stream.assignTimestampsAndWatermarks(
        WatermarkStrategy.forBoundedOutOfOrderness<Event>(0).withTimestampAssigner(
          ({ at }) => times[at] as number,
        ),
        { uid: 'time' },
      );
    const started = await jobs.start(windows(topic, { size: 1_000, timed: odd }));
    await jobs.send(topic, [...times.keys()].map(sent));
    await until('the window', async () => (await jobs.results(topic)).length === 1);
    expect(await jobs.results(topic)).toEqual(['k [1000,2000): 1']);
    expect(watermarks(started)[0]).toBe(2_499);
    expect(lateRecords(started)).toEqual({});
    const letters = await jobs.deadLetters(topic);
    const bad = await Promise.all(letters.map(async (letter) => (await letter.decode()).value));
    expect(bad).toMatchObject([1, 2, 3, 4, 5].map((at) => ({ at })));
  });
});

describe('a message from the future (C39)', () => {
  const minute = 60_000;
  const later = Array.from({ length: 10 }, (_unused, n) => (n + 3) * minute);

  test('makes everything after it late, and says so, unless there is a limit', async () => {
    const topic = await jobs.topic();
    const started = await jobs.start(windows(topic, { size: minute }));
    await jobs.send(
      topic,
      [0, 2 * minute, 1_440 * minute, ...later].map((at) => event('k', at)),
    );
    await until('ten late ones', () => lateRecords(started)['windows'] === 10);
    await jobs.send(topic, [event('k', 1_442 * minute)]);
    await until('its own window', async () => (await jobs.results(topic)).length === 3);
    expect(await jobs.results(topic)).toEqual([
      'k [0,60000): 1',
      'k [120000,180000): 1',
      'k [86400000,86460000): 1',
    ]);
  });

  test('does not move the watermark beyond maxFutureSkew, counted on the server’s clock (H18)', async () => {
    const topic = await jobs.topic();
    const start = Math.floor((await jobs.now()) / minute) * minute - 60 * minute;
    const started = await jobs.start(windows(topic, { size: minute }), {
      maxFutureSkew: '5m',
      clock: { now: () => 0 },
    });
    const times = [0, 2 * minute, 1_440 * minute, ...later, 14 * minute];
    await jobs.send(
      topic,
      times.map((at) => event('k', start + at)),
    );
    await until('all but the last ones', async () => (await jobs.results(topic)).length === 12);
    expect(lateRecords(started)).toEqual({});
    expect(await jobs.results(topic)).toEqual(
      [0, 2 * minute, ...later].map((at) => `k [${start + at},${start + at + minute}): 1`),
    );
    expect(watermarks(started)[0]).toBe(start + 14 * minute - 1);
  });
});
