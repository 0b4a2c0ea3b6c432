import { describe, expect, test } from '@jest/globals';
import { defineJob, type StreamEnvironment } from '@rs/core';
import { type MemoryEnvironmentOptions, StreamExecutionEnvironment } from './index.ts';
import { coded } from './test-support/coded.ts';
import { ManualTime } from './test-support/manual-time.ts';
import { RecordingLogger } from './test-support/recording-logger.ts';
import { settle } from './test-support/settle.ts';

const never = () => new Promise<void>(() => undefined);

function execute(define: (env: StreamEnvironment) => void, options: MemoryEnvironmentOptions = {}) {
  const time = new ManualTime();
  const logger = new RecordingLogger();
  const env = StreamExecutionEnvironment.getExecutionEnvironment({
    clock: time,
    scheduler: time,
    logger,
    ...options,
  });
  return { time, logger, running: env.executeAsync(defineJob(define)) };
}

/** What has become of a promise so far. */
async function stateOf(promise: Promise<unknown>): Promise<'pending' | 'settled'> {
  await settle();
  return Promise.race([promise.then(() => 'settled' as const), Promise.resolve('pending' as const)]);
}

describe('the end of a run', () => {
  test('is not held up by a sink that never closes', async () => {
    const { time, logger, running } = execute((env) =>
      env.fromElements(1).addSink({ invoke: () => undefined, close: never }, { name: 'stuck' }),
    );
    await time.advance(4_999);
    expect(await stateOf(running)).toBe('pending');
    await time.advance(1);
    await expect(running).resolves.toMatchObject({ status: 'finished' });
    expect(logger.lines()).toEqual(["warn sink 'stuck' did not close in time"]);
    expect(time.pending).toBe(0);
  });

  test('is not held up by a source that never closes, and sinks have their own time', async () => {
    const log: string[] = [];
    const { time, logger, running } = execute(
      (env) =>
        env.addSource({ run: () => undefined, close: never }, { name: 'stuck' }).addSink({
          invoke: () => undefined,
          close: async () => {
            await settle();
            log.push('flushed');
          },
        }),
      { closeTimeout: '2s' },
    );
    await time.advance(1_999);
    expect(log).toEqual([]);
    await time.advance(1);
    await expect(running).resolves.toMatchObject({ status: 'finished' });
    expect(log).toEqual(['flushed']);
    expect(logger.lines()).toEqual(["warn source 'stuck' did not close in time"]);
  });

  test('one that never closes does not keep the others from it', async () => {
    const log: string[] = [];
    const { time, running } = execute((env) => {
      const numbers = env.fromElements(1);
      for (const name of ['a', 'b', 'c']) {
        numbers.addSink({
          invoke: () => undefined,
          close: async () => {
            log.push(`closing ${name}`);
            if (name === 'b') await never();
            await settle();
            log.push(`closed ${name}`);
          },
        });
      }
    });
    await time.advance(100);
    await settle();
    expect(log).toEqual(['closing c', 'closing b', 'closing a', 'closed c', 'closed a']);
    await time.advance(5_000);
    await running;
  });

  test('is not held up after a failure either, which it does not hide', async () => {
    const { time, running } = execute((env) =>
      env.fromElements(1).addSink({
        invoke: () => {
          throw new Error('full');
        },
        close: never,
      }),
    );
    const failure = expect(running).rejects.toEqual(coded('RS_SINK_FAILED'));
    await time.advance(5_000);
    await failure;
  });

  test('a close that fails after its time has no effect', async () => {
    const fail: (() => void)[] = [];
    const { time, logger, running } = execute((env) =>
      env.fromElements(1).addSink({
        invoke: () => undefined,
        close: () => new Promise((_resolve, reject) => void fail.push(() => reject(new Error('too late')))),
      }),
    );
    await time.advance(5_000);
    await running;
    fail[0]?.();
    await settle();
    expect(logger.lines()).toEqual(['warn sink did not close in time']);
  });

  test('with no time to close, only what closes at once does', async () => {
    const log: string[] = [];
    const { time, running } = execute(
      (env) => env.fromElements(1).addSink({ invoke: () => undefined, close: () => void log.push('closed') }),
      { closeTimeout: 0 },
    );
    await time.advance(0);
    await running;
    expect(log).toEqual(['closed']);
  });

  test('errors of close are logged with their cause, at once or later', async () => {
    const errors = [new Error('at once'), new Error('later')];
    const { logger, running } = execute((env) => {
      const numbers = env.fromElements(1);
      numbers.addSink({ invoke: () => undefined, close: () => Promise.reject(errors[1]) });
      numbers.addSink({
        invoke: () => undefined,
        close: () => {
          throw errors[0];
        },
      });
    });
    await expect(running).resolves.toMatchObject({ status: 'finished' });
    expect(logger.entries.map(({ facts }) => (facts as { error: unknown }).error)).toEqual(errors);
  });

  test('what a close resolves with does not matter', async () => {
    const { logger, running } = execute((env) =>
      env.fromElements(1).addSink({ invoke: () => undefined, close: () => 'timeout' as never }),
    );
    await running;
    expect(logger.lines()).toEqual([]);
  });

  test('functions of process() are closed once, also after a failure', async () => {
    const log: string[] = [];
    const define = (fail: boolean) => (env: StreamEnvironment) =>
      env
        .fromElements(1)
        .keyBy(() => 'k')
        .process({
          processElement: () => {
            if (fail) throw new Error('full');
          },
          close: () => {
            log.push('close');
            throw new Error('and worse');
          },
        })
        .addSink(() => undefined);
    const finished = execute(define(false));
    await finished.running;
    await expect(execute(define(true)).running).rejects.toThrow('full');
    expect(log).toEqual(['close', 'close']);
    expect(finished.logger.lines()).toEqual(['warn process failed to close']);
  });
});
