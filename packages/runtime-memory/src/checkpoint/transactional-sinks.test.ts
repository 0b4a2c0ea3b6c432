import { describe, expect, test } from '@jest/globals';
import { defineJob, type TwoPhaseCommitSink } from '@rs/core';
import { StreamExecutionEnvironment } from '../index.ts';
import { checkpointed } from '../test-support/checkpointed.ts';
import { coded } from '../test-support/coded.ts';
import { Deferred } from '../test-support/deferred.ts';
import { Ledger } from '../test-support/ledger.ts';
import { LiveSource } from '../test-support/live-source.ts';
import { RecordingLogger } from '../test-support/recording-logger.ts';
import { run } from '../test-support/run.ts';
import { settle } from '../test-support/settle.ts';
import { TextStorage } from '../test-support/text-storage.ts';

describe('a transactional sink', () => {
  test.each(['eager', 'async'] as const)('%s: without checkpoints is committed at the end', async (mode) => {
    const ledger = new Ledger();
    await run(mode, (env) => env.fromElements(1, 2).addSink(ledger.sink()));
    expect(ledger.committed).toEqual([1, 2]);
    expect(ledger.calls).toEqual(['begin', 'write 1', 'write 1', 'prepare 1', 'commit 1']);
  });

  test.each(['eager', 'async'] as const)('%s: begins nothing where no record comes', async (mode) => {
    const ledger = new Ledger();
    await run(mode, (env) => env.fromElements<number>().addSink(ledger.sink()));
    expect(ledger.calls).toEqual([]);
  });

  test.each(['eager', 'async'] as const)('%s: is aborted when the run fails', async (mode) => {
    const ledger = new Ledger();
    const running = async () =>
      run(mode, (env) => {
        env
          .fromElements(1, 2)
          .map((n) => {
            if (n === 2) throw new Error('boom');
            return n;
          })
          .addSink(ledger.sink());
      });
    await expect(running()).rejects.toThrow(coded('RS_USER_FUNCTION_FAILED'));
    expect(ledger.calls).toEqual(['begin', 'write 1', 'abort 1']);
    expect(ledger.open).toBe(0);
  });

  test('is aborted when the run is cancelled, once what it is doing is done', async () => {
    const env = StreamExecutionEnvironment.getExecutionEnvironment();
    const ledger = new Ledger();
    const begun = new Deferred();
    const sink = ledger.sink();
    const stop = new AbortController();
    const slow: typeof sink = {
      ...sink,
      beginTxn: async () => {
        await begun.promise;
        return sink.beginTxn();
      },
    };
    const running = env.executeAsync(
      defineJob((env) => env.fromElements(1).addSink(slow)),
      stop,
    );
    await settle();
    stop.abort();
    await settle();
    begun.resolve();
    expect((await running).status).toBe('cancelled');
    expect(ledger.calls).toEqual(['begin', 'abort 1']);
  });

  test.each(['eager', 'async'] as const)('%s: is committed with each checkpoint', async (mode) => {
    const { run, coordinator } = checkpointed(mode);
    const ledger = new Ledger();
    await run((env) =>
      env
        .fromElements(1, 2, 3)
        .map((n) => {
          if (n < 3) coordinator.triggerCheckpoint();
          return n;
        })
        .addSink(ledger.sink()),
    );
    expect(ledger.calls).toEqual([
      ...['begin', 'write 1', 'prepare 1', 'commit 1'],
      ...['begin', 'write 2', 'prepare 2', 'commit 2'],
      ...['begin', 'write 3', 'prepare 3', 'commit 3'],
    ]);
    expect(ledger.committed).toEqual([1, 2, 3]);
  });

  test('is committed once the checkpoint is stored, while other transactions take records', async () => {
    const storage = new TextStorage();
    const stored = new Deferred();
    storage.onStore = () => stored.promise;
    const { env, coordinator } = checkpointed('async', { storage });
    const ledger = new Ledger();
    const source = new LiveSource<number>();
    const running = env.executeAsync(defineJob((env) => env.addSource(source).addSink(ledger.sink())));
    await settle();
    void source.send(1);
    coordinator.triggerCheckpoint();
    await settle();
    void source.send(2);
    await settle();
    expect(ledger.calls).toEqual(['begin', 'write 1', 'prepare 1', 'begin', 'write 2']);
    stored.resolve();
    await settle();
    expect(ledger.committed).toEqual([1]);
    source.end();
    await running;
    expect(ledger.committed).toEqual([1, 2]);
  });

  test('of which a checkpoint failed is committed with the next one', async () => {
    const storage = new TextStorage();
    storage.onStore = (id) => {
      if (id === 1) throw new Error('disk full');
    };
    const { env, coordinator } = checkpointed('async', { storage }, { logger: new RecordingLogger() });
    const ledger = new Ledger();
    const source = new LiveSource<number>();
    const running = env.executeAsync(defineJob((env) => env.addSource(source).addSink(ledger.sink())));
    await settle();
    for (const n of [1, 2]) {
      void source.send(n);
      coordinator.triggerCheckpoint();
      await settle();
      expect(ledger.committed).toEqual(n === 1 ? [] : [1, 2]);
    }
    source.end();
    await running;
    expect(ledger.open).toBe(0);
  });

  test('that cannot be prepared stays open, and takes the records that come', async () => {
    const { env, coordinator } = checkpointed('async', {}, { logger: new RecordingLogger() });
    const ledger = new Ledger();
    const sink = ledger.sink();
    let attempts = 0;
    const failing: typeof sink = {
      ...sink,
      preCommit: (txn) => {
        if (++attempts === 1) throw new Error('busy');
        return sink.preCommit(txn);
      },
    };
    await env.executeAsync(
      defineJob((env) =>
        env
          .fromElements(1, 2, 3)
          .map((n) => {
            if (n < 3) coordinator.triggerCheckpoint();
            return n;
          })
          .addSink(failing),
      ),
    );
    expect(coordinator.getCheckpoint(1)).toBeUndefined();
    expect(ledger.calls).toEqual([
      ...['begin', 'write 1', 'write 1', 'prepare 1', 'commit 1'],
      ...['begin', 'write 2', 'prepare 2', 'commit 2'],
    ]);
    expect(ledger.committed).toEqual([1, 2, 3]);
  });

  test('that cannot be committed is committed after the next checkpoint', async () => {
    const logger = new RecordingLogger();
    const { env, coordinator } = checkpointed('async', {}, { logger });
    const ledger = new Ledger();
    const sink = ledger.sink();
    let attempts = 0;
    const failing: typeof sink = {
      ...sink,
      commit: async (txn) => {
        if (++attempts === 1) throw new Error('busy');
        await sink.commit(txn);
      },
    };
    await env.executeAsync(
      defineJob((env) =>
        env
          .fromElements(1, 2)
          .map((n) => {
            coordinator.triggerCheckpoint();
            return n;
          })
          .addSink(failing),
      ),
    );
    expect(ledger.committed).toEqual([1, 2]);
    const message = 'a transaction could not be committed; that is tried again after the next checkpoint';
    expect(logger.lines()).toContain(`error ${message}`);
  });

  test('that cannot be committed at the end fails the run, and the next run commits it', async () => {
    const storage = new TextStorage();
    const ledger = new Ledger();
    const sink = ledger.sink();
    const failing = { ...sink, commit: () => Promise.reject(new Error('busy')) };
    const attempt = (with_: typeof sink) =>
      checkpointed('async', { storage }).env.executeAsync(
        defineJob((env) => env.fromElements(1, 2).addSink(with_, { uid: 'ledger' })),
      );
    await expect(attempt(failing)).rejects.toThrow(coded('RS_SINK_FAILED'));
    expect(ledger.committed).toEqual([]);
    expect(ledger.open).toBe(1); // The checkpoint holds it, so it is not aborted.
    expect((await attempt(sink)).status).toBe('finished');
    expect(ledger.committed).toEqual([1, 2]);
  });

  test('that cannot be committed at the end is aborted when no checkpoint holds it', async () => {
    const ledger = new Ledger();
    const failing = { ...ledger.sink(), commit: () => Promise.reject(new Error('busy')) };
    const running = run('async', (env) => env.fromElements(1, 2).addSink(failing));
    await expect(running).rejects.toThrow(coded('RS_SINK_FAILED'));
    expect(ledger.open).toBe(0);
    expect(ledger.committed).toEqual([]);
  });

  test('whose handle cannot be stored aborts the checkpoint', async () => {
    const logger = new RecordingLogger();
    const { env, coordinator } = checkpointed('async', {}, { logger });
    const committed: number[] = [];
    const sink: TwoPhaseCommitSink<number, { readonly values: number[]; readonly send: () => void }> = {
      beginTxn: () => ({ values: [], send: () => undefined }),
      invoke: (value, txn) => void txn.values.push(value),
      preCommit: () => undefined,
      commit: (txn) => void committed.push(...txn.values),
      recoverAndCommit: () => undefined,
      recoverAndAbort: () => undefined,
    };
    await env.executeAsync(
      defineJob((env) =>
        env
          .fromElements(1, 2)
          .map((n) => {
            coordinator.triggerCheckpoint();
            return n;
          })
          .addSink(sink, { name: 'odd' }),
      ),
    );
    expect(coordinator.getLatestCheckpoint()).toBeUndefined();
    const [entry] = logger.entries.filter(({ level }) => level === 'error');
    expect(entry?.facts).toMatchObject({ error: coded('RS_INVALID_VALUE') });
    expect(committed).toEqual([1, 2]); // At the end nothing has to be stored.
  });

  test('of a checkpoint without a sink that could commit it is refused', async () => {
    const storage = new TextStorage();
    const ledger = new Ledger();
    const sink = { ...ledger.sink(), commit: () => Promise.reject(new Error('busy')) };
    const attempt = (uid: string) =>
      checkpointed('async', { storage }).env.executeAsync(
        defineJob((env) => env.fromElements(1).addSink(sink, { uid })),
      );
    await expect(attempt('a')).rejects.toThrow(coded('RS_SINK_FAILED'));
    await expect(attempt('b')).rejects.toThrow(
      coded('RS_CHECKPOINT_MISMATCH', { details: { checkpointId: 1, problems: ["transactions of 'a'"] } }),
    );
  });

  test('that cannot be recovered fails the run before a record is read', async () => {
    const storage = new TextStorage();
    const ledger = new Ledger();
    const seen: number[] = [];
    const attempt = (sink: ReturnType<Ledger['sink']>) =>
      checkpointed('async', { storage }).env.executeAsync(
        defineJob((env) =>
          env
            .fromElements(1)
            .map((n) => {
              seen.push(n);
              return n;
            })
            .addSink(sink, { uid: 'ledger' }),
        ),
      );
    const refusing = {
      commit: () => Promise.reject(new Error('busy')),
      recoverAndCommit: () => Promise.reject(new Error('gone')),
    };
    await expect(attempt({ ...ledger.sink(), ...refusing })).rejects.toThrow(coded('RS_SINK_FAILED'));
    await expect(attempt({ ...ledger.sink(), ...refusing })).rejects.toThrow('gone');
    expect(seen).toEqual([1]);
  });

  test.each(['beginTxn', 'invoke', 'preCommit', 'commit'] as const)(
    'an eager run refuses a promise of %s',
    (method) => {
      const { env } = checkpointed('eager');
      const sink = { ...new Ledger().sink(), [method]: () => Promise.reject(new Error('never heard')) };
      expect(() => env.fromElements(1).addSink(sink)).toThrow(coded('RS_ASYNC_IN_EAGER_RUN'));
    },
  );

  test.each(['preCommit', 'commit', 'recoverAndCommit', 'recoverAndAbort'])(
    'without %s is refused',
    (method) => {
      const env = StreamExecutionEnvironment.getExecutionEnvironment();
      const sink = { ...new Ledger().sink(), [method]: undefined };
      expect(() => env.fromElements(1).addSink(sink as never)).toThrow(coded('RS_INVALID_ARGUMENT'));
    },
  );

  test('has records wait while a transaction is begun, in their order', async () => {
    const ledger = new Ledger();
    const sink = ledger.sink();
    const slow: typeof sink = {
      ...sink,
      beginTxn: async () => {
        await settle();
        return sink.beginTxn();
      },
      invoke: async (value, txn) => {
        await settle();
        await sink.invoke(value, txn);
      },
    };
    await run('async', (env) =>
      env
        .fromElements([1, 2, 3], [4])
        .flatMap((numbers) => numbers)
        .addSink(slow),
    );
    expect(ledger.committed).toEqual([1, 2, 3, 4]);
  });
});
