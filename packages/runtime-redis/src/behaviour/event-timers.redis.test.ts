import { describe, expect, test } from '@jest/globals';
import { type StreamEnvironment, valueState } from '@rs/core';
import { useRedis } from '@rs/redis-server/jest';
import fc from 'fast-check';
import { redisStream } from '../sink/slot/redis-stream.ts';
import { type Event, event, eventsOf } from '../test-support/events.ts';
import { until, useJobs } from '../test-support/use-jobs.ts';

const jobs = useJobs(useRedis());
const FIRED = valueState('fired', { default: () => 0 });

/** What is registered or deleted for a record: by default, as many timers as its amount says, one per millisecond after it. */
interface TimerJob {
  readonly register?: (value: Event) => readonly number[];
  readonly remove?: (value: Event) => readonly number[];
}

const following = ({ amount, at }: Event): number[] =>
  Array.from({ length: amount }, (_unused, n) => at + 1 + n);

/** Says which timer has fired, and as which of its key. */
function timers(topic: string, { register = following, remove = () => [] }: TimerJob = {}) {
  return (env: StreamEnvironment): void => {
    eventsOf(env, topic)
      .keyBy(({ key }) => key, { uid: 'by-key' })
      .process<string>(
        {
          open: (ctx) => void ctx.state(FIRED),
          processElement(key, value, ctx, out) {
            for (const time of register(value)) ctx.registerEventTimeTimer(time);
            for (const time of remove(value)) ctx.deleteEventTimeTimer(time);
            out.collect(`${key}: ${value.at}`);
          },
          onEventTime(time, key, ctx, out) {
            const fired = ctx.state(FIRED);
            fired.update(fired.value() + 1);
            out.collect(`${key} ${time} is ${fired.value()}`);
          },
        },
        { uid: 'timers' },
      )
      .addSink(redisStream('results'), { uid: 'results' });
  };
}

async function storedTimers(topic: string): Promise<number> {
  const keys = await jobs.redis.keys(`${jobs.prefix}:{${topic}#0}:p0:t:${jobs.jobName}:*:et:timers:*`);
  const counts = await Promise.all(keys.map((key) => jobs.redis.zcard(key)));
  return counts.reduce((sum, count) => sum + count, 0);
}

test('more timers than are read, fired or kept at once: each once and in order, though processes are killed in the middle', async () => {
  const topic = await jobs.topic();
  const config = { lease: 500, windowMaxFiresPerRecord: 7 };
  const hidden = { timerPage: 5 };
  const count = 600;
  await jobs.send(topic, [event('a', 0, count), event('b', 0, count)]);
  let process = await jobs.start(timers(topic), config, hidden);
  await until('both', async () => (await jobs.results(topic)).length === 2);
  expect(await storedTimers(topic)).toBe(2 * count);
  await jobs.send(topic, [event('c', 10_000, 0), event('a', 10_001, 0)]);
  let kills = 0;
  for (const at of [100, 500, 900]) {
    await until(`${at} results`, async () => (await jobs.results(topic)).length > at);
    await process.kill();
    if ((await jobs.results(topic)).length < 2 * count) kills++;
    process = await jobs.start(timers(topic), config, hidden);
  }
  await until('all', async () => (await jobs.results(topic)).length === 2 * count + 4);
  const expected = Array.from({ length: count }, (_unused, n) =>
    ['a', 'b'].map((key) => `${key} ${n + 1} is ${n + 1}`),
  );
  expect(await jobs.results(topic)).toEqual(['a: 0', 'b: 0', ...expected.flat(), 'c: 10000', 'a: 10001']);
  expect(await storedTimers(topic)).toBe(0);
  expect(kills).toBeGreaterThan(0);
});

test('one per key and time, however often it is registered; a deleted one does not fire, also where others did that', async () => {
  const topic = await jobs.topic();
  const define = timers(topic, {
    register: ({ amount }) => (amount > 0 ? [amount, amount, amount + 5] : []),
    remove: ({ amount }) => (amount < 0 ? [-amount] : []),
  });
  const first = await jobs.start(define);
  await jobs.send(topic, [event('a', 1, 20), event('b', 1, 20), event('a', 2, 20), event('a', 3, 40)]);
  await until('all', async () => (await jobs.results(topic)).length === 4);
  await first.client.stop();
  await jobs.start(define);
  await jobs.send(topic, [event('a', 4, -20), event('a', 5, -1_000), event('b', 6, 20), event('z', 100, 0)]);
  await until('all', async () => (await jobs.results(topic)).length === 13);
  expect((await jobs.results(topic)).slice(7)).toEqual([
    'b 20 is 1',
    'a 25 is 1',
    'b 25 is 2',
    'a 40 is 2',
    'a 45 is 3',
    'z: 100',
  ]);
});

test('a time that has passed is due at once, and timers that set timers go on', async () => {
  const topic = await jobs.topic();
  await jobs.start((env) => {
    eventsOf(env, topic)
      .keyBy(({ key }) => key)
      .process<string>({
        processElement: (_key, { at }, ctx) => ctx.registerEventTimeTimer(at - 100),
        onEventTime(time, _key, ctx, out) {
          if (time % 10 !== 0) ctx.registerEventTimeTimer(time + 1);
          out.collect(String(time));
        },
      })
      .addSink(redisStream('results'), { uid: 'results' });
  });
  await jobs.send(topic, [event('a', 1_000), event('a', 1_003), event('a', 1_050)]);
  await until('all', async () => (await jobs.results(topic)).length === 10);
  expect(await jobs.results(topic)).toEqual([
    '900',
    '903',
    '904',
    '905',
    '906',
    '907',
    '908',
    '909',
    '910',
    '950',
  ]);
});

const PAGES_OF_DELETED = (
  [
    ['b', 31, 19],
    ['b', 0, 17],
    ['b', 47, 1],
    ['a', 30, 20],
    ['b', 10, 0],
    ['a', 13, 18],
    ['b', 45, 17],
    ['a', 0, 2],
    ['b', 22, 7],
    ['a', 3, 1],
    ['b', 5, 19],
  ] as const
).map(([key, at, amount]) => ({ key, at, amount }));

describe('whatever is registered and deleted, with whatever limits and restarts', () => {
  const anEvent = fc.record({
    key: fc.constantFrom('a', 'b'),
    at: fc.integer({ min: 0, max: 50 }),
    amount: fc.nat({ max: 20 }),
  });

  /** What each key's timers are in the end, without any engine: times in order, by watermark. */
  function expected(list: readonly Event[], job: Required<TimerJob>): string[] {
    const waiting = new Map<string, Set<number>>();
    const fired = new Map<string, number>();
    const results: string[] = [];
    let watermark = -Infinity;
    const fire = (): void => {
      for (;;) {
        const due = [...waiting].flatMap(([key, times]) =>
          [...times].filter((time) => time <= watermark).map((time) => ({ key, time })),
        );
        due.sort((x, y) => x.time - y.time || (x.key < y.key ? -1 : 1));
        const [next] = due;
        if (next === undefined) return;
        waiting.get(next.key)?.delete(next.time);
        const count = (fired.get(next.key) ?? 0) + 1;
        fired.set(next.key, count);
        results.push(`${next.key} ${next.time} is ${count}`);
      }
    };
    for (const value of list) {
      watermark = Math.max(watermark, value.at - 1);
      fire();
      const times = waiting.get(value.key) ?? new Set<number>();
      waiting.set(value.key, times);
      results.push(`${value.key}: ${value.at}`);
      for (const time of job.register(value)) times.add(time);
      for (const time of job.remove(value)) times.delete(time);
      fire();
    }
    return results;
  }

  test('each timer fires once, when its time has come', async () => {
    let runs = 0;
    const job: Required<TimerJob> = {
      register: ({ at, amount }) => [at + amount, at + 2 * amount, at + 30],
      remove: ({ at, amount }) => (amount % 3 === 0 ? [at + amount, at + 31] : []),
    };
    await fc.assert(
      fc.asyncProperty(
        fc.array(anEvent, { minLength: 1, maxLength: 40 }),
        fc.array(fc.nat({ max: 40 }), { maxLength: 3 }),
        fc.constantFrom(1, 2, 1_000),
        fc.constantFrom(1, 3, 10_000),
        fc.constantFrom(1, 5, 500),
        fc.boolean(),
        async (list, cuts, windowMaxFiresPerRecord, timerPage, records, drain) => {
          const jobName = `${jobs.jobName}-${runs++}`;
          const topic = await jobs.topic();
          const all = [...list, { key: 'z', at: 500, amount: 0 }, { key: 'z', at: 501, amount: 0 }];
          const places = [0, ...[...cuts].sort((a, b) => a - b), all.length];
          const want = expected(all, job);
          for (const [n, to] of places.slice(1).entries()) {
            const { client } = await jobs.start(
              timers(topic, job),
              { jobName, windowMaxFiresPerRecord, batch: { records } },
              { timerPage },
            );
            const chunk = all.slice(places[n], to).map(({ key, at, amount }) => event(key, at, amount));
            if (chunk.length > 0) await jobs.send(topic, chunk);
            if (to === all.length)
              await until(
                'all',
                async () => (await jobs.results(topic, { job: jobName })).length >= want.length,
              );
            await client.stop({ drain });
          }
          expect(await jobs.results(topic, { job: jobName })).toEqual(want);
        },
      ),
      // Pages of timers that are all deleted by now were read again and again.
      { numRuns: 8, seed: 20261130, examples: [[PAGES_OF_DELETED, [], 1_000, 3, 5, true]] },
    );
  });
});
