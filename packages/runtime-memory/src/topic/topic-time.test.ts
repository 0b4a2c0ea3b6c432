import { describe, expect, test } from '@jest/globals';
import { type DataStream, defineJob, type Message, topic } from '@rs/core';
import { WatermarkStrategy } from '@rs/watermark';
import { TumblingWindow } from '@rs/window';
import { MemoryTopics, type MemoryEnvironmentOptions, StreamExecutionEnvironment } from '../index.ts';
import { MODES, type Mode, run } from '../test-support/run.ts';
import { settle } from '../test-support/settle.ts';

const SECOND = 1_000;
const words = topic<string>('words');

/** A topic with a partition for each list of times, in seconds; every value is `w`. */
function topicsWith(...partitions: readonly (readonly number[])[]): MemoryTopics {
  const topics = new MemoryTopics({ clock: { now: () => 0 } });
  topics.create(words, { partitions: partitions.length });
  partitions.forEach((times, partition) => {
    for (const time of times) topics.send(words, { value: 'w', timestamp: time * SECOND, partition });
  });
  return topics;
}

const seconds = (from: number, to: number, step = 1) =>
  Array.from({ length: (to - from) / step }, (_, n) => from + n * step);

/** Counts per window of 10 s, as `<end of window>: <count>`. */
function windows<T>(stream: DataStream<T>): DataStream<string> {
  return stream
    .keyBy(() => 'all')
    .window(TumblingWindow.of('10s'))
    .aggregate(
      { createAccumulator: () => 0, add: (_value, count: number) => count + 1, getResult: (count) => count },
      (count, { window }) => `${window.end}: ${count}`,
      { uid: 'windows' },
    );
}

async function countedIn(
  mode: Mode,
  topics: MemoryTopics,
  options: MemoryEnvironmentOptions = {},
): Promise<{ results: string[]; late: number }> {
  const results: string[] = [];
  const env = await run(
    mode,
    (inner) =>
      windows(inner.fromTopic(words, 'g', { until: 'now' })).addSink((text) => void results.push(text)),
    { ...options, topics },
  );
  return { results, late: env.metrics().lateRecords };
}

describe('the watermark of a topic', () => {
  test('is the largest message time − the out-of-orderness − 1', async () => {
    const seen: [number, number][] = [];
    await run(
      'eager',
      (env) =>
        env
          .fromTopic(words, 'g', { until: 'now' })
          .keyByMessageKey()
          .process<readonly [number, number]>((_key, _word, ctx, out) =>
            out.collect([ctx.currentEventTime(), ctx.currentWatermark()]),
          )
          .addSink(([time, watermark]) => void seen.push([time, watermark])),
      { topics: keyed([5, 9, 7, 20]), watermarkOutOfOrderness: '3s' },
    );
    expect(seen).toEqual([
      [5_000, 1_999],
      [9_000, 5_999],
      [7_000, 5_999],
      [20_000, 16_999],
    ]);
  });

  test.each([
    [{}, { results: ['10000: 1', '20000: 1'], late: 1 }],
    [{ watermarkOutOfOrderness: '2s' }, { results: ['10000: 2', '20000: 1'], late: 0 }],
  ] as const)('with %j', async (options, expected) => {
    expect(await countedIn('eager', topicsWith([1, 11, 2]), options)).toEqual(expected);
  });

  test.each(['-1s', 'soon', -1])('an out-of-orderness of %p is refused', (watermarkOutOfOrderness) => {
    const options = { watermarkOutOfOrderness } as MemoryEnvironmentOptions;
    expect(() => StreamExecutionEnvironment.getExecutionEnvironment(options)).toThrow(
      expect.objectContaining({ code: 'RS_INVALID_DURATION' }),
    );
  });
});

/** One partition whose messages all have one key. */
function keyed(times: readonly number[]): MemoryTopics {
  const topics = new MemoryTopics({ clock: { now: () => 0 } });
  topics.create(words, { partitions: 1 });
  for (const time of times) topics.send(words, { key: 'k', value: 'w', timestamp: time * SECOND });
  return topics;
}

describe('partitions that are not equally far', () => {
  test.each(MODES)('one that is far ahead makes no record of a slow one late (%s)', async (mode) => {
    // The fast partition is an hour ahead when the slow one has had a second.
    const fast = seconds(0, 3_600, 10);
    const slow = seconds(0, 60);
    const { results, late } = await countedIn(mode, topicsWith(fast, slow));
    expect(late).toBe(0);
    expect(results).toHaveLength(360);
    expect(results.slice(0, 7)).toEqual(
      [10, 20, 30, 40, 50, 60].map((end) => `${end * SECOND}: 11`).concat('70000: 1'),
    );
  });

  test.each(MODES)('one without messages holds nobody back (%s)', async (mode) => {
    const results: string[] = [];
    let whileReading = 0;
    await run(
      mode,
      (env) => {
        const stream = env.fromTopic(words, 'g', { until: 'now' });
        windows(stream).addSink((text) => void results.push(text));
        if (mode === 'async') stream.addSink(() => void (whileReading = results.length));
      },
      { topics: topicsWith(seconds(0, 30), []) },
    );
    expect(results).toEqual(['10000: 10', '20000: 10', '30000: 10']);
    if (mode === 'async') expect(whileReading).toBe(2);
  });

  test('each partition has its own time where nothing is exchanged', async () => {
    const topics = new MemoryTopics({ clock: { now: () => 0 } });
    topics.create(words, { partitions: 2 });
    const [ahead, behind] = ['a', 'b']; // 'a' belongs to partition 1 of 2, 'b' to partition 0.
    for (const time of [0, 100, 200])
      topics.send(words, { key: ahead, value: 'w', timestamp: time * SECOND });
    for (const time of [0, 1, 2]) topics.send(words, { key: behind, value: 'w', timestamp: time * SECOND });
    const watermarks: string[] = [];
    await run(
      'async',
      (env) =>
        env
          .fromTopic(words, 'g', { until: 'now' })
          .keyByMessageKey()
          .process<string>((key, _word, ctx, out) => out.collect(`${key} ${ctx.currentWatermark()}`))
          .addSink((text) => void watermarks.push(text)),
      { topics },
    );
    expect(watermarks.sort()).toEqual(['a -1', 'a 199999', 'a 99999', 'b -1', 'b 1999', 'b 999']);
  });

  test('windows close while the job waits for more', async () => {
    const topics = topicsWith([], []);
    const results: string[] = [];
    const stop = new AbortController();
    const env = StreamExecutionEnvironment.getExecutionEnvironment({ topics });
    const job = defineJob((inner) =>
      windows(inner.fromTopic(words, 'g')).addSink((text) => void results.push(text)),
    );
    const done = env.executeAsync(job, { signal: stop.signal });
    const send = async (partition: number, time: number) => {
      topics.send(words, { value: 'w', partition, timestamp: time * SECOND });
      await settle();
    };
    await send(0, 1);
    await send(1, 2);
    await send(0, 25);
    expect(results).toEqual([]); // The other partition may still bring 2 s.
    await send(1, 12);
    expect(results).toEqual(['10000: 2']);
    await send(1, 31);
    expect(results).toEqual(['10000: 2', '20000: 1']);
    stop.abort();
    await done;
  });
});

describe('a strategy', () => {
  test.each(MODES)('takes the place of the topic’s own time (%s)', async (mode) => {
    const topics = new MemoryTopics({ clock: { now: () => 0 } });
    topics.create('events', { partitions: 1 });
    // Message times would make the second event late.
    for (const [sent, at] of [
      [100, 1],
      [200, 2],
      [300, 11],
    ] as const)
      topics.send('events', { value: { at: at * SECOND }, timestamp: sent * SECOND });
    const results: string[] = [];
    const timeOf = ({ value }: Message<unknown>) => (value as { at: number }).at;
    const env = await run(
      mode,
      (inner) =>
        windows(
          inner
            .fromMqTopic('events', 'g', { until: 'now' })
            .assignTimestampsAndWatermarks(
              WatermarkStrategy.forBoundedOutOfOrderness<Message<unknown>>(0).withTimestampAssigner(timeOf),
            ),
        ).addSink((text) => void results.push(text)),
      { topics },
    );
    expect(results).toEqual(['10000: 2', '20000: 1']);
    expect(env.metrics().lateRecords).toBe(0);
  });

  test.each(MODES)('has a generator of its own for each partition (%s)', async (mode) => {
    const results: string[] = [];
    const env = await run(
      mode,
      (inner) =>
        windows(
          inner
            .fromTopic(words, 'g', { until: 'now' })
            .assignTimestampsAndWatermarks(WatermarkStrategy.forMonotonousTimestamps()),
        ).addSink((text) => void results.push(text)),
      { topics: topicsWith(seconds(0, 600, 10), seconds(0, 20)) },
    );
    expect(results.slice(0, 3)).toEqual(['10000: 11', '20000: 11', '30000: 1']);
    expect(env.metrics().lateRecords).toBe(0);
  });
});
