import { expect, test } from '@jest/globals';
import { defineJob, silentLogger, type StreamEnvironment } from '@rs/core';
import { ioredisDriver } from '@rs/redis';
import { useRedis } from '@rs/redis-server/jest';
import { SessionWindow, TumblingWindow } from '@rs/window';
import { Redis } from 'ioredis';
import { RedisStreamExecutionEnvironment } from '../environment/environment.ts';
import { SCRIPTS } from '../lua/scripts.generated.ts';
import { redisStream } from '../sink/slot/redis-stream.ts';
import { type Death, MortalDriver } from '../test-support/mortal-driver.ts';
import { useJobs } from '../test-support/use-jobs.ts';

const server = useRedis();
const jobs = useJobs(server);

const COUNTED = new Set(
  SCRIPTS.filter(({ name }) =>
    ['commit-task', 'read-cells', 'page-timers', 'acquire-task'].includes(name),
  ).map(({ sha1 }) => sha1),
);

interface Event {
  readonly key: string;
  readonly time: number;
}

/** Two keys in turns, with pauses that end sessions. */
const EVENTS: readonly Event[] = Array.from({ length: 30 }, (_, n) => ({
  key: n % 2 === 0 ? 'even' : 'odd',
  time: n * 10 + Math.floor(n / 10) * 200,
}));

/** Counts, tumbling and session windows, and timers, all into sinks that belong to the commit. */
function define(topic: string) {
  return (env: StreamEnvironment): void => {
    const keyed = env
      .fromMqTopicWithId('events', topic, 'g', { until: 'now' })
      .map(({ value }) => value as Event)
      .keyBy(({ key }) => key, { uid: 'by-key' });
    const out = (name: string) => redisStream<string>(name, { fields: (value) => ({ value }) });
    keyed
      .window(TumblingWindow.of(50))
      .apply((key, window, events, emit) => emit.collect(`${key} ${window.start} ${events.length}`), {
        uid: 'tumbling',
      })
      .addSink(out('tumbling'), { uid: 'tumbling-out' });
    keyed
      .window(SessionWindow.withGap(100))
      .apply(
        (key, window, events, emit) => emit.collect(`${key} ${window.start} ${window.end} ${events.length}`),
        {
          uid: 'sessions',
        },
      )
      .addSink(out('sessions'), { uid: 'sessions-out' });
    keyed
      .process<string>(
        {
          processElement: (_key, { time }, ctx) => ctx.registerEventTimeTimer(time + 25),
          onEventTime: (time, key, _ctx, emit) => emit.collect(`${key} ${time}`),
        },
        { uid: 'timers' },
      )
      .addSink(out('timers'), { uid: 'timers-out' });
  };
}

interface Run {
  readonly results: Record<string, string[]>;
  /** Whether the first process has died. */
  readonly died: boolean;
}

let runs = 0;

/** Runs the job in a process that dies, and then in one that does not. */
async function run(death: Death): Promise<Run> {
  const jobName = `points${runs++}`;
  const topic = await jobs.topic();
  await jobs.send(
    topic,
    EVENTS.map((event) => ({ key: event.key, value: event, timestamp: event.time })),
  );
  const config = {
    jobName,
    prefix: jobs.prefix,
    logger: silentLogger,
    lease: 500,
    batch: { records: 4 },
    windowMaxFiresPerRecord: 2,
  };
  const driver = new MortalDriver(
    ioredisDriver(new Redis(server().url, { lazyConnect: true })),
    death,
    (sha1) => COUNTED.has(sha1),
  );
  const ended = new AbortController();
  const starting = RedisStreamExecutionEnvironment.create(driver, config).run(defineJob(define(topic)), {
    signal: ended.signal,
  });
  starting.catch(() => undefined); // One that dies while it starts never hears of it.
  const first = await Promise.race([starting, driver.died]);
  if (first !== undefined) await Promise.race([first.awaitTermination(), driver.died]);
  const connection = new Redis(server().url, { lazyConnect: true });
  const second = await RedisStreamExecutionEnvironment.create(connection, config).run(
    defineJob(define(topic)),
  );
  await expect(second.awaitTermination('20s')).resolves.toBe(true);
  await second.close();
  ended.abort();
  await first?.cancel({ timeout: 1 });
  const results: Record<string, string[]> = {};
  for (const name of ['tumbling', 'sessions', 'timers']) {
    const entries = await jobs.redis.xrange(`${jobs.prefix}:{${topic}#0}:p0:k:${jobName}:${name}`, '-', '+');
    results[name] = entries.map(([, fields]) => String(fields[1]));
  }
  return { results, died: driver.dead };
}

/** As many at a time, since each waits for a lease to end. */
const AT_ONCE = 12;
const FAR = 1_000;

test.each(['before', 'after'] as const)(
  'a process may die %s any call: every window, session and timer has its result once, in order',
  async (moment) => {
    const undisturbed = await run({ call: FAR, moment });
    expect(undisturbed.died).toBe(false);
    expect(undisturbed.results['timers']).toHaveLength(EVENTS.length);
    expect(new Set(undisturbed.results['timers']).size).toBe(EVENTS.length);
    for (let call = 1; call < FAR; call += AT_ONCE) {
      const disturbed = await Promise.all(
        Array.from({ length: AT_ONCE }, (_, n) => run({ call: call + n, moment })),
      );
      for (const { results } of disturbed) expect(results).toEqual(undisturbed.results);
      if (disturbed.some(({ died }) => !died)) return;
    }
  },
  120_000,
);
