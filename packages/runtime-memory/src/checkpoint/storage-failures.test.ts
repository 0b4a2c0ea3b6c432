import { describe, expect, test } from '@jest/globals';
import { defineJob } from '@rs/core';
import { checkpointed } from '../test-support/checkpointed.ts';
import { coded } from '../test-support/coded.ts';
import { Deferred } from '../test-support/deferred.ts';
import { LiveSource } from '../test-support/live-source.ts';
import { ManualTime } from '../test-support/manual-time.ts';
import { RecordingLogger } from '../test-support/recording-logger.ts';
import { settle } from '../test-support/settle.ts';
import { TextStorage } from '../test-support/text-storage.ts';
import { summing } from '../test-support/summing.ts';

describe('what goes wrong with a storage', () => {
  test('a checkpoint that cannot be stored is told and given up, and the run goes on', async () => {
    const storage = new TextStorage();
    const logger = new RecordingLogger();
    const { env, coordinator } = checkpointed('async', { storage }, { logger });
    storage.onStore = (id) => {
      if (id === 1) throw new Error('disk full');
    };
    const aborted: unknown[] = [];
    const sums: number[] = [];
    const job = defineJob((env) =>
      env
        .fromElements(1, 2, 3)
        .map(async (n) => {
          if (n < 3) coordinator.triggerCheckpoint();
          await settle();
          return n;
        })
        .keyBy(() => 'k')
        .sum((n) => n)
        .addSink({
          invoke: (sum) => void sums.push(sum),
          onCheckpointAbort: (id, cause) => void aborted.push([id, String(cause)]),
        }),
    );
    await env.executeAsync(job);
    expect(sums).toEqual([1, 3, 6]);
    expect(storage.ids()).toEqual([2, 3]);
    expect(aborted).toEqual([[1, 'Error: disk full']]);
    expect(logger.lines()).toContain('error checkpoint 1 was aborted');
    await expect(coordinator.getCheckpoint(1)).resolves.toBeUndefined();
  });

  test('a run whose end cannot be stored fails', async () => {
    const storage = new TextStorage();
    const logger = new RecordingLogger();
    const { env } = checkpointed('async', { storage }, { logger });
    const full = new Error('disk full');
    storage.onStore = () => {
      throw full;
    };
    const running = env.executeAsync(summing([1], []));
    await expect(running).rejects.toThrow(coded('RS_CHECKPOINT_FAILED', { cause: full }));
    storage.onStore = () => undefined;
    const sums: number[] = [];
    await env.executeAsync(summing([1], sums));
    expect(sums).toEqual([1]);
  });

  test('a run does not start when the storage cannot be opened or read', async () => {
    const storage = new TextStorage();
    const { env } = checkpointed('async', { storage });
    const sums: number[] = [];
    storage.open = () => Promise.reject(new Error('not mounted'));
    await expect(env.executeAsync(summing([1], sums))).rejects.toThrow(coded('RS_CHECKPOINT_FAILED'));
    storage.open = () => Promise.resolve();
    storage.texts.set(1, 'no checkpoint\n');
    await expect(env.executeAsync(summing([1], sums))).rejects.toThrow(coded('RS_CHECKPOINT_CORRUPT'));
    storage.texts.clear();
    await env.executeAsync(summing([1], sums));
    expect(sums).toEqual([1]);
  });

  test('old checkpoints that cannot be removed are told', async () => {
    const storage = new TextStorage();
    const logger = new RecordingLogger();
    storage.cleanupOldCheckpoints = () => Promise.reject(new Error('busy'));
    const { env } = checkpointed('async', { storage }, { logger });
    await env.executeAsync(summing([1], []));
    expect(logger.lines()).toContain('warn old checkpoints could not be removed');
    expect(storage.ids()).toEqual([1]);
  });

  test('a checkpoint of another version is refused', async () => {
    const storage = new TextStorage();
    await checkpointed('async', { storage }).env.executeAsync(summing([1], []));
    const load = storage.loadCheckpoint.bind(storage);
    storage.loadCheckpoint = async (id) => {
      const checkpoint = await load(id);
      if (checkpoint === undefined) return undefined;
      const getState = <T>(name: string) => {
        const part = checkpoint.getState<object>(name);
        return (name === 'job' ? { ...part, version: 99 } : part) as T | undefined;
      };
      return { ...checkpoint, getState };
    };
    const running = checkpointed('async', { storage }).env.executeAsync(summing([1], []));
    await expect(running).rejects.toThrow(coded('RS_CHECKPOINT_MISMATCH'));
  });

  test.each(['RS_CLOSED', undefined])('a cancelled run waits for what is being stored: %s', async (fails) => {
    const storage = new TextStorage();
    const stored = new Deferred();
    storage.onStore = async () => {
      await stored.promise;
      if (fails !== undefined) throw new Error('too late');
    };
    const { env, coordinator } = checkpointed('async', { storage }, { logger: new RecordingLogger() });
    const source = new LiveSource<number>();
    const stop = new AbortController();
    const told: string[] = [];
    const running = env.executeAsync(
      defineJob((env) =>
        env.addSource(source).addSink({
          invoke: () => undefined,
          onCheckpointComplete: (id) => void told.push(`complete ${id}`),
          onCheckpointAbort: (id) => void told.push(`abort ${id}`),
          close: () => void told.push('close'),
        }),
      ),
      stop,
    );
    await settle();
    void source.send(1);
    coordinator.triggerCheckpoint();
    await settle();
    stop.abort();
    await settle();
    expect(told).toEqual([]);
    stored.resolve();
    expect((await running).status).toBe('cancelled');
    expect(told).toEqual([fails === undefined ? 'complete 1' : 'abort 1', 'close']);
    expect(storage.ids()).toEqual(fails === undefined ? [1] : []);
  });

  test('a cancelled run does not wait longer than closeTimeout', async () => {
    const storage = new TextStorage();
    const time = new ManualTime();
    const logger = new RecordingLogger();
    storage.onStore = () => new Promise(() => undefined);
    const options = { clock: time, scheduler: time, logger, closeTimeout: 50 };
    const { env, coordinator } = checkpointed('async', { storage }, options);
    const source = new LiveSource<number>();
    const stop = new AbortController();
    const running = env.executeAsync(
      defineJob((env) => env.addSource(source).addSink(() => undefined)),
      stop,
    );
    await settle();
    coordinator.triggerCheckpoint();
    await settle();
    stop.abort();
    await time.advance(50);
    expect((await running).status).toBe('cancelled');
    expect(logger.lines()).toContain('warn a transaction or checkpoint did not close in time');
  });
});
