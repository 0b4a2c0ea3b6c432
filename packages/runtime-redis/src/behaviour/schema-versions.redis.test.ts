import { describe, expect, test } from '@jest/globals';
import {
  largeMapState,
  listState,
  mapState,
  type StateDescriptor,
  type StreamEnvironment,
  topic as topicOf,
  type ValueStateDescriptor,
  valueState,
} from '@rs/core';
import { useRedis } from '@rs/redis-server/jest';
import type { RedisRuntimeConfig } from '../options/config.ts';
import { redisStream } from '../sink/slot/redis-stream.ts';
import { until, useJobs } from '../test-support/use-jobs.ts';

const jobs = useJobs(useRedis());

interface Total {
  readonly sum: number;
}

const FIRST = valueState<number>('total');
const migrated: string[] = [];
const SECOND = valueState<Total>('total', {
  schemaVersion: 2,
  migrate: (old, from) => {
    migrated.push(`${String(old)} of ${from}`);
    return { sum: Number(old) };
  },
});
const UNABLE = valueState<Total>('total', { schemaVersion: 2 });

/** A total for each word: of what it was, and one more. `declared`: by the stream, so that it is known before the job runs. */
function totals<T>(
  topic: string,
  state: ValueStateDescriptor<T | undefined>,
  add: (old: T | undefined) => T,
  declared: 'by the stream' | 'in open' = 'by the stream',
) {
  return (env: StreamEnvironment): void => {
    const words = env
      .fromMqTopicWithId('in', topic, 'g')
      .map(({ value }) => String(value))
      .keyBy((word) => word, { uid: 'by-word' });
    if (declared === 'by the stream') words.getState(state);
    words
      .process<string>(
        {
          ...(declared === 'in open' ? { open: (ctx) => void ctx.state(state) } : {}),
          processElement(word, _value, ctx, out) {
            const total = ctx.state(state);
            total.update(add(total.value()));
            out.collect(`${word} ${JSON.stringify(total.value())}`);
          },
        },
        { uid: 'totals' },
      )
      .addSink(redisStream('results'), { uid: 'results' });
  };
}

const addNumber = (old: number | undefined): number => (old ?? 0) + 1;
const addTotal = (old: Total | undefined): Total => ({ sum: (old?.sum ?? 0) + 1 });

async function send(topic: string, ...words: readonly string[]): Promise<void> {
  await jobs.send(
    topic,
    words.map((value) => ({ key: value, value })),
  );
}

/** Runs a job until it has so many results, and stops it. */
async function run(
  topic: string,
  define: (env: StreamEnvironment) => void,
  results: number,
  config?: RedisRuntimeConfig,
): Promise<void> {
  const { client } = await jobs.start(define, config);
  await until(`${results} results`, async () => (await jobs.results(topic)).length >= results);
  await client.stop();
}

/** What is stored of the words, with its header. */
async function stored(topic: string): Promise<string[]> {
  const keys = await jobs.redis.keys(`${jobs.prefix}:{${topic}#0}:p0:t:${jobs.jobName}:in:s:*`);
  const hashes = await Promise.all(keys.map((key) => jobs.redis.hgetall(key)));
  return hashes.flatMap((hash) => Object.values(hash)).sort();
}

test('migrate turns each value into the new form when it is read, and not before', async () => {
  const topic = await jobs.topic();
  await send(topic, 'a', 'a', 'b');
  await run(topic, totals(topic, FIRST, addNumber), 3);
  migrated.length = 0;
  await send(topic, 'a', 'c');
  const { client } = await jobs.start(totals(topic, SECOND, addTotal));
  await until('all', async () => (await jobs.results(topic)).length === 5);
  expect(await jobs.results(topic)).toEqual(['a 1', 'a 2', 'b 1', 'a {"sum":3}', 'c {"sum":1}']);
  expect(migrated).toEqual(['2 of 1']);
  expect(await stored(topic)).toEqual(['1|1', '2|{"sum":1}', '2|{"sum":3}']);
  expect(await client.queryState('by-word', SECOND, 'b')).toEqual({ sum: 1 });
  expect(await stored(topic)).toEqual(['1|1', '2|{"sum":1}', '2|{"sum":3}']);
});

test('FAIL: a job whose state cannot read what is stored does not start, says so, and changes nothing', async () => {
  const topic = await jobs.topic();
  await send(topic, 'a');
  await run(topic, totals(topic, FIRST, addNumber), 1);
  await expect(jobs.start(totals(topic, UNABLE, addTotal))).rejects.toMatchObject({
    code: 'RS_MANIFEST_MISMATCH',
    message: expect.stringContaining(
      "state 'total' of keyBy 'by-word' has schemaVersion 2 and no migrate, but values of version 1 are stored",
    ) as unknown,
  });
  await send(topic, 'a');
  await run(topic, totals(topic, FIRST, addNumber), 2);
  expect(await jobs.results(topic)).toEqual(['a 1', 'a 2']);
});

test('FAIL: nor does one of an older version than what is stored', async () => {
  const topic = await jobs.topic();
  await send(topic, 'a');
  await run(topic, totals(topic, SECOND, addTotal), 1);
  await expect(jobs.start(totals(topic, FIRST, addNumber))).rejects.toMatchObject({
    code: 'RS_MANIFEST_MISMATCH',
    message: expect.stringContaining('has schemaVersion 1, but values of version 2 are stored') as unknown,
  });
});

test('FAIL: where a state is only known once it runs, the job stops at the first value that it cannot read', async () => {
  const topic = await jobs.topic();
  await send(topic, 'a');
  await run(topic, totals(topic, FIRST, addNumber, 'in open'), 1);
  await send(topic, 'b', 'a', 'c');
  const { client } = await jobs.start(totals(topic, UNABLE, addTotal, 'in open'), { batch: { records: 1 } });
  await expect(client.awaitTermination()).rejects.toMatchObject({
    code: 'RS_INVALID_VALUE',
    message: expect.stringContaining("state 'total' holds version 1") as unknown,
  });
  // No record is to blame: all are there for a definition that can read it.
  expect(await jobs.deadLetters(topic)).toEqual([]);
  await run(topic, totals(topic, SECOND, addTotal, 'in open'), 4);
  expect(await jobs.results(topic)).toEqual(['a 1', 'b {"sum":1}', 'a {"sum":2}', 'c {"sum":1}']);
});

test('CLEAR: a value of another version counts for nothing, and leaves Redis when its key comes', async () => {
  const topic = await jobs.topic();
  await send(topic, 'a', 'a', 'b');
  await run(topic, totals(topic, FIRST, addNumber), 3);
  await send(topic, 'a');
  const { client } = await jobs.start(totals(topic, UNABLE, addTotal), {
    stateSchemaMismatchPolicy: 'CLEAR',
  });
  await until('all', async () => (await jobs.results(topic)).length === 4);
  expect(await jobs.results(topic)).toEqual(['a 1', 'a 2', 'b 1', 'a {"sum":1}']);
  expect(await stored(topic)).toEqual(['1|1', '2|{"sum":1}']);
  expect(await client.queryState('by-word', UNABLE, 'b')).toBeUndefined();
});

test.each<[string, RedisRuntimeConfig]>([
  ['IGNORE', { stateSchemaMismatchPolicy: 'IGNORE' }],
  ['stateSchemaEvolutionEnabled: false', { stateSchemaEvolutionEnabled: false }],
])('%s: values of another version are read as they are', async (_, config) => {
  const topic = await jobs.topic();
  const later = valueState<number>('total', { schemaVersion: 5 });
  await send(topic, 'a', 'a', 'b');
  await run(topic, totals(topic, FIRST, addNumber), 3);
  await send(topic, 'a');
  const { client } = await jobs.start(totals(topic, later, addNumber), config);
  await until('all', async () => (await jobs.results(topic)).length === 4);
  expect(await jobs.results(topic)).toEqual(['a 1', 'a 2', 'b 1', 'a 3']);
  expect(await client.queryState('by-word', later, 'b')).toBe(1);
});

describe('collections', () => {
  const versions = (version: number, migrate?: (old: unknown) => number) => {
    const options = { schemaVersion: version, ...(migrate === undefined ? {} : { migrate }) };
    return {
      map: mapState<string, number>('map', options),
      list: listState<number>('list', options),
      large: largeMapState<string, number>('large', options),
    };
  };
  type Versions = ReturnType<typeof versions>;

  function collecting(topic: string, states: Versions) {
    return (env: StreamEnvironment): void => {
      env
        .fromTopic(topicOf<number>(topic), 'g')
        .keyBy(() => 'all', { uid: 'by-nothing' })
        .process<string>(
          {
            open: (ctx) => {
              for (const state of Object.values<StateDescriptor>(states)) ctx.state(state);
            },
            async processElement(_key, value, ctx, out) {
              ctx.state(states.map).put(`k${value}`, value);
              ctx.state(states.list).add(value);
              ctx.state(states.large).put(`k${value}`, value);
              const large: number[] = [];
              for await (const each of ctx.state(states.large).values()) large.push(each);
              out.collect(
                [[...ctx.state(states.map).values()], ctx.state(states.list).get(), large].join(' | '),
              );
            },
          },
          { uid: 'collections' },
        )
        .addSink(redisStream('results'), { uid: 'results' });
    };
  }

  const numbered = (...values: readonly number[]) => values.map((value) => ({ key: 'k', value }));

  test.each<[string, Versions, RedisRuntimeConfig, string]>([
    ['are migrated whole', versions(2, (old) => Number(old) * 10), {}, '10,20,3 | 10,20,3 | 10,20,3'],
    ['are cleared whole by CLEAR', versions(2), { stateSchemaMismatchPolicy: 'CLEAR' }, '3 | 3 | 3'],
    [
      'are read as they are by IGNORE',
      versions(2),
      { stateSchemaMismatchPolicy: 'IGNORE' },
      '1,2,3 | 1,2,3 | 1,2,3',
    ],
  ])('%s', async (_, next, config, expected) => {
    const topic = await jobs.topic();
    await jobs.send(topic, numbered(1, 2));
    await run(topic, collecting(topic, versions(1)), 2);
    await jobs.send(topic, numbered(3));
    await run(topic, collecting(topic, next), 3, config);
    expect((await jobs.results(topic))[2]).toBe(expected);
    // What was written by then has one version.
    await jobs.send(topic, numbered(3));
    await run(topic, collecting(topic, next), 4, config);
    const more = config.stateSchemaMismatchPolicy === 'CLEAR' ? '3 | 3,3 | 3' : expected.split(' | ');
    expect((await jobs.results(topic))[3]).toBe(
      typeof more === 'string' ? more : `${more[0]} | ${more[1]},3 | ${more[2]}`,
    );
  });
});
