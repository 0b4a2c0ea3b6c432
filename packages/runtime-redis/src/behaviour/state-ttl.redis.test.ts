import { describe, expect, test } from '@jest/globals';
import { type Clock, type StreamEnvironment, topic as topicOf, valueState } from '@rs/core';
import { useRedis } from '@rs/redis-server/jest';
import { redisStream } from '../sink/slot/redis-stream.ts';
import {
  apply,
  contentsOf,
  declareAll,
  expectedContents,
  KINDS,
  kindsOfState,
  type StateCommand,
} from '../test-support/kinds-of-state.ts';
import { until, useJobs } from '../test-support/use-jobs.ts';

const jobs = useJobs(useRedis());
const LATER: Clock = { now: () => 8e12 };
const EARLIER: Clock = { now: () => 0 };

/** Counts the records of each key. */
function counting(topic: string, ttl?: number) {
  const count = valueState('count', { default: () => 0, ...(ttl === undefined ? {} : { ttl }) });
  const define = (env: StreamEnvironment): void => {
    env
      .fromTopic(topicOf<string>(topic), 'g')
      .keyBy((key) => key, { uid: 'by-key' })
      .process<string>(
        {
          open: (ctx) => void ctx.state(count),
          processElement(key, _value, ctx, out) {
            const state = ctx.state(count);
            state.update(state.value() + 1);
            out.collect(`${key} ${state.value()}`);
          },
        },
        { uid: 'counts' },
      )
      .addSink(redisStream('results'), { uid: 'results' });
  };
  return { define, count };
}

async function send(topic: string, ...words: readonly string[]): Promise<void> {
  await jobs.send(
    topic,
    words.map((value) => ({ key: value, value })),
  );
}

/** Waits until the server's clock has gone on so far. What a task knows of it is behind by as long as an answer takes. */
async function pass(ms: number): Promise<void> {
  const end = (await jobs.now()) + ms;
  await until(`${ms} ms to pass`, async () => (await jobs.now()) > end);
}

/** Keys of the state of this test's job. */
async function stored(topic: string): Promise<number> {
  const keys = await jobs.redis.keys(`${jobs.prefix}:{${topic}#0}:p0:t:${jobs.jobName}:*`);
  return keys.filter((key) => /:(?:s|m|mx):states:/.test(key)).length;
}

describe('a time to live', () => {
  test.each([
    ['right', {}],
    ['far ahead', { clock: LATER }],
    ['far behind', { clock: EARLIER }],
  ])(
    'counts on the clock of the server, where that of the machine is %s, for functions and for queries',
    async (_, config) => {
      const topic = await jobs.topic();
      const { define, count } = counting(topic, 1_000);
      const { client } = await jobs.start(define, config);
      await send(topic, 'a', 'a');
      await until('both', async () => (await jobs.results(topic)).length === 2);
      expect(await client.queryState('counts', count, 'a')).toBe(2);
      await until(
        'it to expire',
        async () => (await client.queryState('counts', count, 'a')) === undefined,
        3_000,
      );
      await pass(200);
      await send(topic, 'a');
      await until('the next', async () => (await jobs.results(topic)).length === 3);
      expect(await jobs.results(topic)).toEqual(['a 1', 'a 2', 'a 1']);
    },
  );

  test('goes on while nobody works on the job, and for whoever takes it over', async () => {
    const topic = await jobs.topic();
    const { define, count } = counting(topic, 400);
    const first = await jobs.start(define);
    await send(topic, 'a');
    await until('the first', async () => (await jobs.results(topic)).length === 1);
    await first.client.stop();
    await pass(600);
    const { client } = await jobs.start(define);
    expect(await client.queryState('counts', count, 'a')).toBeUndefined();
    await send(topic, 'a');
    await until('the second', async () => (await jobs.results(topic)).length === 2);
    expect(await jobs.results(topic)).toEqual(['a 1', 'a 1']);
  });

  test('is stateTtl where a state has none of its own', async () => {
    const topic = await jobs.topic();
    const short = counting(topic);
    const { client } = await jobs.start(short.define, { stateTtl: 400 });
    await send(topic, 'a');
    await until('the first', async () => (await jobs.results(topic)).length === 1);
    await until(
      'it to expire',
      async () => (await client.queryState('counts', short.count, 'a')) === undefined,
      3_000,
    );
    await pass(200);
    await send(topic, 'a');
    await until('the second', async () => (await jobs.results(topic)).length === 2);
    expect(await jobs.results(topic)).toEqual(['a 1', 'a 1']);
  });

  test('of its own goes before stateTtl', async () => {
    const topic = await jobs.topic();
    const { define, count } = counting(topic, 60_000);
    const { client } = await jobs.start(define, { stateTtl: 1 });
    await send(topic, 'a');
    await until('the first', async () => (await jobs.results(topic)).length === 1);
    await pass(100);
    expect(await client.queryState('counts', count, 'a')).toBe(1);
    await send(topic, 'a');
    await until('the second', async () => (await jobs.results(topic)).length === 2);
    expect(await jobs.results(topic)).toEqual(['a 1', 'a 2']);
  });
});

describe('every kind of state', () => {
  const STATES = kindsOfState({ ttl: 500 });

  function commanded(topic: string) {
    return (env: StreamEnvironment): void => {
      env
        .fromTopic(topicOf<StateCommand>(topic), 'g')
        .keyBy(({ key }) => key, { uid: 'by-key' })
        .process<string>(
          {
            open: (ctx) => declareAll(ctx, STATES),
            async processElement(_key, command, ctx, out) {
              apply(command, ctx, STATES);
              out.collect(await contentsOf(ctx, STATES));
            },
          },
          { uid: 'states' },
        )
        .addSink(redisStream('results'), { uid: 'results' });
    };
  }

  test('expires whole, and begins anew with the next write', async () => {
    const topic = await jobs.topic();
    const commands = KINDS.map((kind): StateCommand => ({ key: 'a', kind, action: 'add', number: 3 }));
    const { client } = await jobs.start(commanded(topic), { cacheBytes: 1 });
    const sendCommands = () =>
      jobs.send(
        topic,
        commands.map((value) => ({ key: 'a', value })),
      );
    await sendCommands();
    await until('the first round', async () => (await jobs.results(topic)).length === commands.length);
    for (const [kind, state] of Object.entries(STATES)) {
      const empty = { map: new Map(), largeMap: new Map(), list: [], set: new Set() };
      await until(`${kind} to expire`, async () => {
        const found: unknown = await client.queryState('states', state, 'a');
        return JSON.stringify(found) === JSON.stringify((empty as Record<string, unknown>)[kind]);
      });
    }
    await pass(200);
    await sendCommands();
    await until('the second round', async () => (await jobs.results(topic)).length === 2 * commands.length);
    const once = expectedContents(commands);
    expect(await jobs.results(topic)).toEqual([...once, ...once]);
  });

  test('that has expired is removed from Redis, also where its key never comes again', async () => {
    const topic = await jobs.topic();
    const commands = ['a', 'b', 'c', 'd'].flatMap((key) =>
      KINDS.map((kind): StateCommand => ({ key, kind, action: 'add', number: 3 })),
    );
    await jobs.start(commanded(topic));
    await jobs.send(
      topic,
      commands.map((value) => ({ key: value.key, value })),
    );
    await until('all', async () => (await jobs.results(topic)).length === commands.length);
    expect(await stored(topic)).toBeGreaterThan(0);
    await until('all of it to be removed', async () => (await stored(topic)) === 0);
  });
});
