import { describe, expect, test } from '@jest/globals';
import { defineJob } from '@rs/core';
import { checkpointed } from '../test-support/checkpointed.ts';
import { coded } from '../test-support/coded.ts';
import { Deferred } from '../test-support/deferred.ts';
import { LiveSource } from '../test-support/live-source.ts';
import { ManualTime } from '../test-support/manual-time.ts';
import { settle } from '../test-support/settle.ts';
import { TextStorage } from '../test-support/text-storage.ts';

describe('interval', () => {
  const setUp = (interval: number | '1m') => {
    const time = new ManualTime(1_000);
    const storage = new TextStorage();
    const { env, coordinator } = checkpointed(
      'async',
      { storage, interval },
      { clock: time, scheduler: time },
    );
    const source = new LiveSource<number>();
    const sums: number[] = [];
    const job = defineJob((env) =>
      env
        .addSource(source)
        .keyBy(() => 'k')
        .sum((n) => n)
        .addSink((sum) => void sums.push(sum)),
    );
    return { time, storage, env, coordinator, source, sums, job };
  };

  test('takes checkpoints of a run that waits, and a new process goes on from the last one', async () => {
    const { time, storage, env, source, sums, job } = setUp('1m');
    const stop = new AbortController();
    const running = env.executeAsync(job, stop);
    await time.advance(59_999);
    void source.send(1);
    void source.send(2);
    expect(storage.ids()).toEqual([]);
    await time.advance(1);
    expect(storage.ids()).toEqual([1]);
    expect(await storage.loadCheckpoint(1)).toMatchObject({ timestamp: 61_000 });
    void source.send(3);
    await time.advance(59_999);
    stop.abort();
    await running;
    expect(time.pending).toBe(0);
    expect(sums).toEqual([1, 3, 6]);

    const next = setUp('1m');
    const { env: second } = checkpointed('async', { storage }, { clock: time, scheduler: time });
    const again = second.executeAsync(next.job);
    await settle();
    for (const n of [1, 2, 3, 4]) void next.source.send(n);
    next.source.end();
    await again;
    expect(next.sums).toEqual([6, 10]);
  });

  test('leaves one out while another is on its way', async () => {
    const { time, storage, env, source, job } = setUp(10);
    const stored = new Deferred();
    storage.onStore = () => stored.promise;
    const running = env.executeAsync(job);
    await time.advance(35);
    stored.resolve();
    await settle();
    expect(storage.ids()).toEqual([1]);
    await time.advance(10);
    expect(storage.ids()).toEqual([1, 2]);
    source.end();
    await running;
    expect(storage.ids()).toEqual([1, 2, 3]);
    expect(time.pending).toBe(0);
  });

  test('is over when the run fails', async () => {
    const { time, env, source, job } = setUp(10);
    const running = env.executeAsync(job);
    await settle();
    source.fail(new Error('gone'));
    await expect(running).rejects.toThrow(coded('RS_SOURCE_FAILED'));
    expect(time.pending).toBe(0);
  });

  test('takes none of an eager run', () => {
    const time = new ManualTime();
    const { env, coordinator } = checkpointed('eager', { interval: 1 }, { clock: time, scheduler: time });
    env.fromElements(1).addSink(() => undefined);
    expect(time.pending).toBe(0);
    expect(coordinator.getLatestCheckpoint()).toBeUndefined();
  });
});
