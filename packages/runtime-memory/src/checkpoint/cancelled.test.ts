import { describe, expect, test } from '@jest/globals';
import { defineJob } from '@rs/core';
import { checkpointed } from '../test-support/checkpointed.ts';
import { Deferred } from '../test-support/deferred.ts';
import { Ledger } from '../test-support/ledger.ts';
import { LiveSource } from '../test-support/live-source.ts';
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
