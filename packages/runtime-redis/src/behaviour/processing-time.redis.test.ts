import { describe, expect, test } from '@jest/globals';
import { type Clock, type StreamEnvironment, valueState } from '@rs/core';
import { useRedis } from '@rs/redis-server/jest';
import {
  ContinuousProcessingTimeTrigger,
  CountTrigger,
  GlobalWindow,
  PurgingTrigger,
  SessionWindow,
  TumblingWindow,
} from '@rs/window';
import { redisStream } from '../sink/slot/redis-stream.ts';
import { type Event, event, events, eventsOf } from '../test-support/events.ts';
import { until, useJobs } from '../test-support/use-jobs.ts';

const jobs = useJobs(useRedis());
const COUNT = valueState('count', { default: () => 0 });

/** Sets a timer `amount` milliseconds later; a negative amount deletes that which the key has set last. */
function timers(topic: string) {
  const last = valueState<number>('last');
  return (env: StreamEnvironment): void => {
    eventsOf(env, topic)
      .keyBy(({ key }) => key, { uid: 'by-key' })
      .process<string>(
        {
          open(ctx) {
            for (const state of [COUNT, last]) ctx.state(state);
          },
          processElement(key, { amount }, ctx, out) {
            const set = ctx.state(last).value();
            const time = ctx.currentProcessingTime() + amount;
            if (amount >= 0) {
              ctx.registerProcessingTimeTimer(time);
              ctx.registerProcessingTimeTimer(time);
              ctx.state(last).update(time);
            } else if (set !== undefined) ctx.deleteProcessingTimeTimer(set);
            out.collect(`set ${key} ${time}`);
          },
          onProcessingTime(time, key, ctx, out) {
            const count = ctx.state(COUNT);
            count.update(count.value() + 1);
            out.collect(`fired ${key} ${time} as ${count.value()}`);
          },
        },
        { uid: 'timers' },
      )
      .addSink(redisStream('results'), { uid: 'results' });
  };
}

interface Told {
  readonly what: string;
  readonly key: string;
  readonly time: number;
  readonly count: number;
}

async function told(topic: string): Promise<Told[]> {
  return (await jobs.results(topic)).map((text) => {
    const [what = '', key = '', time, , count] = text.split(' ');
    return { what, key, time: Number(time), count: Number(count) };
  });
}

const fired = async (topic: string): Promise<Told[]> =>
  (await told(topic)).filter(({ what }) => what === 'fired');

const AHEAD: Clock = { now: () => 8e12 };
const BEHIND: Clock = { now: () => 0 };

describe('timers on processing time', () => {
  test.each<[string, Clock | undefined]>([
    ['right', undefined],
    ['far ahead', AHEAD],
    ['far behind', BEHIND],
  ])('fire once, in order, by the clock of the server, where that of the machine is %s', async (_, clock) => {
    const topic = await jobs.topic();
    await jobs.start(timers(topic), clock === undefined ? {} : { clock });
    const before = await jobs.now();
    await jobs.send(topic, [event('a', 1, 300), event('b', 1, 100), event('c', 1, 200)]);
    await until('all', async () => (await fired(topic)).length === 3);
    const set = (await told(topic)).filter(({ what }) => what === 'set');
    const list = await fired(topic);
    // Each at the time that it was set for, as early as that.
    expect(list.map(({ key, time }) => `${key} ${time}`).sort()).toEqual(
      set.map(({ key, time }) => `${key} ${time}`).sort(),
    );
    expect(list.map(({ time }) => time)).toEqual(list.map(({ time }) => time).sort((x, y) => x - y));
    for (const { time, count } of list) {
      expect(count).toBe(1);
      expect(Math.abs(time - before)).toBeLessThan(60_000);
      expect(await jobs.now()).toBeGreaterThanOrEqual(time);
    }
  });

  test('that became due while nobody was there fire once when somebody is, and in order', async () => {
    const topic = await jobs.topic();
    const first = await jobs.start(timers(topic), { lease: 500 });
    await jobs.send(topic, [event('a', 1, 1_500), event('b', 1, 1_200), event('c', 1, 60_000)]);
    await until('all set', async () => (await told(topic)).length === 3);
    await first.kill();
    const due = Math.max(...(await told(topic)).slice(0, 2).map(({ time }) => time));
    await until('them to be due', async () => (await jobs.now()) > due);
    expect(await fired(topic)).toEqual([]);
    const second = await jobs.start(timers(topic), { lease: 500 });
    await until('both', async () => (await fired(topic)).length === 2);
    const list = await fired(topic);
    expect(list.map(({ key, count }) => `${key} ${count}`).sort()).toEqual(['a 1', 'b 1']);
    expect(list[0]?.time).toBeLessThanOrEqual(list[1]?.time ?? 0);
    await second.client.stop();
    await jobs.start(timers(topic), { lease: 500 });
    await jobs.send(topic, [event('b', 2, 1)]);
    await until('the next', async () => (await fired(topic)).length === 3);
    expect((await fired(topic)).at(-1)).toMatchObject({ key: 'b', count: 2 });
  });

  test('that were deleted do not fire, also when another process does that', async () => {
    const topic = await jobs.topic();
    const first = await jobs.start(timers(topic));
    await jobs.send(topic, [event('a', 1, 2_500), event('b', 1, 2_500)]);
    await until('both set', async () => (await told(topic)).length === 2);
    await first.client.stop();
    await jobs.start(timers(topic));
    await jobs.send(topic, [event('a', 2, -1)]);
    await until('it', async () => (await fired(topic)).length === 1, 5_000);
    expect(await fired(topic)).toMatchObject([{ key: 'b', count: 1 }]);
    await jobs.send(topic, [event('a', 3, 1)]);
    await until('another one', async () => (await fired(topic)).length === 2);
    expect((await fired(topic))[1]).toMatchObject({ key: 'a', count: 1 });
  });

  test('more than fire at once: each once, though the process is killed in the middle', async () => {
    const topic = await jobs.topic();
    const config = { lease: 500, windowMaxFiresPerRecord: 3 };
    const many = 300;
    const first = await jobs.start(timers(topic), config, { timerPage: 4 });
    await jobs.send(
      topic,
      Array.from({ length: many }, (_unused, n) => event(`k${n}`, 1, 400)),
    );
    await until('some', async () => (await fired(topic)).length > 20);
    await first.kill();
    await jobs.start(timers(topic), config, { timerPage: 4 });
    await until('all', async () => (await fired(topic)).length >= many);
    const list = await fired(topic);
    expect(list.map(({ count }) => count)).toEqual(list.map(() => 1));
    expect(new Set(list.map(({ key }) => key)).size).toBe(many);
    const times = list.map(({ time }) => time);
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });

  test('wait while the job is paused', async () => {
    const topic = await jobs.topic();
    const { client } = await jobs.start(timers(topic));
    await jobs.send(topic, [event('a', 1, 500)]);
    await until('it is set', async () => (await told(topic)).length === 1);
    client.pause();
    const [{ time = 0 } = {}] = await told(topic);
    await until('it to be due', async () => (await jobs.now()) > time + 200);
    expect(await fired(topic)).toEqual([]);
    client.resume();
    await until('it', async () => (await fired(topic)).length === 1);
    expect((await fired(topic))[0]).toMatchObject({ key: 'a', time, count: 1 });
  });
});

describe('windows on processing time', () => {
  const amounts = (key: string, elements: readonly Event[]): string =>
    `${key} ${elements.map(({ amount }) => amount).join()}`;

  test('fire by the clock, also when their end came while nobody was there', async () => {
    const topic = await jobs.topic();
    const define = (env: StreamEnvironment): void => {
      const keyed = eventsOf(env, topic).keyBy(({ key }) => key, { uid: 'by-key' });
      keyed
        .window(TumblingWindow.of(400, { time: 'processing' }))
        .apply<string>((key, { start }, elements, out) => out.collect(`${start} ${amounts(key, elements)}`), {
          uid: 'tumbling',
        })
        .addSink(redisStream('tumbling'), { uid: 'tumbling.out' });
      keyed
        .window(SessionWindow.withGap(400, { time: 'processing' }))
        .apply<string>((key, _window, elements, out) => out.collect(amounts(key, elements)), {
          uid: 'sessions',
        })
        .addSink(redisStream('sessions'), { uid: 'sessions.out' });
      keyed
        .window(GlobalWindow.create())
        .trigger(PurgingTrigger.of(ContinuousProcessingTimeTrigger.of(300)))
        .apply<string>((key, _window, elements, out) => out.collect(amounts(key, elements)), {
          uid: 'continuous',
        })
        .addSink(redisStream('continuous'), { uid: 'continuous.out' });
      keyed
        .window(GlobalWindow.create())
        .trigger(CountTrigger.of(1))
        .apply<string>((key, _window, elements, out) => out.collect(amounts(key, elements)), { uid: 'all' })
        .addSink(redisStream('all'), { uid: 'all.out' });
    };
    const first = await jobs.start(define);
    await jobs.send(topic, events('a:1@1 b:2@99999 a:3@5'));
    await until('all three', async () => (await jobs.results(topic, { sink: 'all' })).length === 3);
    await first.client.stop();
    const end = (await jobs.now()) + 500;
    await until('their end', async () => (await jobs.now()) > end);
    await jobs.start(define);
    for (const sink of ['tumbling', 'sessions', 'continuous']) {
      const perKey = async (): Promise<Record<string, string[]>> => {
        const found: Record<string, string[]> = { a: [], b: [] };
        for (const text of await jobs.results(topic, { sink })) {
          const [key = '', list = ''] = text.replace(/^\d+ /, '').split(' ');
          if (list !== '') found[key]?.push(...list.split(','));
        }
        return found;
      };
      await until(`${sink}`, async () => Object.values(await perKey()).flat().length >= 3);
      expect(await perKey()).toEqual({ a: ['1', '3'], b: ['2'] });
    }
  });
});
