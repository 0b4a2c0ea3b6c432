import { describe, expect, test } from '@jest/globals';
import { type CheckpointAwareSink, defineJob } from '@rs/core';
import { checkpointed } from '../test-support/checkpointed.ts';
import { coded } from '../test-support/coded.ts';
import { Deferred } from '../test-support/deferred.ts';
import { LiveSource } from '../test-support/live-source.ts';
import { RecordingLogger } from '../test-support/recording-logger.ts';
import { settle } from '../test-support/settle.ts';
import { TextStorage } from '../test-support/text-storage.ts';

/** A sink that notes every call. */
function noting(calls: string[]): CheckpointAwareSink<number> {
  return {
    open: () => void calls.push('open'),
    invoke: (value) => void calls.push(`invoke ${value}`),
    onCheckpointStart: (id) => void calls.push(`start ${id}`),
    onCheckpointComplete: (id) => void calls.push(`complete ${id}`),
    onCheckpointAbort: (id) => void calls.push(`abort ${id}`),
    onCheckpointRestore: (id) => void calls.push(`restore ${id}`),
    close: () => void calls.push('close'),
  };
}

describe('a sink that is told of checkpoints', () => {
  test.each(['eager', 'async'] as const)('%s: is told between records', async (mode) => {
    const { run, coordinator } = checkpointed(mode);
    const calls: string[] = [];
    const attempt = () =>
      run((env) => {
        env
          .fromElements(1, 2, 3)
          .map((n) => {
            if (n === 2) coordinator.triggerCheckpoint();
            return n;
          })
          .addSink(noting(calls));
      });
    await attempt();
    expect(calls.splice(0)).toEqual([
      'open',
      'invoke 1',
      'invoke 2',
      'start 1',
      'complete 1',
      'invoke 3',
      'close',
    ]);
    await coordinator.restoreFromCheckpoint(1);
    await attempt();
    expect(calls).toEqual(['open', 'restore 1', 'invoke 3', 'close']);
  });

  test('is told of what a storage does, in the order of what is true', async () => {
    const storage = new TextStorage();
    const { env, coordinator } = checkpointed('async', { storage }, { logger: new RecordingLogger() });
    const stores: Deferred[] = [];
    storage.onStore = () => {
      const store = new Deferred();
      stores.push(store);
      return store.promise;
    };
    const calls: string[] = [];
    const source = new LiveSource<number>();
    const running = env.executeAsync(defineJob((env) => env.addSource(source).addSink(noting(calls))));
    await settle();
    void source.send(1);
    coordinator.triggerCheckpoint();
    await settle();
    void source.send(2);
    await settle();
    stores[0]?.resolve();
    await settle();
    coordinator.triggerCheckpoint();
    await settle();
    stores[1]?.reject(new Error('disk full'));
    await settle();
    void source.send(3);
    source.end();
    await settle();
    stores[2]?.resolve();
    await running;
    expect(calls).toEqual([
      'open',
      'invoke 1',
      'start 1',
      'invoke 2',
      'complete 1',
      'start 2',
      'abort 2',
      'invoke 3',
      'start 3',
      'complete 3',
      'close',
    ]);
  });

  test('is waited for, and sees no record meanwhile', async () => {
    const { env, coordinator } = checkpointed('async');
    const calls: string[] = [];
    const slowly = (call: string) => async () => {
      calls.push(`${call} begins`);
      await settle();
      calls.push(`${call} ends`);
    };
    await env.executeAsync(
      defineJob((env) =>
        env
          .fromElements(1, 2)
          .map((n) => {
            if (n === 1) coordinator.triggerCheckpoint();
            return n;
          })
          .addSink({
            invoke: slowly('invoke'),
            onCheckpointStart: slowly('start'),
            onCheckpointComplete: slowly('complete'),
          }),
      ),
    );
    const order = ['invoke', 'start', 'complete', 'invoke'];
    expect(calls).toEqual(order.flatMap((call) => [`${call} begins`, `${call} ends`]));
  });

  test('that fails at the start aborts the checkpoint, and the run goes on', async () => {
    const logger = new RecordingLogger();
    const { env, coordinator } = checkpointed('async', {}, { logger });
    const calls: string[] = [];
    await env.executeAsync(
      defineJob((env) => {
        const input = env.fromElements(1, 2).map((n) => {
          if (n === 1) coordinator.triggerCheckpoint();
          return n;
        });
        input.addSink(noting(calls));
        input.addSink(
          {
            ...noting([]),
            onCheckpointStart: () => {
              throw new Error('not now');
            },
          },
          { name: 'b' },
        );
      }),
    );
    expect(calls).toEqual(['open', 'invoke 1', 'start 1', 'abort 1', 'invoke 2', 'close']);
    expect(coordinator.getCheckpoint(1)).toBeUndefined();
    const [entry] = logger.entries.filter(({ level }) => level === 'error');
    expect(entry?.facts).toMatchObject({ checkpointId: 1, error: coded('RS_SINK_FAILED') });
  });

  test.each(['onCheckpointComplete', 'onCheckpointAbort'] as const)(
    'that fails in %s is told of',
    async (hook) => {
      const logger = new RecordingLogger();
      const { env, coordinator } = checkpointed('async', {}, { logger });
      const fails = {
        [hook]: () => {
          throw new Error('broken');
        },
      };
      const refuses =
        hook === 'onCheckpointAbort'
          ? {
              onCheckpointStart: () => {
                throw new Error('not now');
              },
            }
          : {};
      await env.executeAsync(
        defineJob((env) =>
          env
            .fromElements(1)
            .map((n) => {
              coordinator.triggerCheckpoint();
              return n;
            })
            .addSink({ ...noting([]), ...refuses, ...fails }),
        ),
      );
      expect(logger.lines()).toContain(`error a sink failed in ${hook} of checkpoint 1`);
      expect(coordinator.getCheckpoint(1) !== undefined).toBe(hook === 'onCheckpointComplete');
    },
  );

  test('that cannot be restored fails the run before a record is read', async () => {
    const { env, coordinator } = checkpointed('async');
    coordinator.triggerCheckpoint();
    coordinator.restoreFromCheckpoint(1);
    const calls: string[] = [];
    const sink = {
      ...noting(calls),
      onCheckpointRestore: () => Promise.reject(new Error('lost')),
    };
    const running = env.executeAsync(defineJob((env) => env.fromElements(1).addSink(sink)));
    await expect(running).rejects.toThrow(coded('RS_SINK_FAILED'));
    expect(calls).toEqual(['open', 'close']);
  });

  test.each(['onCheckpointStart', 'onCheckpointComplete'] as const)(
    'an eager run refuses a promise of %s',
    (hook) => {
      const { env, coordinator } = checkpointed('eager');
      const sink = { ...noting([]), [hook]: () => Promise.reject(new Error('never heard')) };
      const input = env.fromElements(1).map((n) => {
        coordinator.triggerCheckpoint();
        return n;
      });
      expect(() => input.addSink(sink)).toThrow(coded('RS_ASYNC_IN_EAGER_RUN'));
    },
  );
});
