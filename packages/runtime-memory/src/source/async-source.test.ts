import { describe, expect, test } from '@jest/globals';
import { defineJob, type DataStream, type StreamSource } from '@rs/core';
import { StreamExecutionEnvironment } from '../index.ts';
import { coded } from '../test-support/coded.ts';
import { Deferred } from '../test-support/deferred.ts';
import { LiveSource } from '../test-support/live-source.ts';
import { RecordingLogger } from '../test-support/recording-logger.ts';
import { settle } from '../test-support/settle.ts';

const logger = new RecordingLogger();
const execute = (source: StreamSource<number>, attach: (stream: DataStream<number>) => unknown) =>
  StreamExecutionEnvironment.getExecutionEnvironment({ logger }).executeAsync(
    defineJob((env) => attach(env.addSource(source, { name: 'feed' }))),
  );

describe('an asynchronous source', () => {
  test('is run to its end, and its records are processed as they come', async () => {
    const log: string[] = [];
    const source: StreamSource<number> = {
      open: async () => {
        await settle();
        log.push('open');
      },
      run: async (ctx) => {
        for (const v of [1, 2]) {
          await settle();
          log.push(`collect ${v}`);
          await ctx.collect(v);
        }
      },
      close: async () => {
        await settle();
        log.push('close');
      },
    };
    await execute(source, (stream) => stream.addSink((v) => void log.push(`got ${v}`)));
    expect(log).toEqual(['open', 'collect 1', 'got 1', 'collect 2', 'got 2', 'close']);
  });

  test('a rejection of run is its failure', async () => {
    const cause = new Error('reset');
    const running = execute({ run: () => Promise.reject(cause) }, (stream) =>
      stream.addSink(() => undefined),
    );
    await expect(running).rejects.toEqual(coded('RS_SOURCE_FAILED', { cause }));
    await expect(running).rejects.toThrow("source 'feed' failed: reset");
  });

  test('gets a failure of the pipeline from collect, and cannot hide it', async () => {
    const log: unknown[] = [];
    const source: StreamSource<number> = {
      run: async (ctx) => {
        for (let v = 1; v <= 3; v++) {
          await settle();
          try {
            await ctx.collect(v);
          } catch (error) {
            log.push(error);
          }
        }
      },
    };
    const running = execute(source, (stream) =>
      stream.addSink((v) => {
        if (v === 1) throw new Error('full');
        log.push(v);
      }),
    );
    await expect(running).rejects.toThrow('sink failed: full');
    await settle();
    await settle();
    await settle();
    expect(log).toEqual([coded('RS_SINK_FAILED'), coded('RS_CLOSED'), coded('RS_CLOSED')]);
  });

  test('one that is called by events is never thrown at: the run fails, and the process goes on', async () => {
    const source = new LiveSource<number>();
    const running = execute(source, (stream) =>
      stream.addSink(() => {
        throw new Error('full');
      }),
    );
    await settle();
    void source.send(1);
    void source.send(2);
    await expect(running).rejects.toThrow('sink failed: full');
    void source.send(3);
    await settle();
  });

  test('a bad timestamp of one that is called by events fails the run, unless the source handles it', async () => {
    const source = new LiveSource<number>();
    const out: number[] = [];
    const running = execute(source, (stream) => stream.addSink((v) => void out.push(v)));
    await settle();
    await Promise.resolve(source.send(1, Number.NaN)).catch(() => undefined);
    void source.send(2, 5);
    await settle();
    expect(out).toEqual([2]);
    void source.send(3, Number.NaN);
    await expect(running).rejects.toEqual(coded('RS_INVALID_TIMESTAMP'));
  });

  test('a context that is used after run has ended, while the job goes on, throws', async () => {
    const out: number[] = [];
    const [short, long] = [new LiveSource<number>(), new LiveSource<number>()];
    const running = StreamExecutionEnvironment.getExecutionEnvironment().executeAsync(
      defineJob((env) =>
        env
          .addSource(short)
          .union(env.addSource(long))
          .addSink((v) => void out.push(v)),
      ),
    );
    await settle();
    short.end();
    await settle();
    await expect(short.send(1)).rejects.toEqual(coded('RS_CLOSED'));
    void long.send(2);
    long.end();
    await running;
    expect(out).toEqual([2]);
  });

  test('several sources run at the same time', async () => {
    const log: string[] = [];
    const [a, b] = [new LiveSource<string>(), new LiveSource<string>()];
    const running = StreamExecutionEnvironment.getExecutionEnvironment().executeAsync(
      defineJob((env) => {
        env.addSource(a).addSink((v) => void log.push(v));
        env.addSource(b).addSink((v) => void log.push(v));
        env.fromElements('c').addSink((v) => void log.push(v));
      }),
    );
    await settle();
    void b.send('b1');
    void a.send('a1');
    void b.send('b2');
    b.end();
    await settle();
    void a.send('a2');
    a.end();
    await running;
    expect(log).toEqual(['c', 'b1', 'a1', 'b2', 'a2']);
  });

  test('knows that it should stop', async () => {
    const stopping = new Deferred();
    const seen: boolean[] = [];
    const abort = new AbortController();
    const source: StreamSource<number> = {
      run: async (ctx) => {
        seen.push(ctx.isStopped(), ctx.signal.aborted);
        ctx.signal.addEventListener('abort', () => stopping.resolve());
        await stopping.promise;
        seen.push(ctx.isStopped(), ctx.signal.aborted);
      },
    };
    const running = StreamExecutionEnvironment.getExecutionEnvironment().executeAsync(
      defineJob((env) => env.addSource(source).addSink(() => undefined)),
      { signal: abort.signal },
    );
    await settle();
    abort.abort();
    await running;
    await settle();
    expect(seen).toEqual([false, false, true, true]);
  });

  test('a cancel() that fails, at once or later, is logged', async () => {
    const fails: (() => unknown)[] = [
      () => {
        throw new Error('at once');
      },
      () => Promise.reject(new Error('later')),
    ];
    for (const cancel of fails) {
      const recording = new RecordingLogger();
      const abort = new AbortController();
      const running = StreamExecutionEnvironment.getExecutionEnvironment({ logger: recording }).executeAsync(
        defineJob((env) =>
          env
            .addSource({ run: () => new Promise(() => undefined), cancel: cancel }, { name: 'feed' })
            .addSink(() => undefined),
        ),
        { signal: abort.signal },
      );
      await settle();
      abort.abort();
      await expect(running).resolves.toMatchObject({ status: 'cancelled' });
      await settle();
      expect(recording.lines()).toEqual(["warn source 'feed' failed to close"]);
    }
  });
});
