import { describe, expect, test } from '@jest/globals';
import {
  type DataStream,
  type KeyedStream,
  outputTag,
  type StreamEnvironment,
  type WindowedStream,
} from '@rs/core';
import type { NewMessage } from '@rs/mq';
import { useRedis } from '@rs/redis-server/jest';
import {
  AnyTrigger,
  ContinuousEventTimeTrigger,
  CountEvictor,
  CountTrigger,
  CountWindow,
  DeltaTrigger,
  EventTimeTrigger,
  GlobalWindow,
  PurgingTrigger,
  SessionWindow,
  SlidingWindow,
  TimeEvictor,
  TumblingWindow,
} from '@rs/window';
import fc from 'fast-check';
import type { RedisRuntimeConfig } from '../options/config.ts';
import { redisStream } from '../sink/slot/redis-stream.ts';
import { contents, type Event, event, events, eventsOf } from '../test-support/events.ts';
import { until, useJobs } from '../test-support/use-jobs.ts';

const jobs = useJobs(useRedis());
const LATE = outputTag<Event>('late');
const distance = (a: Event, b: Event): number => b.amount - a.amount;

type Keyed = KeyedStream<string, Event>;
type Windowed = WindowedStream<string, Event>;

/** Each of them is applied to the events; the names are those of their operators and sinks. */
const KINDS: Readonly<Record<string, (keyed: Keyed) => Windowed>> = {
  tumbling: (keyed) => keyed.window(TumblingWindow.of(10)),
  sliding: (keyed) => keyed.window(SlidingWindow.of(10, 4)),
  session: (keyed) => keyed.window(SessionWindow.withGap(5)),
  count: (keyed) => keyed.window(CountWindow.of(3)),
  'sliding-count': (keyed) => keyed.window(CountWindow.of(4, 2)),
  'global-count': (keyed) =>
    keyed.window(GlobalWindow.create()).trigger(PurgingTrigger.of(CountTrigger.of(2))),
  'global-delta': (keyed) => keyed.window(GlobalWindow.create()).trigger(DeltaTrigger.of(5, distance)),
  continuous: (keyed) =>
    keyed
      .window(TumblingWindow.of(20))
      .trigger(AnyTrigger.of(ContinuousEventTimeTrigger.of(7), EventTimeTrigger.create())),
  'every-second': (keyed) =>
    keyed.window(TumblingWindow.of(20)).trigger(AnyTrigger.of(CountTrigger.of(2), EventTimeTrigger.create())),
  'session-count': (keyed) => keyed.window(SessionWindow.withGap(5)).trigger(CountTrigger.of(2)),
  'evict-count': (keyed) => keyed.window(TumblingWindow.of(10)).evictor(CountEvictor.of(2)),
  'evict-time': (keyed) => keyed.window(SessionWindow.withGap(8)).evictor(TimeEvictor.of(4)),
  refire: (keyed) => keyed.window(TumblingWindow.of(10)).allowedLateness(15),
  postpone: (keyed) => keyed.window(TumblingWindow.of(10)).allowedLateness(15, { mode: 'postpone' }),
  'late-session': (keyed) => keyed.window(SessionWindow.withGap(4)).allowedLateness(6),
};

/** What keeps an accumulator in place of elements. */
const SUMS: Readonly<Record<string, (keyed: Keyed) => DataStream<number>>> = {
  'tumbling-sum': (keyed) =>
    keyed.window(TumblingWindow.of(10)).sum(({ amount }) => amount, { uid: 'tumbling-sum' }),
  'session-sum': (keyed) =>
    keyed.window(SessionWindow.withGap(5)).aggregate(
      {
        createAccumulator: () => 0,
        add: ({ amount }, sum: number) => sum + amount,
        getResult: (sum) => sum,
        merge: (a, b) => a + b,
      },
      { uid: 'session-sum' },
    ),
};

function allWindows(topic: string) {
  return (env: StreamEnvironment): void => {
    const keyed = eventsOf(env, topic).keyBy(({ key }) => key, { uid: 'by-key' });
    for (const [name, windowed] of Object.entries(KINDS)) {
      const hasLate = !/count|global/.test(name);
      const stream = hasLate ? windowed(keyed).sideOutputLateData(LATE) : windowed(keyed);
      const results = stream.apply(contents, { uid: name });
      results.addSink(redisStream(name), { uid: `${name}.out` });
      if (!hasLate) continue;
      results
        .getSideOutput(LATE)
        .map(({ key, at, amount }) => `late ${key}:${amount}@${at}`)
        .addSink(redisStream(`${name}.late`), { uid: `${name}.late` });
    }
    for (const [name, summed] of Object.entries(SUMS))
      summed(keyed)
        .map(String)
        .addSink(redisStream(name), { uid: `${name}.out` });
    eventsOfAll(keyed).addSink(redisStream('all'), { uid: 'all' });
  };
}

/** To see how far a job has come. */
function eventsOfAll(keyed: Keyed): DataStream<string> {
  return keyed.process<string>((key, { amount, at }, _ctx, out) => out.collect(`${key}:${amount}@${at}`), {
    uid: 'everything',
  });
}

const SINKS = [
  ...Object.keys(KINDS),
  ...Object.keys(KINDS).map((name) => `${name}.late`),
  ...Object.keys(SUMS),
];

async function resultsOf(topic: string, job: string): Promise<Record<string, string[]>> {
  const lists = await Promise.all(SINKS.map((sink) => jobs.results(topic, { job, sink })));
  return Object.fromEntries(SINKS.map((sink, n) => [sink, lists[n] as string[]]));
}

interface Circumstances {
  readonly records: number;
  readonly maxFires: number;
  /** How each process but the last one ends, without waiting for what it has been sent. */
  readonly end: 'stop' | 'undo' | 'kill';
  readonly cacheBytes: number;
}

/** Runs a job over chunks of input, one life of a process for each. */
async function lives(
  topic: string,
  chunks: readonly (readonly NewMessage<Event>[])[],
  job: string,
  { records, maxFires, end, cacheBytes }: Circumstances,
): Promise<Record<string, string[]>> {
  let sent = 0;
  for (const [n, chunk] of chunks.entries()) {
    const { client, kill } = await jobs.start(allWindows(topic), {
      jobName: job,
      lease: 500,
      batch: { records },
      windowMaxFiresPerRecord: maxFires,
      cacheBytes,
    });
    if (chunk.length > 0) await jobs.send(topic, chunk);
    sent += chunk.length;
    const seen = async (): Promise<number> => (await jobs.results(topic, { job, sink: 'all' })).length;
    if (n === chunks.length - 1) await until('all of it', async () => (await seen()) === sent);
    if (end === 'kill' && n < chunks.length - 1) await kill();
    else await client.stop({ drain: end !== 'undo' });
  }
  return resultsOf(topic, job);
}

const WHOLE: Circumstances = { records: 500, maxFires: 1_000, end: 'stop', cacheBytes: 1_000_000 };

const anEvent = fc
  .record({
    key: fc.constantFrom('a', 'b', 'c'),
    at: fc.integer({ min: 0, max: 120 }),
    amount: fc.integer({ min: 1, max: 20 }),
  })
  .map(({ key, at, amount }) => event(key, at, amount));

/** Times that go on for the most part, so that much fires and some is late. */
const someEvents = fc.array(anEvent, { minLength: 1, maxLength: 60 }).map((list) => {
  const sorted = [...list].sort((x, y) => Number(x.timestamp) - Number(y.timestamp));
  return sorted.map((message, n) => (n % 4 === 3 ? (sorted[Math.max(0, n - 9)] ?? message) : message));
});

test('whatever windows there are, and wherever a job is interrupted, they give what they give without', async () => {
  let runs = 0;
  let fired = 0;
  await fc.assert(
    fc.asyncProperty(
      someEvents,
      fc.array(fc.nat({ max: 60 }), { maxLength: 3 }),
      fc.constantFrom(1, 4, 500),
      fc.constantFrom(1, 3, 1_000),
      fc.constantFrom('stop', 'undo', 'kill'),
      fc.constantFrom(1, 1_000_000),
      async (messages, cuts, records, maxFires, end, cacheBytes) => {
        const job = `${jobs.jobName}-${runs++}`;
        const last = [event('z', 1_000)];
        const places = [0, ...[...cuts].sort((a, b) => a - b), messages.length];
        const chunks = places.slice(1).map((to, n) => messages.slice(places[n], to));
        const whole = await lives(await jobs.topic(), [[...messages, ...last]], `${job}-whole`, WHOLE);
        const parts = await lives(await jobs.topic(), [...chunks, last], job, {
          records,
          maxFires,
          end,
          cacheBytes,
        });
        fired += Object.values(whole).flat().length;
        expect(parts).toEqual(whole);
      },
    ),
    { numRuns: 6 },
  );
  expect(fired).toBeGreaterThan(100);
});

describe('over a restart', () => {
  /** Sends, waits for so many records to be through, and starts again. */
  async function stepwise(
    define: (topic: string) => (env: StreamEnvironment) => void,
    texts: readonly string[],
    config: RedisRuntimeConfig = {},
  ): Promise<{ topic: string }> {
    const topic = await jobs.topic();
    let sent = 0;
    for (const text of texts) {
      const { client } = await jobs.start(define(topic), config);
      const messages = events(text);
      sent += messages.length;
      await jobs.send(topic, messages);
      await until(text, async () => (await jobs.results(topic, { sink: 'all' })).length === sent);
      await client.stop();
    }
    return { topic };
  }

  const one =
    (windowed: (keyed: Keyed) => DataStream<string>) => (topic: string) => (env: StreamEnvironment) => {
      const keyed = eventsOf(env, topic).keyBy(({ key }) => key, { uid: 'by-key' });
      windowed(keyed).addSink(redisStream('results'), { uid: 'results' });
      eventsOfAll(keyed).addSink(redisStream('all'), { uid: 'all' });
    };

  test('refire: late records make a window that has fired fire again until its lateness has passed, then go to the late output', async () => {
    const { topic } = await stepwise(
      one((keyed) => {
        const results = keyed
          .window(TumblingWindow.of(10))
          .allowedLateness(10)
          .sideOutputLateData(LATE)
          .apply(contents, { uid: 'windows' });
        return results.union(results.getSideOutput(LATE).map(({ amount }) => `late ${amount}`));
      }),
      ['a:1@1 a:2@12', 'a:3@2', 'a:4@3 a:5@18', 'a:6@4', 'a:7@30', 'a:8@5'],
    );
    expect(await jobs.results(topic)).toEqual([
      'a [0,10): 1',
      'a [0,10): 1 3',
      'a [0,10): 1 3 4',
      'a [0,10): 1 3 4 6',
      'a [10,20): 2 5',
      'late 8',
    ]);
  });

  test('postpone: it fires once, when its lateness has passed', async () => {
    const { topic } = await stepwise(
      one((keyed) =>
        keyed
          .window(TumblingWindow.of(10))
          .allowedLateness(10, { mode: 'postpone' })
          .apply(contents, { uid: 'windows' }),
      ),
      ['a:1@1 a:2@12', 'a:3@2', 'a:4@20', 'a:5@3'],
    );
    expect(await jobs.results(topic)).toEqual(['a [0,10): 1 3']);
  });

  test('sessions that were apart become one by a record that comes after it (C48)', async () => {
    const { topic } = await stepwise(
      one((keyed) => keyed.window(SessionWindow.withGap(5)).apply(contents, { uid: 'windows' })),
      ['k:1@1', 'k:2@9 j:1@9', 'k:3@5', 'z@500'],
      { watermarkOutOfOrderness: 100 },
    );
    expect((await jobs.results(topic)).sort()).toEqual(['j [9,14): 1', 'k [1,14): 1 2 3']);
  });

  test('triggers count on where they were', async () => {
    const { topic } = await stepwise(
      one((keyed) =>
        keyed
          .window(GlobalWindow.create())
          .trigger(PurgingTrigger.of(CountTrigger.of(3)))
          .apply(
            (key, _window, elements, out) =>
              out.collect(`${key} ${elements.map(({ amount }) => amount).join()}`),
            {
              uid: 'windows',
            },
          ),
      ),
      ['a:1@1 b:1@1', 'a:2@2', 'a:3@3 b:2@4', 'b:3@5 a:4@6'],
    );
    expect(await jobs.results(topic)).toEqual(['a 1,2,3', 'b 1,2,3']);
  });
});
