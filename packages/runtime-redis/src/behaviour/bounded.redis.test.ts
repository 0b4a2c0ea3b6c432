import { describe, expect, test } from '@jest/globals';
import { type StreamEnvironment, type SubscriptionOptions, topic as topicOf } from '@rs/core';
import { useRedis } from '@rs/redis-server/jest';
import { SessionWindow, TumblingWindow } from '@rs/window';
import { redisStream } from '../sink/slot/redis-stream.ts';
import { Door } from '../test-support/door.ts';
import { contents, type Event, event, events, eventsOf } from '../test-support/events.ts';
import { until, useJobs } from '../test-support/use-jobs.ts';

const jobs = useJobs(useRedis());

/** Windows over the events of a topic up to an end. */
function bounded(
  topic: string,
  options: SubscriptionOptions = { until: 'now' },
  before: () => unknown = () => undefined,
) {
  return (env: StreamEnvironment): void => {
    env
      .fromTopic(topicOf<Event>(topic), 'g', options)
      .map(async (value) => {
        await before();
        return value;
      })
      .keyBy(({ key }) => key, { uid: 'by-key', colocated: true })
      .window(TumblingWindow.of(10))
      .apply(contents, { uid: 'windows' })
      .addSink(redisStream('results'), { uid: 'results' });
  };
}

/** Ids of what is in the partitions of a topic. */
async function ids(topic: string, partition = 0): Promise<string[]> {
  const [key = ''] = await jobs.redis.keys(`${jobs.prefix}:{${topic}#*}:p${partition}`);
  return (await jobs.redis.xrange(key, '-', '+')).map(([id]) => id);
}

/** How many timers there are for the windows of a topic, in all partitions. */
async function leftovers(topic: string): Promise<string[]> {
  const keys = await jobs.redis.keys(`${jobs.prefix}:{${topic}#*}:p*:t:${jobs.jobName}:*`);
  return keys.filter((key) => /:(?:s|m|mx|et|pt):windows:/.test(key));
}

describe("until: 'now'", () => {
  test('ends where the topic ended at the start; what is open then fires, once, and nothing of it stays', async () => {
    const topic = await jobs.topic(3);
    await jobs.send(topic, events('a:1@1 b:2@2 c:3@3 d:4@4 e:5@55 a:6@5'));
    const door = new Door();
    const { client } = await jobs.start(bounded(topic, { until: 'now' }, () => door.opened));
    await jobs.send(topic, events('a:100@6 f:100@7'));
    door.open();
    expect(await client.awaitTermination('10s')).toBe(true);
    expect(client.state).toBe('finished');
    expect((await jobs.results(topic)).sort()).toEqual([
      'a [0,10): 1 6',
      'b [0,10): 2',
      'c [0,10): 3',
      'd [0,10): 4',
      'e [50,60): 5',
    ]);
    expect(await leftovers(topic)).toEqual([]);
    // Its watermark at the end is no watermark that was stored.
    const { pipelines } = client.diagnostics();
    expect(pipelines).toMatchObject([{ ended: [0, 1, 2] }]);
  });

  test('a job that has finished is finished for whoever starts it again, and does nothing', async () => {
    const topic = await jobs.topic(2);
    await jobs.send(topic, events('a:1@1 b:2@2'));
    const { client } = await jobs.start(bounded(topic));
    expect(await client.awaitTermination('10s')).toBe(true);
    await jobs.send(topic, events('a:3@3'));
    const again = await jobs.start(bounded(topic));
    expect(await again.client.awaitTermination('10s')).toBe(true);
    await again.client.ready();
    expect(again.client.state).toBe('finished');
    expect(again.client.health()).toMatchObject({ ok: true });
    expect((await jobs.results(topic)).sort()).toEqual(['a [0,10): 1', 'b [0,10): 2']);
  });

  test('a job that was killed ends where it was to end at its first start', async () => {
    const topic = await jobs.topic();
    await jobs.send(topic, events('a:1@1 a:2@2 a:3@30 a:4@31'));
    const door = new Door();
    let seen = 0;
    const first = await jobs.start(
      bounded(topic, { until: 'now' }, () => (++seen === 4 ? door.opened : undefined)),
      { lease: 500, batch: { records: 1 } },
    );
    await until('the last one to be under way', () => seen === 4);
    await first.kill();
    await jobs.send(topic, events('a:100@32 a:101@60'));
    const { client } = await jobs.start(bounded(topic), { lease: 500 });
    expect(await client.awaitTermination('10s')).toBe(true);
    door.open();
    expect(await jobs.results(topic)).toEqual(['a [0,10): 1 2', 'a [30,40): 3 4']);
  });

  test('an empty topic ends at once, and so does each partition without a message', async () => {
    const topic = await jobs.topic(4);
    const { client } = await jobs.start(bounded(topic));
    expect(await client.awaitTermination('10s')).toBe(true);
    expect(await jobs.results(topic)).toEqual([]);
    const other = await jobs.topic(4);
    await jobs.send(other, events('a:1@1'));
    const second = await jobs.start(bounded(other), { jobName: 'other' });
    expect(await second.client.awaitTermination('10s')).toBe(true);
    expect(await jobs.results(other, { job: 'other' })).toEqual(['a [0,10): 1']);
  });

  test('several processes finish together, whoever has the last partition', async () => {
    const topic = await jobs.topic(4);
    const all = Array.from({ length: 40 }, (_unused, n) => event(`k${n}`, n % 10, n));
    await jobs.send(topic, all);
    const door = new Door();
    const before = () => door.opened;
    const [one, other] = [
      await jobs.start(bounded(topic, { until: 'now' }, before)),
      await jobs.start(bounded(topic, { until: 'now' }, before)),
    ];
    door.open();
    const ends = await Promise.all([one, other].map(({ client }) => client.awaitTermination('10s')));
    expect(ends).toEqual([true, true]);
    expect([one.client.state, other.client.state]).toEqual(['finished', 'finished']);
    expect(await jobs.results(topic)).toHaveLength(40);
  });
});

describe('until: ids', () => {
  test('each partition ends after its id, those without one at once', async () => {
    const topic = await jobs.topic(2);
    await jobs.send(topic, events('a:1@1 a:2@2 a:3@3 d:4@4 d:5@5'));
    const [ofA, ofD] = [await ids(topic, 0), await ids(topic, 1)];
    const partitionOfA = ofA.length === 3 ? 0 : 1;
    const second = (partitionOfA === 0 ? ofA : ofD)[1] ?? '';
    const { client } = await jobs.start(bounded(topic, { until: { [partitionOfA]: second } }));
    expect(await client.awaitTermination('10s')).toBe(true);
    expect(await jobs.results(topic)).toEqual(['a [0,10): 1 2']);
  });

  test('an id that the topic has not come to is waited for, and what comes up to it belongs to the job', async () => {
    const topic = await jobs.topic();
    await jobs.send(topic, events('a:1@1'));
    const end = (await jobs.now()) + 600;
    const { client } = await jobs.start(bounded(topic, { until: { 0: `${end}-0` } }));
    await until('the first', () => client.diagnostics().tasks[0]?.watermark === 0);
    await jobs.send(topic, events('a:2@2'));
    await until('the second', () => client.diagnostics().tasks[0]?.watermark === 1);
    await until('the time of the id', async () => (await jobs.now()) > end);
    expect(client.state).toBe('running');
    await jobs.send(topic, events('a:3@3'));
    expect(await client.awaitTermination('10s')).toBe(true);
    expect(await jobs.results(topic)).toEqual(['a [0,10): 1 2']);
  });

  test('an id that never was, between two that were, ends after the first of them', async () => {
    const topic = await jobs.topic();
    await jobs.send(topic, events('a:1@1'));
    const [first = ''] = await ids(topic);
    const [ms = '', seq = ''] = first.split('-');
    await until('another millisecond', async () => (await jobs.now()) > Number(ms));
    await jobs.send(topic, events('a:2@2'));
    const { client } = await jobs.start(bounded(topic, { until: { 0: `${ms}-${Number(seq) + 1_000}` } }));
    expect(await client.awaitTermination('10s')).toBe(true);
    expect(await jobs.results(topic)).toEqual(['a [0,10): 1']);
  });

  test('refuses a partition that the topic does not have', async () => {
    const topic = await jobs.topic(2);
    await expect(jobs.start(bounded(topic, { until: { 2: '1-0' } }))).rejects.toMatchObject({
      code: 'RS_INVALID_ARGUMENT',
    });
  });
});

describe('at the end of time (C35)', () => {
  test('windows whose lateness would go on for years fire once, and are gone', async () => {
    const topic = await jobs.topic();
    await jobs.send(topic, events('a@1000 a@8640000000000000'));
    const { client } = await jobs.start((env) => {
      const keyed = env
        .fromTopic(topicOf<Event>(topic), 'g', { until: 'now' })
        .keyBy(({ key }) => key, { uid: 'by-key' });
      keyed
        .window(TumblingWindow.of(1_000))
        .allowedLateness('365d')
        .apply(contents, { uid: 'windows' })
        .addSink(redisStream('results'), { uid: 'results' });
      keyed
        .window(SessionWindow.withGap('365d'))
        .apply<string>((_key, _window, elements, out) => out.collect(String(elements.length)), {
          uid: 'sessions',
        })
        .addSink(redisStream('sessions'), { uid: 'sessions.out' });
    });
    expect(await client.awaitTermination('10s')).toBe(true);
    expect(await jobs.results(topic)).toEqual([
      'a [1000,2000): 1',
      'a [8640000000000000,8640000000001000): 1',
    ]);
    expect(await jobs.results(topic, { sink: 'sessions' })).toEqual(['1', '1']);
    expect(await leftovers(topic)).toEqual([]);
  });

  test('timers for the last moment there is, and for one that comes never, fire at the end', async () => {
    const topic = await jobs.topic();
    await jobs.send(topic, events('a@1'));
    const { client } = await jobs.start((env) => {
      env
        .fromTopic(topicOf<Event>(topic), 'g', { until: 'now' })
        .keyBy(({ key }) => key, { uid: 'by-key' })
        .process<string>(
          {
            processElement(_key, _value, ctx) {
              ctx.registerEventTimeTimer(8_640_000_000_000_000);
              ctx.registerEventTimeTimer(Number.MAX_SAFE_INTEGER);
              ctx.registerEventTimeTimer(-5);
            },
            onEventTime: (time, _key, ctx, out) => out.collect(`${time} at ${ctx.currentWatermark()}`),
          },
          { uid: 'timers' },
        )
        .addSink(redisStream('results'), { uid: 'results' });
    });
    expect(await client.awaitTermination('10s')).toBe(true);
    expect(await jobs.results(topic)).toEqual([
      '-5 at 0',
      '8640000000000000 at Infinity',
      `${Number.MAX_SAFE_INTEGER} at Infinity`,
    ]);
  });

  test('many windows and timers at the end, over several commits and through a kill: each once', async () => {
    const topic = await jobs.topic();
    const all = Array.from({ length: 200 }, (_unused, n) => event(`k${n}`, n % 10, n));
    await jobs.send(topic, all);
    const config = { lease: 500, windowMaxFiresPerRecord: 3 };
    const first = await jobs.start(bounded(topic), config, { timerPage: 4 });
    await until('some', async () => (await jobs.results(topic)).length > 20);
    await first.kill();
    const { client } = await jobs.start(bounded(topic), config, { timerPage: 4 });
    expect(await client.awaitTermination('20s')).toBe(true);
    const results = await jobs.results(topic);
    expect(new Set(results).size).toBe(200);
    expect(results).toHaveLength(200);
    expect(await leftovers(topic)).toEqual([]);
  });
});

test('an input without an end goes on after a stop, from where it was', async () => {
  const topic = await jobs.topic();
  const define = (env: StreamEnvironment): void => {
    eventsOf(env, topic)
      .map(({ amount }) => String(amount))
      .addSink(redisStream('results'), { uid: 'results' });
  };
  for (const n of [1, 2, 3]) {
    const { client } = await jobs.start(define);
    await jobs.send(topic, events(`a:${n}@1`));
    await until(`the record ${n}`, async () => (await jobs.results(topic)).length === n);
    expect(await client.awaitTermination('1ms')).toBe(false);
    expect(await client.stop()).toEqual({ unreleased: 0, drained: true });
    expect(client.state).toBe('cancelled');
  }
  expect(await jobs.results(topic)).toEqual(['1', '2', '3']);
});
