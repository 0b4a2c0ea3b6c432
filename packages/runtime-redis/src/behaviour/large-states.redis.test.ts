import { describe, expect, test } from '@jest/globals';
import { type StreamEnvironment, topic as topicOf, valueState } from '@rs/core';
import { useRedis } from '@rs/redis-server/jest';
import type { RedisRuntimeConfig } from '../options/config.ts';
import { redisStream } from '../sink/slot/redis-stream.ts';
import { until, useJobs } from '../test-support/use-jobs.ts';

const jobs = useJobs(useRedis());
const SEEN = valueState('seen', { default: () => 0 });

/** Counts words; each word is a field of a hash. */
function counting(topic: string) {
  return (env: StreamEnvironment): void => {
    env
      .fromTopic(topicOf<string>(topic), 'g')
      .keyBy((word) => word, { uid: 'by-word' })
      .process<string>(
        {
          open: (ctx) => void ctx.state(SEEN),
          processElement(word, _value, ctx, out) {
            const seen = ctx.state(SEEN);
            seen.update(seen.value() + 1);
            out.collect(`${word} ${seen.value()}`);
          },
        },
        { uid: 'counts' },
      )
      .addSink(redisStream('results'), { uid: 'results' });
  };
}

async function send(topic: string, ...words: readonly string[]): Promise<void> {
  await jobs.send(
    topic,
    words.map((value) => ({ key: value, value })),
  );
}

const watched = (policy: RedisRuntimeConfig['keyedStateHotKeyPolicy']): RedisRuntimeConfig => ({
  keyedStateShardCount: 1,
  stateSizeReportEveryNStateWrites: 1,
  keyedStateHotKeyFieldsWarnThreshold: 3,
  ...(policy === undefined ? {} : { keyedStateHotKeyPolicy: policy }),
});

function warnings(): readonly Readonly<Record<string, unknown>>[] {
  return jobs.log
    .filter(({ message }) => message.includes('a hash of keyed state has'))
    .map(({ facts }) => facts);
}

describe('keyedStateShardCount', () => {
  test.each([1, 2, 40])(
    '%d: the fields of a state are spread over so many hashes, and found again',
    async (shards) => {
      const topic = await jobs.topic();
      const words = Array.from({ length: 100 }, (_unused, n) => `word-${n}`);
      const config = { keyedStateShardCount: shards };
      await send(topic, ...words);
      const first = await jobs.start(counting(topic), config);
      await until('all', async () => (await jobs.results(topic)).length === 100);
      await first.client.stop();
      const keys = await jobs.redis.keys(
        `${jobs.prefix}:{${topic}#0}:p0:t:${jobs.jobName}:*:s:counts:seen:*`,
      );
      const sizes = await Promise.all(keys.map((key) => jobs.redis.hlen(key)));
      expect(sizes.reduce((a, b) => a + b)).toBe(100);
      expect(keys.length).toBeLessThanOrEqual(shards);
      expect(keys.length).toBeGreaterThan(shards * 0.75);
      expect(Math.max(...sizes)).toBeLessThan((100 / shards) * 4);
      await send(topic, ...words);
      await jobs.start(counting(topic), config);
      await until('all again', async () => (await jobs.results(topic)).length === 200);
      expect((await jobs.results(topic)).slice(100)).toEqual(words.map((word) => `${word} 2`));
    },
  );
});

describe('a hash of state with too many fields', () => {
  test('LOG_ONLY: is told once for a while, and nothing else happens', async () => {
    const topic = await jobs.topic();
    await jobs.start(counting(topic), watched(undefined));
    await send(topic, 'a', 'b', 'c');
    await until('the warning', () => warnings().length > 0);
    await send(topic, 'd', 'e', 'a');
    await until('all', async () => (await jobs.results(topic)).length === 6);
    expect(await jobs.results(topic)).toEqual(['a 1', 'b 1', 'c 1', 'd 1', 'e 1', 'a 2']);
    expect(warnings()).toMatchObject([{ fields: 3, threshold: 3, policy: 'LOG_ONLY' }]);
  });

  test('THROTTLE: commits that come then wait', async () => {
    const topic = await jobs.topic();
    await jobs.start(counting(topic), { ...watched('THROTTLE'), keyedStateHotKeyThrottleMaxMs: 300 });
    await send(topic, 'a', 'b', 'c');
    await until('the warning', () => warnings().length > 0);
    const before = await jobs.now();
    for (const word of ['d', 'e', 'f']) {
      const so = (await jobs.results(topic)).length;
      await send(topic, word);
      await until(word, async () => (await jobs.results(topic)).length === so + 1);
    }
    // The first one may have been let in before the task looked.
    expect((await jobs.now()) - before).toBeGreaterThanOrEqual(2 * 300 - 50);
    expect(await jobs.results(topic)).toHaveLength(6);
  });

  test('FAIL_FAST: records that write to it become dead letters, those of others do not, and later it is looked at again', async () => {
    const topic = await jobs.topic();
    const { client } = await jobs.start(counting(topic), {
      ...watched('FAIL_FAST'),
      keyedStateHotKeyWarnInterval: 1_500,
    });
    await send(topic, 'a', 'b', 'c');
    await until('the warning', () => warnings().length > 0);
    await send(topic, 'd', 'e');
    await until('two dead letters', async () => (await jobs.deadLetters(topic)).length === 2);
    const [letter] = await jobs.deadLetters(topic);
    await expect(letter?.decode()).resolves.toMatchObject({
      value: 'd',
      headers: { 'x-runtime-error-message': expect.stringContaining('FAIL_FAST') as unknown },
    });
    expect(await jobs.results(topic)).toEqual(['a 1', 'b 1', 'c 1']);
    expect(await client.queryState('counts', SEEN, 'd')).toBeUndefined();
    // After the interval writes are let through, until its size is known again.
    await until('it to be let through', async () => {
      await send(topic, 'f');
      return (await jobs.results(topic)).length > 3;
    });
    await until('the second warning', () => warnings().length > 1);
  });
});

describe('a cache that is much too small', () => {
  test('changes no result', async () => {
    const topic = await jobs.topic();
    const words = Array.from({ length: 2_000 }, (_unused, n) => `word-${n}`);
    await jobs.start(counting(topic), { cacheBytes: 1, batch: { records: 50 } });
    await send(topic, ...words, ...words, 'word-7');
    await until('all', async () => (await jobs.results(topic)).length === 4_001, 30_000);
    expect(await jobs.results(topic)).toEqual([
      ...words.map((word) => `${word} 1`),
      ...words.map((word) => `${word} 2`),
      'word-7 3',
    ]);
  });
});
