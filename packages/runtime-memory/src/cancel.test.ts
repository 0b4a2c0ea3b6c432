import { getEventListeners } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { type DataStream, defineJob, type JobDefinition, type StreamEnvironment } from '@rs/core';
import { TumblingWindow } from '@rs/window';
import { StreamExecutionEnvironment } from './index.ts';
import { Deferred } from './test-support/deferred.ts';
import { LiveSource } from './test-support/live-source.ts';
import { ManualTime } from './test-support/manual-time.ts';
import { RecordingLogger } from './test-support/recording-logger.ts';
import { settle } from './test-support/settle.ts';

const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;

/** Runs a job with a signal, and sees that nothing of the run is left. */
class Cancellable {
  readonly log: string[] = [];
  readonly time = new ManualTime();
  readonly #controller = new AbortController();
  readonly #logger = new RecordingLogger();
  readonly #env = StreamExecutionEnvironment.getExecutionEnvironment({
    processingTime: 'clock',
    clock: this.time,
    scheduler: this.time,
    logger: this.#logger,
  });

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(): void {
    this.#controller.abort();
  }

  /** Attaches a sink that writes to the log. */
  sink<T>(stream: DataStream<T>): void {
    stream.addSink({
      open: () => void this.log.push('open'),
      invoke: (v) => void this.log.push(String(v)),
      close: () => void this.log.push('close'),
    });
  }

  async run(define: (env: StreamEnvironment) => void): Promise<string> {
    const job: JobDefinition = defineJob(define);
    const { status } = await this.#env.executeAsync(job, { signal: this.signal });
    expect(listeners(this.signal)).toBe(0);
    expect(this.time.pending).toBe(0);
    expect(this.#logger.lines()).toEqual([]);
    return status;
  }
}

describe('cancelling', () => {
  test('before the start: nothing is opened, nothing runs', async () => {
    const job = new Cancellable();
    job.abort();
    const status = await job.run((env) => {
      const source = { open: () => void job.log.push('source open'), run: () => undefined };
      job.sink(env.addSource(source));
    });
    expect(status).toBe('cancelled');
    expect(job.log).toEqual([]);
  });

  test('while something opens: it is closed, the rest never opened', async () => {
    const job = new Cancellable();
    const running = job.run((env) =>
      env.addSource({ open: () => void job.log.push('source open'), run: () => undefined }).addSink({
        open: () => {
          job.log.push('open');
          return new Promise(() => undefined);
        },
        invoke: () => undefined,
        close: () => void job.log.push('close'),
      }),
    );
    await settle();
    job.abort();
    expect(await running).toBe('cancelled');
    expect(job.log).toEqual(['open', 'close']);
  });

  test('while a source waits', async () => {
    const job = new Cancellable();
    const source = new LiveSource<number>();
    const running = job.run((env) => job.sink(env.addSource(source)));
    await settle();
    void source.send(1);
    job.abort();
    void source.send(2);
    expect(await running).toBe('cancelled');
    void source.send(3);
    await settle();
    expect(job.log).toEqual(['open', '1', 'close']);
  });

  test('while a source waits for the pipeline', async () => {
    const job = new Cancellable();
    const refusals: unknown[] = [];
    const running = job.run((env) =>
      env
        .addSource<number>({
          run: async (ctx) => {
            try {
              for (let i = 0; ; i++) await ctx.collect(i);
            } catch (error) {
              refusals.push((error as { code: string }).code);
            }
          },
        })
        .addSink(() => new Promise(() => undefined)),
    );
    await settle();
    job.abort();
    expect(await running).toBe('cancelled');
    await settle();
    expect(refusals).toEqual(['RS_CLOSED']);
  });

  test('during an asynchronous map: its result goes nowhere, the next record is not read', async () => {
    const job = new Cancellable();
    const gate = new Deferred();
    const running = job.run((env) =>
      job.sink(
        env.fromElements(1, 2).map(async (v) => {
          job.log.push(`map ${v}`);
          await gate.promise;
          return v;
        }),
      ),
    );
    await settle();
    job.abort();
    expect(await running).toBe('cancelled');
    gate.resolve();
    await settle();
    expect(job.log).toEqual(['open', 'map 1', 'close']);
  });

  test.each(['map', 'open', 'source'] as const)(
    'what fails because of it is no failure, such as a request of %s with the same signal',
    async (where) => {
      const abort = new AbortController();
      const request = () =>
        new Promise<void>((_resolve, reject) => {
          abort.signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
        });
      const nothing = () => undefined;
      const job = defineJob((env) =>
        env
          .addSource<number>({
            open: where === 'open' ? request : nothing,
            run: where === 'source' ? request : (ctx) => void ctx.collect(1),
          })
          .map(where === 'map' ? request : nothing)
          .addSink(nothing),
      );
      const env = StreamExecutionEnvironment.getExecutionEnvironment();
      const running = env.executeAsync(job, { signal: abort.signal });
      await settle();
      abort.abort();
      await expect(running).resolves.toMatchObject({ status: 'cancelled' });
    },
  );

  test('while a generator of a flatMap gives results: it is closed', async () => {
    const job = new Cancellable();
    const status = await job.run((env) =>
      job.sink(
        env
          .fromElements('ab')
          .flatMap(function* (letters) {
            try {
              yield* letters;
            } finally {
              job.log.push('generator closed');
            }
          })
          .map((letter) => {
            job.abort();
            return letter;
          }),
      ),
    );
    expect(status).toBe('cancelled');
    expect(job.log).toEqual(['open', 'a', 'generator closed', 'close']);
  });

  test('by a synchronous function: what it returns still goes its way, nothing else does', async () => {
    const job = new Cancellable();
    const status = await job.run((env) =>
      job.sink(
        env.fromElements(1, 2, 3).map((v) => {
          if (v === 2) job.abort();
          return v;
        }),
      ),
    );
    expect(status).toBe('cancelled');
    expect(job.log).toEqual(['open', '1', '2', 'close']);
  });

  test.each(['event', 'processing'] as const)(
    'by a %s-time timer: the next one does not fire',
    async (kind) => {
      const job = new Cancellable();
      const onTimer = (time: number) => {
        job.log.push(`timer ${time}`);
        job.abort();
      };
      const status = await job.run((env) =>
        job.sink(
          env
            .fromElements('a')
            .keyBy((v) => v)
            .process({
              processElement(_key, _value, ctx) {
                for (const time of [10, 20]) {
                  if (kind === 'event') ctx.registerEventTimeTimer(time);
                  else ctx.registerProcessingTimeTimer(time);
                }
              },
              onEventTime: onTimer,
              onProcessingTime: onTimer,
            }),
        ),
      );
      expect(status).toBe('cancelled');
      expect(job.log).toEqual(['open', 'timer 10', 'close']);
    },
  );

  test.each(['event', 'processing'] as const)('during an asynchronous %s-time timer', async (kind) => {
    const job = new Cancellable();
    const gate = new Deferred();
    const onTimer = async (time: number) => {
      job.log.push(`timer ${time}`);
      await gate.promise;
    };
    const running = job.run((env) =>
      job.sink(
        env
          .fromElements('a')
          .keyBy((v) => v)
          .process({
            processElement(_key, _value, ctx) {
              for (const time of [10, 20]) {
                if (kind === 'event') ctx.registerEventTimeTimer(time);
                else ctx.registerProcessingTimeTimer(time);
              }
            },
            onEventTime: onTimer,
            onProcessingTime: onTimer,
          }),
      ),
    );
    await settle();
    job.abort();
    expect(await running).toBe('cancelled');
    gate.resolve();
    await settle();
    expect(job.log).toEqual(['open', 'timer 10', 'close']);
  });

  test('while a timer of the clock is waited for', async () => {
    const job = new Cancellable();
    const source = new LiveSource<string>();
    const running = job.run((env) =>
      job.sink(
        env
          .addSource(source)
          .keyBy((v) => v)
          .process({
            processElement: (_key, _value, ctx) => ctx.registerProcessingTimeTimer(1_000),
            onProcessingTime: () => void job.log.push('fired'),
          }),
      ),
    );
    await settle();
    void source.send('a');
    await job.time.advance(500);
    expect(job.time.pending).toBe(1);
    job.abort();
    expect(await running).toBe('cancelled');
    expect(job.log).toEqual(['open', 'close']);
  });

  test('windows that are open are not fired', async () => {
    const job = new Cancellable();
    const source = new LiveSource<string>();
    const running = job.run((env) =>
      job.sink(
        env
          .addSource(source)
          .keyBy((v) => v)
          .window(TumblingWindow.of(1000))
          .count(),
      ),
    );
    await settle();
    void source.send('a', 5);
    job.abort();
    expect(await running).toBe('cancelled');
    expect(job.log).toEqual(['open', 'close']);
  });

  test('while the run closes changes nothing', async () => {
    const job = new Cancellable();
    const gate = new Deferred();
    const running = job.run((env) =>
      env.fromElements(1).addSink({
        invoke: (v) => void job.log.push(String(v)),
        close: async () => {
          job.log.push('closing');
          await gate.promise;
          job.log.push('closed');
        },
      }),
    );
    await settle();
    job.abort();
    await settle();
    gate.resolve();
    expect(await running).toBe('finished');
    expect(job.log).toEqual(['1', 'closing', 'closed']);
  });

  test('twice, and after the end', async () => {
    const job = new Cancellable();
    const source = new LiveSource<number>();
    const running = job.run((env) => job.sink(env.addSource(source)));
    await settle();
    job.abort();
    job.abort();
    expect(await running).toBe('cancelled');
    job.abort();
    await settle();
    expect(job.log).toEqual(['open', 'close']);
  });

  test('does not hide a failure that came first', async () => {
    const abort = new AbortController();
    const job = defineJob((env) =>
      env.fromElements(1).addSink(() => {
        queueMicrotask(() => abort.abort());
        throw new Error('full');
      }),
    );
    const env = StreamExecutionEnvironment.getExecutionEnvironment();
    await expect(env.executeAsync(job, { signal: abort.signal })).rejects.toThrow('full');
    expect(abort.signal.aborted).toBe(true);
  });

  test('one signal may serve many runs: no listener is left', async () => {
    const { signal } = new AbortController();
    const env = StreamExecutionEnvironment.getExecutionEnvironment();
    const job = defineJob((streams) => streams.fromElements(1).addSink(() => undefined));
    for (let i = 0; i < 20; i++) await env.executeAsync(job, { signal });
    await Promise.all(Array.from({ length: 5 }, () => env.executeAsync(job, { signal })));
    expect(listeners(signal)).toBe(0);
  });
});
