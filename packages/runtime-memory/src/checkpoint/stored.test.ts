import { describe, expect, test } from '@jest/globals';
import { defineJob, type SourceContext, topic } from '@rs/core';
import { MemoryTopics, StreamExecutionEnvironment } from '../index.ts';
import { checkpointed } from '../test-support/checkpointed.ts';
import { coded } from '../test-support/coded.ts';
import { Deferred } from '../test-support/deferred.ts';
import { LiveSource } from '../test-support/live-source.ts';
import { RecordingLogger } from '../test-support/recording-logger.ts';
import { settle } from '../test-support/settle.ts';
import { TextStorage } from '../test-support/text-storage.ts';
import { failAt, summing } from '../test-support/summing.ts';

describe('a run with a storage', () => {
  test('stores its end, and starting it again returns at once', async () => {
    const storage = new TextStorage();
    const sums: number[] = [];
    for (let i = 0; i < 3; i++) {
      const { env } = checkpointed('async', { storage });
      const { status } = await env.executeAsync(summing([1, 2, 3], sums));
      expect(status).toBe('finished');
    }
    expect(sums).toEqual([1, 3, 6]);
    expect(storage.ids()).toEqual([1, 2, 3]);
  });

  test('that has finished says that it reads nothing more when it is started again', async () => {
    const storage = new TextStorage();
    const logger = new RecordingLogger();
    const topics = new MemoryTopics();
    const numbers = topic<number>('numbers');
    topics.create(numbers, { partitions: 2 });
    const seen: unknown[] = [];
    const start = async () => {
      const { env } = checkpointed('async', { storage }, { topics, logger });
      await env.executeAsync(
        defineJob((env) => env.fromTopic(numbers, 'g', { until: 'now' }).addSink((n) => void seen.push(n))),
      );
    };
    topics.send(numbers, { value: 1, partition: 0 });
    await start();
    const warning =
      'warn all sources had ended in checkpoint 1: the run reads nothing, also where there is more by now';
    expect(logger.lines()).not.toContain(warning);
    topics.send(numbers, { value: 2, partition: 1 });
    await start();
    expect(seen).toEqual([1]);
    expect(logger.lines()).toContain(warning);
  });

  test('that has finished opens its sinks only, to tell them', async () => {
    const storage = new TextStorage();
    const calls: string[] = [];
    const job = defineJob((env) => {
      const source = (name: string) => ({
        open: () => void calls.push(`open ${name}`),
        run: (ctx: SourceContext<string>) => void ctx.collect(name),
        close: () => void calls.push(`close ${name}`),
      });
      env
        .addSource(source('a'))
        .union(env.addSource(source('b')))
        .addSink({
          open: () => void calls.push('open sink'),
          invoke: (value) => void calls.push(value),
          onCheckpointRestore: (id) => void calls.push(`restore ${id}`),
          close: () => void calls.push('close sink'),
        });
    });
    await checkpointed('async', { storage }).env.executeAsync(job);
    calls.length = 0;
    await checkpointed('async', { storage }).env.executeAsync(job);
    expect(calls).toEqual(['open sink', 'restore 1', 'close sink']);
  });

  test('goes on from the newest checkpoint after it failed', async () => {
    const storage = new TextStorage();
    const first = checkpointed('async', { storage });
    const sums: number[] = [];
    const stored = new Deferred();
    storage.onStore = () => stored.resolve();
    const failing = defineJob((env) =>
      env
        .fromElements(1, 2, 3, 4)
        .map(async (n) => {
          if (n === 2) first.coordinator.triggerCheckpoint();
          if (n < 4) return n;
          await stored.promise;
          await settle();
          throw new Error('crash');
        })
        .keyBy(() => 'k')
        .sum((n) => n)
        .addSink((sum) => void sums.push(sum)),
    );
    await expect(first.env.executeAsync(failing)).rejects.toThrow(coded('RS_USER_FUNCTION_FAILED'));
    expect(sums).toEqual([1, 3, 6]);
    expect(storage.ids()).toEqual([1]);

    const second = checkpointed('async', { storage });
    await second.env.executeAsync(summing([1, 2, 3, 4], sums));
    expect(sums).toEqual([1, 3, 6, 6, 10]); // 6 comes again: a plain sink sees what came after the checkpoint twice
    expect(storage.ids()).toEqual([1, 2]);
  });

  test('stores nothing at its end when it fails or is cancelled', async () => {
    const storage = new TextStorage();
    const { env } = checkpointed('async', { storage });
    await expect(env.executeAsync(summing([1, 2], [], failAt(2)))).rejects.toThrow();
    const stop = new AbortController();
    await env.executeAsync(
      summing([1, 2], [], () => stop.abort()),
      stop,
    );
    expect(storage.ids()).toEqual([]);
  });

  test('keeps the newest checkpoints', async () => {
    const storage = new TextStorage();
    const { env, coordinator } = checkpointed('async', { storage, keep: 2 });
    const job = summing([1, 2, 3, 4, 5], [], () => void coordinator.triggerCheckpoint());
    await env.executeAsync(job);
    expect(storage.ids()).toEqual([5, 6]);
    await expect(coordinator.getCheckpoint(5)).resolves.toMatchObject({ checkpointId: 5, completed: true });
    await expect(coordinator.getCheckpoint(1)).resolves.toBeUndefined();
    await expect(coordinator.getLatestCheckpoint()).resolves.toMatchObject({ checkpointId: 6 });
  });

  test('goes on while a checkpoint is being stored, and stores one at a time', async () => {
    const storage = new TextStorage();
    const stores: Deferred[] = [];
    storage.onStore = () => {
      const store = new Deferred();
      stores.push(store);
      return store.promise;
    };
    const { env, coordinator } = checkpointed('async', { storage });
    const source = new LiveSource<number>();
    const seen: number[] = [];
    const running = env.executeAsync(
      defineJob((env) => env.addSource(source).addSink((n) => void seen.push(n))),
    );
    await settle();
    void source.send(1);
    coordinator.triggerCheckpoint();
    coordinator.triggerCheckpoint();
    await settle();
    void source.send(2);
    await settle();
    expect(seen).toEqual([1, 2]);
    expect(storage.calls.filter((call) => call.startsWith('store'))).toEqual(['store 1']);
    stores[0]?.resolve();
    await settle();
    expect(storage.calls.filter((call) => call.startsWith('store'))).toEqual(['store 1', 'store 2']);
    source.end();
    await settle();
    stores[1]?.resolve();
    await settle();
    stores[2]?.resolve();
    await running;
    expect(storage.ids()).toEqual([1, 2, 3]);
  });

  test('begins anew where restoreFromLatest is off, with higher ids', async () => {
    const storage = new TextStorage();
    const sums: number[] = [];
    await checkpointed('async', { storage }).env.executeAsync(summing([1, 2], sums));
    const { env } = checkpointed('async', { storage, restoreFromLatest: false });
    await env.executeAsync(summing([1, 2], sums));
    expect(sums).toEqual([1, 3, 1, 3]);
    expect(storage.ids()).toEqual([1, 2]);
  });

  test('begins from an older checkpoint when told so, until a newer one is stored', async () => {
    const storage = new TextStorage();
    const first = checkpointed('async', { storage, keep: 10 });
    const take = () => void first.coordinator.triggerCheckpoint();
    await first.env.executeAsync(summing([1, 2, 3], [], take)); // 1, 2, 3, and 4 at the end

    const { env, coordinator } = checkpointed('async', { storage, keep: 10 });
    await coordinator.restoreFromCheckpoint(2);
    const sums: number[] = [];
    await expect(env.executeAsync(summing([1, 2, 3], sums, failAt(3)))).rejects.toThrow();
    await env.executeAsync(summing([1, 2, 3], sums));
    expect(sums).toEqual([6]);
    expect(storage.ids()).toEqual([1, 2, 3, 4, 5]);
    await env.executeAsync(summing([1, 2, 3], sums));
    expect(sums).toEqual([6]);
  });

  test('goes back in the middle of a run once the checkpoint was read', async () => {
    const { env, coordinator } = checkpointed('async', { storage: new TextStorage() });
    const sums: number[] = [];
    const job = defineJob((env) =>
      env
        .fromElements(1, 2, 3, 4)
        .map(async (n) => {
          if (n === 2) coordinator.triggerCheckpoint();
          if (n === 4) await coordinator.restoreFromCheckpoint(1);
          else await settle();
          return n;
        })
        .keyBy(() => 'k')
        .sum((n) => n)
        .addSink((sum) => void sums.push(sum)),
    );
    await env.executeAsync(job);
    expect(sums).toEqual([1, 3, 6, 7]);
  });

  test('a restore that is read when the run has ended has no effect', async () => {
    const storage = new TextStorage();
    const { env, coordinator } = checkpointed('async', { storage });
    const gate = new Deferred();
    const load = storage.loadCheckpoint.bind(storage);
    let restoring: unknown;
    await env.executeAsync(
      summing([1], [], () => {
        storage.loadCheckpoint = async (id) => {
          await gate.promise;
          return load(id);
        };
        restoring = Promise.resolve(coordinator.restoreFromCheckpoint(1));
      }),
    );
    gate.resolve();
    await expect(restoring).rejects.toThrow(coded('RS_CLOSED'));
  });

  test('an unknown id is refused', async () => {
    const { coordinator } = checkpointed('async', { storage: new TextStorage() });
    await expect(coordinator.restoreFromCheckpoint(3)).rejects.toThrow(coded('RS_UNKNOWN_CHECKPOINT'));
  });

  test('is not possible at once, since nobody could wait', () => {
    const { env } = checkpointed('eager', { storage: new TextStorage() });
    expect(() => env.fromElements(1).addSink(() => undefined)).toThrow(coded('RS_UNSUPPORTED'));
    expect(() => [...env.fromElements(1)]).toThrow(coded('RS_UNSUPPORTED'));
  });

  test('uses the storage alone', async () => {
    const { env } = checkpointed('async', { storage: new TextStorage() });
    const first = env.executeAsync(summing([1], []));
    await expect(env.executeAsync(summing([1], []))).rejects.toThrow(coded('RS_UNSUPPORTED'));
    await first;
    await env.executeAsync(summing([1], []));
  });

  test('a trigger outside of it gives the end of the last run, and nothing before one', async () => {
    const storage = new TextStorage();
    const { env, coordinator } = checkpointed('async', { storage });
    expect(() => coordinator.triggerCheckpoint()).toThrow(coded('RS_UNSUPPORTED'));
    await env.executeAsync(summing([1], []));
    expect(coordinator.triggerCheckpoint()).toBe(1);
    expect(storage.ids()).toEqual([1]);
    await expect(env.executeAsync(summing([1], [], failAt(1)))).resolves.toMatchObject({
      status: 'finished',
    });
  });

  test('reads the partitions of a topic from where each was', async () => {
    const storage = new TextStorage();
    const topics = new MemoryTopics();
    topics.create('numbers', { partitions: 8 });
    for (let n = 0; n < 100; n++) topics.send('numbers', { key: `k${n % 13}`, value: n, timestamp: n });
    const results: (readonly [rest: number, sum: number])[] = [];
    const attempt = async (failAtNth: number) => {
      const { env, coordinator } = checkpointed('async', { storage }, { topics });
      let seen = 0;
      const job = defineJob((env) =>
        env
          .fromMqTopicWithId('numbers', 'numbers', 'g', { until: 'now' })
          .map(async (message) => {
            if (++seen === failAtNth) throw new Error('crash');
            if (seen % 10 === 0) {
              coordinator.triggerCheckpoint();
            }
            await Promise.resolve();
            const value = message.value as number;
            return [value % 5, value] as const;
          })
          .keyBy(([rest]) => rest, { uid: 'by-rest' })
          .reduce(([rest, a], [, b]) => [rest, a + b], { uid: 'sum' })
          .addSink((result) => void results.push(result)),
      );
      return env.executeAsync(job);
    };
    await expect(attempt(37)).rejects.toThrow(coded('RS_USER_FUNCTION_FAILED'));
    await expect(attempt(25)).rejects.toThrow(coded('RS_USER_FUNCTION_FAILED'));
    await attempt(0);
    // The last sum of each key is that of all of its numbers, and none was ever higher.
    const expected = [0, 1, 2, 3, 4].map((rest) => [rest, 20 * rest + 5 * 190] as const);
    expect([...new Map(results)].sort()).toEqual(expected);
    for (const [rest, sum] of results) expect(sum).toBeLessThanOrEqual(expected[rest]?.[1] ?? 0);
    expect(results.length).toBeGreaterThan(100); // What came after a checkpoint came twice.
  });
});

test('an environment without checkpointing keeps nothing', async () => {
  const env = StreamExecutionEnvironment.getExecutionEnvironment();
  await env.executeAsync(summing([1], []));
  expect(env.getCheckpointCoordinator()).toBeUndefined();
});
