import { expect, test } from '@jest/globals';
import { type StreamEnvironment, outputTag, topic as topicOf } from '@rs/core';
import { useRedis } from '@rs/redis-server/jest';
import { TumblingWindow } from '@rs/window';
import { redisStream } from '../sink/slot/redis-stream.ts';
import { contents, type Event, event, events, eventsOf } from '../test-support/events.ts';
import { until, useJobs } from '../test-support/use-jobs.ts';

const jobs = useJobs(useRedis());
const ODD = outputTag<Event>('odd');

/** One source, read by several chains, some of which meet again. */
function branching(topic: string) {
  return (env: StreamEnvironment): void => {
    const source = eventsOf(env, topic);
    const sums = source
      .keyBy(({ key }) => key, { uid: 'by-key' })
      .reduce((a, b) => ({ ...b, amount: a.amount + b.amount }), { uid: 'sums' });
    const split = source
      .keyBy(({ key }) => key, { uid: 'by-key-again' })
      .process<Event>(
        (_key, value, ctx, out) => {
          if (value.amount % 2 === 1) ctx.output(ODD, value);
          else out.collect(value);
        },
        { uid: 'split' },
      );
    sums.map(({ key, amount }) => `${key} ${amount}`).addSink(redisStream('sums'), { uid: 'sums.out' });
    split
      .union([split.getSideOutput(ODD), sums], { uid: 'all' })
      .keyBy(({ key }) => key, { uid: 'by-key-at-last' })
      .window(TumblingWindow.of(10))
      .apply(contents, { uid: 'windows' })
      .addSink(redisStream('results'), { uid: 'results' });
    source.map(({ at }) => String(at)).addSink(redisStream('times'), { uid: 'times' });
    source.filter(({ at }) => at < 0).addSink(redisStream('nothing'), { uid: 'nothing' });
  };
}

test.each(['stop', 'kill'] as const)(
  'all chains off one source get all of its records, once, also over a %s, and time is the same where they meet',
  async (end) => {
    const topic = await jobs.topic();
    const first = await jobs.start(branching(topic), { lease: 500 });
    await jobs.send(topic, events('a:1@1 b:2@2 a:4@3'));
    await until('three', async () => (await jobs.results(topic, { sink: 'times' })).length === 3);
    if (end === 'stop') await first.client.stop();
    else await first.kill();
    await jobs.send(topic, events('a:3@4 a:0@25 z:0@50'));
    await jobs.start(branching(topic), { lease: 500 });
    await until('all windows', async () => (await jobs.results(topic)).length === 3);
    expect(await jobs.results(topic, { sink: 'times' })).toEqual(['1', '2', '3', '4', '25', '50']);
    expect(await jobs.results(topic, { sink: 'sums' })).toEqual(['a 1', 'b 2', 'a 5', 'a 8', 'a 8', 'z 0']);
    expect(await jobs.results(topic, { sink: 'nothing' })).toEqual([]);
    const windows = (await jobs.results(topic)).map((text) => text.replace(/: .*/, ''));
    expect(windows).toEqual(['a [0,10)', 'b [0,10)', 'a [20,30)']);
    // Each record comes as itself and as the sum that it made.
    const amounts = (await jobs.results(topic)).map((text) =>
      text
        .replace(/.*: /, '')
        .split(' ')
        .map(Number)
        .sort((x, y) => x - y),
    );
    expect(amounts).toEqual([
      [1, 1, 3, 4, 5, 8],
      [2, 2],
      [0, 8],
    ]);
  },
);

test('two jobs, and two subscriptions of one job, read a topic each for itself', async () => {
  const topic = await jobs.topic(2);
  const all = Array.from({ length: 30 }, (_unused, n) => event(`k${n}`, n, n));
  const define = (env: StreamEnvironment): void => {
    for (const group of ['one', 'two']) {
      env
        .fromTopic(topicOf<Event>(topic), group)
        .map(({ amount }) => String(amount))
        .addSink(redisStream(group), { uid: group });
    }
  };
  await jobs.start(define, { jobName: 'first' });
  const other = (env: StreamEnvironment): void => {
    eventsOf(env, topic)
      .map(({ amount }) => String(amount))
      .addSink(redisStream('results'), { uid: 'results' });
  };
  await jobs.start(other, { jobName: 'second' });
  await jobs.send(topic, all);
  const expected = all.map((_message, n) => String(n)).sort();
  for (const [job, sink] of [
    ['first', 'one'],
    ['first', 'two'],
    ['second', 'results'],
  ] as const) {
    await until(`${job}: ${sink}`, async () => (await jobs.results(topic, { job, sink })).length === 30);
    expect((await jobs.results(topic, { job, sink })).sort()).toEqual(expected);
  }
});
