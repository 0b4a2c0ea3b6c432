import { describe, expect, test } from '@jest/globals';
import { listState, mapState, type StreamEnvironment, topic as topicOf, valueState } from '@rs/core';
import { useRedis } from '@rs/redis-server/jest';
import { redisStream } from '../sink/slot/redis-stream.ts';
import { apply, declareAll, KINDS, kindsOfState, type StateCommand } from '../test-support/kinds-of-state.ts';
import { until, useJobs } from '../test-support/use-jobs.ts';

const jobs = useJobs(useRedis());
const STATES = kindsOfState();
const FLAG = valueState<boolean>('flag');
const FIRST = valueState<number>('value', { default: () => 7 });

function commanded(topic: string) {
  return (env: StreamEnvironment): void => {
    const keyed = env
      .fromMqTopicWithId('in', topic, 'g')
      .map(({ value }) => value as StateCommand)
      .keyBy(({ key }) => key, { uid: 'by-key', colocated: true });
    keyed.getState(FLAG);
    keyed.sum(({ number }) => number, { uid: 'sums' }).addSink(() => undefined, { uid: 'sums.out' });
    keyed
      .process<string>(
        {
          open: (ctx) => declareAll(ctx, STATES),
          processElement(key, command, ctx, out) {
            apply(command, ctx, STATES);
            ctx.state(FLAG).update(true);
            out.collect(key);
          },
        },
        { uid: 'states' },
      )
      .addSink(redisStream('results'), { uid: 'results' });
  };
}

async function send(topic: string, ...commands: readonly StateCommand[]): Promise<void> {
  await jobs.send(
    topic,
    commands.map((value) => ({ key: value.key, value })),
  );
}

const added = (key: string, number: number): StateCommand[] =>
  KINDS.map((kind) => ({ key, kind, action: 'add', number }));

describe('queryState', () => {
  test('gives what is committed of every kind of state, whichever process has the partition', async () => {
    const topic = await jobs.topic(4);
    const [one, other] = [await jobs.start(commanded(topic)), await jobs.start(commanded(topic))];
    const keys = Array.from({ length: 12 }, (_unused, n) => `key-${n}`);
    await send(topic, ...keys.flatMap((key, n) => [...added(key, n + 1), ...added(key, 50)]));
    await until('all', async () => (await jobs.results(topic)).length === keys.length * 14);
    await Promise.all([one.client.ready(), other.client.ready()]);
    for (const { client } of [one, other]) {
      for (const [n, key] of keys.entries()) {
        const first = n + 1;
        expect(await client.queryState('states', STATES.value, key)).toBe(50);
        expect(await client.queryState('states', STATES.map, key)).toEqual(
          new Map([
            [first % 5, first],
            [0, 50],
          ]),
        );
        expect(await client.queryState('states', STATES.list, key)).toEqual([first, 50]);
        expect(await client.queryState('states', STATES.set, key)).toEqual(new Set([first % 5, 0]));
        expect(await client.queryState('states', STATES.reducing, key)).toBe(first + 50);
        expect(await client.queryState('states', STATES.aggregating, key)).toBe((first + 50) / 2);
        expect(await client.queryState('states', STATES.largeMap, key)).toEqual(
          new Map([
            [first % 5, first],
            [0, 50],
          ]),
        );
        expect(await client.queryState('by-key', FLAG, key)).toBe(true);
      }
    }
  });

  test('of a key that has nothing: no value, though the descriptor has a default, and empty collections', async () => {
    const topic = await jobs.topic();
    const { client } = await jobs.start(commanded(topic));
    await send(topic, { key: 'a', kind: 'map', action: 'add', number: 1 });
    await until('it', async () => (await jobs.results(topic)).length === 1);
    for (const key of ['a', 'nobody', '', 1, 1n, true, ['a', 'b'], { a: 1 }, Uint8Array.of(1)]) {
      expect(await client.queryState('states', FIRST, key)).toBeUndefined();
      expect(await client.queryState('states', STATES.list, key)).toEqual([]);
      expect(await client.queryState('states', STATES.set, key)).toEqual(new Set());
      expect(await client.queryState('states', STATES.largeMap, key)).toEqual(new Map());
      expect(await client.queryState('states', STATES.reducing, key)).toBeUndefined();
      expect(await client.queryState('states', STATES.aggregating, key)).toBeUndefined();
    }
    expect(await client.queryState('states', STATES.map, 'a')).toEqual(new Map([[1, 1]]));
    expect(await client.queryState('states', STATES.map, 'b')).toEqual(new Map());
  });

  test('refuses an operator that the job has not, a state of another kind, and a key that is none', async () => {
    const topic = await jobs.topic();
    const { client } = await jobs.start(commanded(topic));
    await send(topic, ...added('a', 1));
    await until('it', async () => (await jobs.results(topic)).length === KINDS.length);
    await expect(client.queryState('nowhere', STATES.value, 'a')).rejects.toMatchObject({
      code: 'RS_INVALID_ARGUMENT',
      message: expect.stringContaining("no operator 'nowhere'; it has") as unknown,
    });
    await expect(client.queryState('by-key', STATES.value, 'a')).rejects.toMatchObject({
      code: 'RS_STATE_UNDECLARED',
      message: expect.stringContaining(
        "keyBy 'by-key' has declared no state 'value'; it has flag",
      ) as unknown,
    });
    await expect(client.queryState('results', STATES.value, 'a')).rejects.toMatchObject({
      code: 'RS_STATE_UNDECLARED',
    });
    // What operators keep for themselves is no state of the job.
    await expect(client.queryState('sums', valueState('accumulator'), 'a')).rejects.toMatchObject({
      code: 'RS_STATE_UNDECLARED',
    });
    await expect(client.queryState('states', {} as never, 'a')).rejects.toMatchObject({
      code: 'RS_INVALID_ARGUMENT',
    });
    await expect(client.queryState('by-key', listState('flag'), 'a')).rejects.toMatchObject({
      code: 'RS_INVALID_ARGUMENT',
      message: expect.stringContaining(
        "state 'flag' of keyBy 'by-key' is a value state, not a list state",
      ) as unknown,
    });
    await expect(client.queryState('states', mapState('value'), 'a')).rejects.toMatchObject({
      code: 'RS_INVALID_VALUE',
    });
    for (const key of [undefined, null, NaN, Symbol('key'), () => 0, new Date(0)]) {
      await expect(client.queryState('states', STATES.value, key)).rejects.toMatchObject({
        code: 'RS_INVALID_KEY',
      });
    }
  });

  test('sees nothing of a batch that is not committed, and everything of one that is', async () => {
    const topic = await jobs.topic();
    const count = valueState('count', { default: () => 0 });
    const seen: unknown[] = [];
    let ask: () => Promise<unknown> = () => Promise.resolve();
    const { client } = await jobs.start((env) => {
      env
        .fromTopic(topicOf<number>(topic), 'g')
        .keyBy(() => 'all')
        .process<string>(
          {
            open: (ctx) => void ctx.state(count),
            async processElement(_key, _value, ctx, out) {
              const state = ctx.state(count);
              state.update(state.value() + 1);
              seen.push(await ask());
              out.collect('done');
            },
          },
          { uid: 'counts' },
        )
        .addSink(redisStream('results'), { uid: 'results' });
    });
    ask = () => client.queryState('counts', count, 'all');
    await jobs.send(
      topic,
      [1, 2].map((value) => ({ value })),
    );
    await until('both', async () => (await jobs.results(topic)).length === 2);
    expect(seen[0]).toBeUndefined();
    expect(await client.queryState('counts', count, 'all')).toBe(2);
  });
});
