import { describe, expect, test } from '@jest/globals';
import type { SourceContext, StreamSource } from '@rs/core';
import { StreamExecutionEnvironment } from '../index.ts';
import { coded, thrownBy } from '../test-support/coded.ts';
import { RecordingLogger } from '../test-support/recording-logger.ts';
import { settle } from '../test-support/settle.ts';
import { MODES, run } from '../test-support/run.ts';

/** A source that notes its life. */
function noted(log: string[], source: Partial<StreamSource<number>>): StreamSource<number> {
  return {
    open: () => {
      log.push('open');
      return source.open?.();
    },
    run: (ctx) => {
      log.push('run');
      return source.run?.(ctx);
    },
    close: () => {
      log.push('close');
      return source.close?.();
    },
  };
}

describe.each(MODES)('the life of a source, %s', (mode) => {
  test('open, run, close', async () => {
    const log: string[] = [];
    const source = noted(log, { run: (ctx) => void ctx.collect(1) });
    await run(mode, (env) => env.addSource(source).addSink(() => void log.push('record')));
    expect(log).toEqual(['open', 'run', 'record', 'close']);
  });

  test('a source may have nothing but run', async () => {
    const seen: number[] = [];
    await run(mode, (env) =>
      env.addSource<number>({ run: (ctx) => void ctx.collect(7) }).addSink((v) => void seen.push(v)),
    );
    expect(seen).toEqual([7]);
  });

  test('the methods of its context can be taken apart', async () => {
    const seen: number[] = [];
    const source: StreamSource<number> = {
      run: ({ collect, collectWithTimestamp, isStopped, signal }) => {
        void collect(1);
        void collectWithTimestamp(2, 5);
        seen.push(Number(isStopped()), Number(signal.aborted));
      },
    };
    await run(mode, (env) => env.addSource(source).addSink((v) => void seen.push(v)));
    expect(seen).toEqual([1, 2, 0, 0]);
  });

  test('a source that collects nothing ends', async () => {
    const log: string[] = [];
    await run(mode, (env) => env.addSource(noted(log, {})).addSink(() => void log.push('record')));
    expect(log).toEqual(['open', 'run', 'close']);
  });

  test('open fails: it is closed and never run', async () => {
    const log: string[] = [];
    const cause = new Error('no such file');
    const source = noted(log, {
      open: () => {
        throw cause;
      },
    });
    const running = run(mode, (env) => env.addSource(source, { name: 'log' }).addSink(() => undefined));
    await expect(running).rejects.toEqual(coded('RS_SOURCE_FAILED', { cause }));
    await expect(running).rejects.toThrow("source 'log' failed: no such file");
    expect(log).toEqual(['open', 'close']);
  });

  test('run fails: what it collected before was processed, then it is closed', async () => {
    const log: string[] = [];
    const cause = new Error('line 2');
    const source = noted(log, {
      run: (ctx) => {
        void ctx.collect(1);
        throw cause;
      },
    });
    const running = run(mode, (env) => env.addSource(source).addSink(() => void log.push('record')));
    await expect(running).rejects.toEqual(coded('RS_SOURCE_FAILED', { cause }));
    expect(log).toEqual(['open', 'run', 'record', 'close']);
  });

  test('the pipeline fails: the error reaches collect, and the source is closed', async () => {
    const log: string[] = [];
    const source = noted(log, {
      run: (ctx) => {
        try {
          void ctx.collect(1);
        } catch (error) {
          log.push((error as Error).message);
          throw error;
        }
      },
    });
    const running = run(mode, (env) =>
      env.addSource(source).addSink(() => {
        throw new Error('full');
      }),
    );
    await expect(running).rejects.toEqual(coded('RS_SINK_FAILED'));
    expect(log).toEqual(['open', 'run', 'sink failed: full', 'close']);
  });

  test('a source cannot swallow a failure of the pipeline', async () => {
    const seen: number[] = [];
    const refusals: unknown[] = [];
    const source: StreamSource<number> = {
      run: (ctx) => {
        for (let i = 0; i < 4; i++) {
          try {
            void ctx.collect(i);
          } catch (error) {
            refusals.push(error);
          }
        }
      },
    };
    const running = run(mode, (env) =>
      env
        .addSource(source)
        .map((v) => {
          if (v === 1) throw new Error('one');
          return v;
        })
        .addSink((v) => void seen.push(v)),
    );
    await expect(running).rejects.toThrow('map failed: one');
    expect(seen).toEqual([0]);
    expect(refusals).toEqual([coded('RS_USER_FUNCTION_FAILED'), coded('RS_CLOSED'), coded('RS_CLOSED')]);
  });

  test('a source that fails after the pipeline has failed does not hide that', async () => {
    const source: StreamSource<number> = {
      run: (ctx) => {
        try {
          void ctx.collect(1);
        } finally {
          // eslint-disable-next-line no-unsafe-finally -- what badly written sources do
          throw new Error('the source gave up');
        }
      },
    };
    const running = run(mode, (env) =>
      env.addSource(source).addSink(() => {
        throw new Error('full');
      }),
    );
    await expect(running).rejects.toThrow('sink failed: full');
  });

  test('an error of close is logged, not thrown', async () => {
    const logger = new RecordingLogger();
    const error = new Error('still busy');
    const source = noted([], {
      close: () => {
        throw error;
      },
    });
    await run(mode, (env) => env.addSource(source, { name: 'log' }).addSink(() => undefined), { logger });
    expect(logger.entries).toEqual([
      {
        level: 'warn',
        facts: expect.objectContaining({ operator: "source 'log'", error }),
        message: "source 'log' failed to close",
      },
    ]);
  });
});

describe.each(MODES)('timestamps of a source, %s', (mode) => {
  async function stamps(source: StreamSource<string>): Promise<string[]> {
    const seen: string[] = [];
    await run(mode, (env) =>
      env
        .addSource(source)
        .keyBy(() => 0)
        .process<string>((_key, value, ctx, out) => out.collect(`${value}@${ctx.currentEventTime()}`))
        .addSink((v) => void seen.push(v)),
    );
    return seen;
  }

  test('collect counts, collectWithTimestamp does not move the counter', async () => {
    const seen = await stamps({
      run: (ctx) => {
        void ctx.collect('a');
        void ctx.collectWithTimestamp('b', 1000);
        void ctx.collectWithTimestamp('c', -5);
        void ctx.collect('d');
      },
    });
    expect(seen).toEqual(['a@0', 'b@1000', 'c@-5', 'd@1']);
  });

  test.each([Number.NaN, Infinity, -Infinity, 1.5, 2 ** 53, '1500', undefined, null, new Date(0), 5n])(
    'the timestamp %p is refused at the call, and the source may go on',
    async (timestamp) => {
      const refusals: unknown[] = [];
      const seen = await stamps({
        run: (ctx) => {
          try {
            void ctx.collectWithTimestamp('bad', timestamp as number);
          } catch (error) {
            refusals.push(error);
          }
          void ctx.collect('good');
        },
      });
      expect(refusals).toEqual([coded('RS_INVALID_TIMESTAMP')]);
      expect(seen).toEqual(['good@0']);
    },
  );

  test('a bad timestamp that nobody catches fails the run', async () => {
    const source: StreamSource<string> = { run: (ctx) => void ctx.collectWithTimestamp('bad', Number.NaN) };
    await expect(stamps(source)).rejects.toEqual(coded('RS_INVALID_TIMESTAMP'));
  });

  test('there is no -0', async () => {
    const seen: number[] = [];
    await run(mode, (env) =>
      env
        .addSource<string>({ run: (ctx) => void ctx.collectWithTimestamp('a', -0) })
        .keyBy(() => 0)
        .process<number>((_key, _value, ctx, out) => out.collect(ctx.currentEventTime()))
        .addSink((v) => void seen.push(v)),
    );
    expect(seen.map((v) => Object.is(v, 0))).toEqual([true]);
  });
});

describe('an asynchronous source in an eager run', () => {
  const newEnv = () => StreamExecutionEnvironment.getExecutionEnvironment();

  test('is refused and told to stop; nothing that it collects later has an effect', async () => {
    const log: string[] = [];
    const contexts: SourceContext<number>[] = [];
    const source: StreamSource<number> = {
      run: async (ctx) => {
        contexts.push(ctx);
        await Promise.resolve();
        log.push(`stopped: ${ctx.isStopped()}, aborted: ${ctx.signal.aborted}`);
        await ctx.collect(1);
      },
      cancel: () => void log.push('cancel'),
      close: () => void log.push('close'),
    };
    const attach = () =>
      newEnv()
        .addSource(source, { name: 'feed' })
        .addSink(() => void log.push('record'));
    const { message } = thrownBy(attach, 'RS_ASYNC_IN_EAGER_RUN');
    expect(message).toMatch("source 'feed' returned a promise");
    await settle();
    expect(log).toEqual(['cancel', 'close', 'stopped: true, aborted: true']);
    // The source's promise was rejected with it; nobody else hears of it.
    await expect(contexts.at(-1)?.collect(2)).rejects.toEqual(coded('RS_CLOSED'));
  });

  test('so is an asynchronous open, even one that is rejected', async () => {
    const log: string[] = [];
    const source: StreamSource<number> = {
      open: () => Promise.reject(new Error('unheard')),
      run: () => void log.push('run'),
      close: () => void log.push('close'),
    };
    expect(() =>
      newEnv()
        .addSource(source)
        .addSink(() => undefined),
    ).toThrow(coded('RS_ASYNC_IN_EAGER_RUN'));
    await settle();
    expect(log).toEqual(['close']);
  });

  test('an asynchronous close may finish later; its error is logged', async () => {
    const logger = new RecordingLogger();
    const env = StreamExecutionEnvironment.getExecutionEnvironment({ logger });
    env
      .addSource({ run: () => undefined, close: () => Promise.reject(new Error('late')) })
      .addSink(() => undefined);
    await settle();
    expect(logger.lines()).toEqual(["warn source 'source' failed to close"]);
  });

  test('what is collected when all is over goes nowhere', async () => {
    const contexts: SourceContext<number>[] = [];
    const seen: number[] = [];
    newEnv()
      .addSource<number>({ run: (ctx) => void contexts.push(ctx) })
      .addSink((v) => void seen.push(v));
    expect(contexts[0]?.isStopped()).toBe(true);
    await expect(contexts[0]?.collect(1)).rejects.toEqual(coded('RS_CLOSED'));
    expect(seen).toEqual([]);
  });
});

test.each([undefined, null, {}, { run: 5 }])('%p is no source', (source) => {
  const env = StreamExecutionEnvironment.getExecutionEnvironment();
  expect(() => env.addSource(source as StreamSource<unknown>)).toThrow(coded('RS_INVALID_ARGUMENT'));
});
