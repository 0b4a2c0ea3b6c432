import { describe, expect, test } from '@jest/globals';
import { type StreamEnvironment, topic as topicOf } from '@rs/core';
import { useRedis } from '@rs/redis-server/jest';
import fc from 'fast-check';
import { redisStream } from '../sink/slot/redis-stream.ts';
import {
  ACTIONS,
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
const STATES = kindsOfState();

/** Does what commands say, and gives all that the states of the key then hold. */
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

const command: fc.Arbitrary<StateCommand> = fc.record({
  key: fc.constantFrom('a', 'b', 'c'),
  kind: fc.constantFrom(...KINDS),
  action: fc.constantFrom(...ACTIONS),
  number: fc.integer({ min: 1, max: 99 }),
});

/** One of each kind for one key, in the order of the kinds. */
function oneOfEach(key: string, number: number): StateCommand[] {
  return KINDS.map((kind) => ({ key, kind, action: 'add', number }));
}

async function send(topic: string, commands: readonly StateCommand[]): Promise<void> {
  if (commands.length === 0) return;
  await jobs.send(
    topic,
    commands.map((value) => ({ key: value.key, value })),
  );
}

/** As redisStream writes text. */
function texts(commands: readonly StateCommand[]): string[] {
  return expectedContents(commands);
}

test.each(['stop', 'kill'] as const)(
  'every kind of state is there for the next one after a %s',
  async (end) => {
    const topic = await jobs.topic();
    const commands = [...oneOfEach('a', 1), ...oneOfEach('b', 2), ...oneOfEach('a', 7)];
    await send(topic, commands.slice(0, 14));
    const first = await jobs.start(commanded(topic), { lease: 500 });
    await until('the first half', async () => (await jobs.results(topic)).length === 14);
    if (end === 'stop') await first.client.stop();
    else await first.kill();
    await send(topic, commands.slice(14));
    await jobs.start(commanded(topic), { lease: 500 });
    await until('the second half', async () => (await jobs.results(topic)).length === commands.length);
    expect(await jobs.results(topic)).toEqual(texts(commands));
  },
);

describe('whatever is done to states, with whatever restarts, batches and caches, they hold what they would in memory', () => {
  test('restarts at any place', async () => {
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(command, { maxLength: 20 }), { minLength: 1, maxLength: 5 }),
        fc.constantFrom(1, 3, 500),
        fc.constantFrom(1, 1_000, undefined),
        fc.boolean(),
        async (lives, records, cacheBytes, drain) => {
          const job = `${jobs.jobName}-${runs++}`;
          const topic = await jobs.topic();
          for (const commands of lives) {
            const { client } = await jobs.start(commanded(topic), {
              jobName: job,
              batch: { records },
              ...(cacheBytes === undefined ? {} : { cacheBytes }),
            });
            await send(topic, commands);
            await client.stop({ drain });
          }
          const all = lives.flat();
          const { client } = await jobs.start(commanded(topic), { jobName: job });
          await until('all', async () => (await jobs.results(topic, { job })).length >= all.length);
          expect(await jobs.results(topic, { job })).toEqual(texts(all));
          await client.stop();
        },
      ),
      { numRuns: 8 },
    );
  });
});
