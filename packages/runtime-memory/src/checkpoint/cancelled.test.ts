import { describe, expect, test } from '@jest/globals';
import { defineJob, type StreamSource } from '@rs/core';
import { checkpointed } from '../test-support/checkpointed.ts';
import { coded } from '../test-support/coded.ts';
import { Deferred } from '../test-support/deferred.ts';
import { Ledger } from '../test-support/ledger.ts';
import { LiveSource } from '../test-support/live-source.ts';
import { ManualTime } from '../test-support/manual-time.ts';
import { RecordingLogger } from '../test-support/recording-logger.ts';
import { settle } from '../test-support/settle.ts';
import { TextStorage } from '../test-support/text-storage.ts';

describe('a run that is cancelled while a checkpoint is taken', () => {
  test.each(['onCheckpointStart', 'preCommit'] as const)('waits for %s, and stores nothing', async (hook) => {
    const storage = new TextStorage();
    const { env, coordinator } = checkpointed('async', { storage });
    const ledger = new Ledger();
    const gate = new Deferred();
    const calls: string[] = [];
    const source = new LiveSource<number>();
    const stop = new AbortController();
    const sink = ledger.sink((call) => void calls.push(call));
    const slow = async (txn: unknown) => {
      await gate.promise;
      if (hook === 'preCommit') await sink.preCommit(txn as { txn: number });
    };
    const running = env.executeAsync(
      defineJob((env) =>
        env.addSource(source).addSink({
          ...sink,
          [hook]: slow,
          onCheckpointAbort: (id) => void calls.push(`aborted ${id}`),
          close: () => void calls.push('close'),
        }),
      ),
      stop,
    );
    await settle();
    void source.send(1);
    coordinator.triggerCheckpoint();
    await settle();
    calls.length = 0;
    stop.abort();
    await settle();
    expect(calls).toEqual([]);
    gate.resolve();
    expect((await running).status).toBe('cancelled');
    const prepared = hook === 'preCommit' ? ['prepare 1', 'prepare 1'] : [];
    expect(calls).toEqual([...prepared, 'aborted 1', 'abort 1', 'abort 1', 'close']);
    expect(storage.ids()).toEqual([]);
    await expect(coordinator.getCheckpoint(1)).resolves.toBeUndefined();
  });
});

describe('a run that is cancelled while a checkpoint is stored', () => {
  /** Cancels a run while checkpoint 1 is being stored; the next one reads what the first one has read, and more. */
  async function cancelWhileStoring() {
    const storage = new TextStorage();
    const time = new ManualTime();
    const options = { clock: time, scheduler: time, logger: new RecordingLogger(), closeTimeout: 50 };
    const { env, coordinator } = checkpointed('async', { storage }, options);
    const store = new Deferred();
    storage.onStore = () => store.promise;
    const ledger = new Ledger();
    const live = new LiveSource<number>();
    const stop = new AbortController();
    const jobOf = (source: StreamSource<number>) =>
      defineJob((env) => env.addSource(source, { uid: 'numbers' }).addSink(ledger.sink(), { uid: 'ledger' }));
    const first = env.executeAsync(jobOf(live), stop);
    await settle();
    void live.send(1);
    void live.send(2);
    coordinator.triggerCheckpoint();
    await settle();
    stop.abort();
    await settle();
    const next = () => env.executeAsync(jobOf({ run: (ctx) => void [1, 2, 3].map(ctx.collect) }));
    return { storage, time, coordinator, store, ledger, first, next };
  }

  test('keeps the next one from beginning until it has committed', async () => {
    const { store, ledger, first, next } = await cancelWhileStoring();
    await expect(next()).rejects.toThrow(coded('RS_UNSUPPORTED'));
    store.resolve();
    expect((await first).status).toBe('cancelled');
    expect(ledger.committed).toEqual([1, 2]);
    expect((await next()).status).toBe('finished');
    expect(ledger.committed).toEqual([1, 2, 3]);
  });

  test('does so too when it was not waited for', async () => {
    const { time, store, ledger, first, next } = await cancelWhileStoring();
    await time.advance(50);
    expect((await first).status).toBe('cancelled');
    expect(ledger.committed).toEqual([]);
    await expect(next()).rejects.toThrow(coded('RS_UNSUPPORTED'));
    store.resolve();
    await settle();
    expect(ledger.committed).toEqual([1, 2]);
    expect((await next()).status).toBe('finished');
    expect(ledger.committed).toEqual([1, 2, 3]);
  });

  test('lets the next one begin when that has failed', async () => {
    const { storage, store, ledger, first, next } = await cancelWhileStoring();
    store.reject(new Error('disk full'));
    storage.onStore = () => undefined;
    await first;
    expect(ledger.open).toBe(0);
    expect((await next()).status).toBe('finished');
    expect(ledger.committed).toEqual([1, 2, 3]);
  });

  test('takes no more of them', async () => {
    const { coordinator, store, first } = await cancelWhileStoring();
    expect(() => coordinator.triggerCheckpoint()).toThrow(coded('RS_UNSUPPORTED'));
    store.resolve();
    await first;
  });

  test('does not undo what is said meanwhile about the next one', async () => {
    const { storage, coordinator, store, ledger, first, next } = await cancelWhileStoring();
    const before = new TextStorage();
    await checkpointed('async', { storage: before }).env.executeAsync(
      defineJob((env) => env.addSource({ run: () => undefined }, { uid: 'other' }).addSink(() => undefined)),
    );
    storage.texts.set(0, before.texts.get(1) ?? '');
    await coordinator.restoreFromCheckpoint(0);
    store.resolve();
    await first;
    await expect(next()).rejects.toThrow(coded('RS_CHECKPOINT_MISMATCH')); // It begins from that of another job.
    expect(ledger.committed).toEqual([1, 2]);
  });
});

describe('a run that is cancelled while the storage is opened', () => {
  /** A storage that takes its time to be opened. */
  function opening() {
    const storage = new TextStorage();
    const opened = new Deferred();
    storage.open = () => opened.promise;
    const time = new ManualTime();
    const options = { clock: time, scheduler: time, logger: new RecordingLogger(), closeTimeout: 50 };
    const { env } = checkpointed('async', { storage }, options);
    const seen: number[] = [];
    const job = defineJob((env) => env.fromElements(1, 2).addSink((n) => void seen.push(n)));
    return { env, storage, opened, time, seen, job };
  }

  test('ends, and the next one has to wait until it was opened', async () => {
    const { env, opened, time, seen, job } = opening();
    const stop = new AbortController();
    const first = env.executeAsync(job, stop);
    await settle();
    stop.abort();
    await time.advance(50);
    expect((await first).status).toBe('cancelled');
    await expect(env.executeAsync(job)).rejects.toThrow(coded('RS_UNSUPPORTED'));
    opened.resolve();
    await settle();
    expect(seen).toEqual([]);
    expect((await env.executeAsync(job)).status).toBe('finished');
    expect(seen).toEqual([1, 2]);
  });

  test('is cancelled also when that fails then', async () => {
    const { env, storage, opened, job } = opening();
    const stop = new AbortController();
    const first = env.executeAsync(job, stop);
    await settle();
    stop.abort();
    opened.reject(new Error('not mounted'));
    expect((await first).status).toBe('cancelled');
    storage.open = () => Promise.resolve();
    expect((await env.executeAsync(job)).status).toBe('finished');
  });

  test('does not open it when it was cancelled before', async () => {
    const { env, storage, job } = opening();
    let calls = 0;
    storage.open = async () => void calls++;
    expect((await env.executeAsync(job, { signal: AbortSignal.abort() })).status).toBe('cancelled');
    expect(calls).toBe(0);
  });
});
