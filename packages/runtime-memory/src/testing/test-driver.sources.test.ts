import { describe, expect, test } from '@jest/globals';
import { defineJob, type JobDefinition, type StreamEnvironment, type StreamSource, topic } from '@rs/core';
import { TumblingWindow } from '@rs/window';
import { Deferred } from '../test-support/deferred.ts';
import { notCalled } from '../test-support/orders-job.ts';
import { RecordingLogger } from '../test-support/recording-logger.ts';
import { settle } from '../test-support/settle.ts';
import { TestDriver } from './index.ts';

type Numbers = (env: StreamEnvironment) => ReturnType<StreamEnvironment['fromElements']>;

const windowsOf = (numbers: Numbers): JobDefinition =>
  defineJob((env) => {
    numbers(env)
      .keyBy(() => 'all')
      .window(TumblingWindow.of(3))
      .count()
      .addSink(notCalled);
  });

describe('run', () => {
  test.each<[string, Numbers]>([
    ['elements', (env) => env.fromElements<unknown>(0, 1, 2, 3)],
    ['a collection', (env) => env.fromCollection<unknown>(new Set([0, 1, 2, 3]))],
    [
      'an async iterable',
      (env) =>
        env.fromAsyncIterable<unknown>(
          (async function* () {
            yield* [0, 1, 2, 3];
          })(),
        ),
    ],
    [
      'a source of one’s own',
      (env) =>
        env.addSource<unknown>({
          run: async (ctx) => {
            for (let n = 0; n < 4; n++) await ctx.collectWithTimestamp(n, n);
          },
        }),
    ],
  ])('reads %s to its end', async (_, numbers) => {
    const driver = TestDriver.of(windowsOf(numbers));
    expect(driver.outputs()).toEqual([]);
    await driver.run();
    expect(driver.outputs()).toEqual([3, 1]);
    await driver.run();
    await driver.end();
    expect(driver.outputs()).toEqual([3, 1]);
  });

  test('does nothing where there are only topics', async () => {
    const job = defineJob((env) => {
      env.fromTopic(topic<string>('words'), 'test').addSink(notCalled);
    });
    const driver = TestDriver.of(job);
    await driver.run();
    await driver.send('words', { value: 'a' });
    expect(driver.outputs()).toEqual(['a']);
  });

  test('reads a source with one partition beside a topic with several', async () => {
    const job = defineJob((env) => {
      env
        .fromElements('a', 'b')
        .union(env.fromTopic(topic<string>('words'), 'test'))
        .keyBy((word) => word)
        .map((word) => [word, 1] as const)
        .reduce(([word, a], [, b]) => [word, (a + b) as 1])
        .map(([word, count]) => `${word}: ${count}`)
        .addSink(notCalled);
    });
    const driver = TestDriver.of(job, { topics: { words: 3 } });
    await driver.run();
    for (const partition of [0, 1, 2]) await driver.send('words', { value: 'a', partition });
    await driver.end();
    expect(driver.outputs()).toEqual(['a: 1', 'b: 1', 'a: 2', 'a: 3', 'a: 4']);
  });

  test('is part of end', async () => {
    const driver = TestDriver.of(windowsOf((env) => env.fromElements<unknown>(0, 1)));
    await driver.end();
    expect(driver.outputs()).toEqual([2]);
  });

  test('processes each record before the next one is read', async () => {
    const events: string[] = [];
    const job = defineJob((env) => {
      env
        .fromCollection(
          (function* () {
            for (const n of [1, 2]) {
              events.push(`read ${n}`);
              yield n;
            }
          })(),
        )
        .union(
          env.addSource<number>({
            run: async (ctx) => {
              for (const n of [10, 20]) {
                events.push(`read ${n}`);
                await ctx.collect(n);
              }
            },
          }),
        )
        .map((n) => void events.push(`processed ${n}`))
        .addSink(notCalled);
    });
    await TestDriver.of(job).run();
    expect(events).toEqual([
      'read 1',
      'processed 1',
      'read 10',
      'read 20',
      'processed 10',
      'read 2',
      'processed 2',
      'processed 20',
    ]);
  });

  test('waits for sources that wait', async () => {
    const go = new Deferred();
    const source: StreamSource<string> = {
      run: async (ctx) => {
        await ctx.collect('first');
        await go.promise;
        await ctx.collect('second');
      },
    };
    const driver = TestDriver.of(
      defineJob((env) => {
        env.addSource(source).addSink(notCalled);
      }),
    );
    const running = driver.run();
    await settle();
    expect(driver.outputs()).toEqual(['first']);
    go.resolve();
    await running;
    expect(driver.outputs()).toEqual(['first', 'second']);
  });

  test('goes on after an error of the job where it has stopped', async () => {
    let broken = true;
    const read: number[] = [];
    const job = defineJob((env) => {
      env
        .fromCollection(
          (function* () {
            for (const n of [1, 2, 3]) {
              read.push(n);
              yield n;
            }
          })(),
        )
        .map((n) => {
          if (broken && n === 2) throw new Error('no 2');
          return n;
        })
        .addSink(notCalled);
    });
    const driver = TestDriver.of(job);
    await expect(driver.run()).rejects.toThrow('no 2');
    broken = false;
    await driver.run();
    expect([read, driver.outputs()]).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
  });

  test.each(['open', 'run'] as const)(
    'rejects with the error of %s of a source, each time',
    async (method) => {
      const source: StreamSource<number> = {
        run: () => undefined,
        [method]: () => {
          throw new Error('no connection');
        },
      };
      const driver = TestDriver.of(
        defineJob((env) => {
          env.addSource(source, { name: 'numbers' }).addSink(notCalled);
        }),
      );
      for (let times = 0; times < 2; times++) {
        await expect(driver.run()).rejects.toMatchObject({
          code: 'RS_SOURCE_FAILED',
          details: { operator: "source 'numbers'" },
        });
      }
    },
  );

  test('refuses a record that cannot be stored', async () => {
    const driver = TestDriver.of(windowsOf((env) => env.fromElements<unknown>({ now: () => 1 })));
    await expect(driver.run()).rejects.toMatchObject({
      code: 'RS_INVALID_VALUE',
      message: expect.stringContaining('the value at now is a function'),
    });
  });

  test('opens and closes sources once', async () => {
    const calls: string[] = [];
    const source: StreamSource<number> = {
      open: () => void calls.push('open'),
      run: async (ctx) => {
        await ctx.collect(1);
      },
      close: () => void calls.push('close'),
    };
    const driver = TestDriver.of(
      defineJob((env) => {
        env.addSource(source).addSink(notCalled);
      }),
    );
    expect(calls).toEqual([]);
    await driver.run();
    await driver.run();
    await driver.close();
    expect(calls).toEqual(['open', 'close']);
  });

  test('stops a source that does not wait for the job', async () => {
    const source: StreamSource<number> = {
      run: async (ctx) => {
        await Promise.resolve();
        for (let n = 0; n < 100_000; n++) void ctx.collect(n);
      },
    };
    const driver = TestDriver.of(
      defineJob((env) => {
        env.addSource(source).addSink(notCalled);
      }),
    );
    await expect(driver.run()).rejects.toMatchObject({ code: 'RS_BACKPRESSURE_IGNORED' });
  });

  test('lets others have their turn while it reads a source that never ends', async () => {
    const endless: StreamSource<number> = {
      run: async (ctx) => {
        for (let n = 0; !ctx.isStopped(); n++) await ctx.collect(n);
      },
    };
    const driver = TestDriver.of(
      defineJob((env) => {
        env.addSource(endless).addSink(notCalled);
      }),
    );
    const running = driver.run();
    await settle();
    expect(driver.outputs().length).toBeGreaterThan(100);
    await driver.close();
    await expect(running).rejects.toMatchObject({ code: 'RS_CLOSED' });
  });

  test.each(['open', 'close'] as const)(
    'that waits for %s of a source ends with the driver',
    async (method) => {
      const source: StreamSource<number> = {
        run: () => undefined,
        [method]: () => new Promise<void>(() => undefined),
      };
      const driver = TestDriver.of(
        defineJob((env) => {
          env.addSource(source).addSink(notCalled);
        }),
      );
      const running = driver.run();
      await settle();
      await driver.close();
      await expect(running).rejects.toMatchObject({ code: 'RS_CLOSED' });
    },
  );

  test('ends with the driver: sources are cancelled and closed, and what fails then is logged', async () => {
    const calls: string[] = [];
    const logger = new RecordingLogger();
    const source: StreamSource<string> = {
      run: async (ctx) => {
        await ctx.collect('first');
        await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
        calls.push('run has ended');
      },
      cancel: () => void calls.push('cancel'),
      close: () => {
        calls.push('close');
        throw new Error('close failed');
      },
    };
    const driver = TestDriver.of(
      defineJob((env) => {
        env.addSource(source).addSink(notCalled);
      }),
      { logger },
    );
    const running = driver.run();
    await settle();
    await driver.close();
    await expect(running).rejects.toMatchObject({ code: 'RS_CLOSED' });
    expect(calls).toEqual(['cancel', 'close', 'run has ended']);
    expect(logger.lines()).toEqual(["warn source 'source' failed to close"]);
  });
});
