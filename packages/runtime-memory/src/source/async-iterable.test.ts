import { once, on, EventEmitter } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { defineJob, type MaybePromise } from '@rs/core';
import { type ExecuteOptions, StreamExecutionEnvironment } from '../index.ts';
import { coded } from '../test-support/coded.ts';
import { Deferred } from '../test-support/deferred.ts';
import { RecordingLogger } from '../test-support/recording-logger.ts';
import { settle } from '../test-support/settle.ts';

const newEnv = () => StreamExecutionEnvironment.getExecutionEnvironment();

function execute<T>(
  iterable: AsyncIterable<T>,
  sink: (value: T) => MaybePromise<void>,
  options?: ExecuteOptions,
) {
  return newEnv().executeAsync(
    defineJob((env) => env.fromAsyncIterable(iterable, { name: 'feed' }).addSink(sink)),
    options,
  );
}

describe('an async iterable', () => {
  test('gives its records with the timestamps 0, 1, 2', async () => {
    const out: string[] = [];
    async function* letters() {
      yield 'a';
      await settle();
      yield 'b';
    }
    await newEnv().executeAsync(
      defineJob((env) =>
        env
          .fromAsyncIterable(letters())
          .keyBy(() => 'k')
          .process<string>((_key, v, ctx, collector) => collector.collect(`${v}@${ctx.currentEventTime()}`))
          .addSink((v) => void out.push(v)),
      ),
    );
    expect(out).toEqual(['a@0', 'b@1']);
  });

  test('an empty one ends', async () => {
    const result = await execute((async function* () {})(), () => undefined);
    expect(result.status).toBe('finished');
  });

  test('is read one record ahead of the pipeline, not more', async () => {
    let read = 0;
    async function* naturals() {
      for (;;) yield read++;
    }
    const abort = new AbortController();
    const gates: Deferred[] = [];
    const running = execute(
      naturals(),
      () => {
        const gate = new Deferred();
        gates.push(gate);
        return gate.promise;
      },
      { signal: abort.signal },
    );
    for (let done = 0; done < 5; done++) {
      await settle();
      expect(gates).toHaveLength(done + 1);
      expect(read).toBeLessThanOrEqual(done + 2);
      gates[done]?.resolve();
    }
    abort.abort();
    await expect(running).resolves.toMatchObject({ status: 'cancelled' });
  });

  test('its error is that of the source, after what it gave', async () => {
    const cause = new Error('broken pipe');
    const out: number[] = [];
    async function* broken() {
      yield 1;
      throw cause;
    }
    const running = execute(broken(), (v) => void out.push(v));
    await expect(running).rejects.toEqual(coded('RS_SOURCE_FAILED', { cause }));
    await expect(running).rejects.toThrow("source 'feed' failed: broken pipe");
    expect(out).toEqual([1]);
  });

  test.each([undefined, null, 5])('an iterator that gives %p is broken', async (step) => {
    const broken = { [Symbol.asyncIterator]: () => ({ next: async () => step }) };
    await expect(execute(broken as never, () => undefined)).rejects.toEqual(coded('RS_SOURCE_FAILED'));
  });

  test('is closed when the pipeline fails', async () => {
    let closed = 0;
    async function* endless() {
      try {
        for (let i = 0; ; i++) yield i;
      } finally {
        closed += 1;
      }
    }
    const running = execute(endless(), (v) => {
      if (v === 3) throw new Error('full');
    });
    await expect(running).rejects.toEqual(coded('RS_SINK_FAILED'));
    expect(closed).toBe(1);
  });

  test('is not closed a second time when it has ended', async () => {
    let returned = 0;
    const iterable: AsyncIterable<number> = {
      [Symbol.asyncIterator]: () => ({
        next: async () => ({ done: true, value: undefined }),
        return: async () => {
          returned += 1;
          return { done: true, value: undefined };
        },
      }),
    };
    await execute(iterable, () => undefined);
    expect(returned).toBe(0);
  });

  test('an endless one that never waits lets the process live', async () => {
    async function* endless() {
      for (let i = 0; ; i++) yield i;
    }
    const abort = new AbortController();
    setImmediate(() => abort.abort());
    const result = await execute(endless(), () => undefined, { signal: abort.signal });
    expect(result.status).toBe('cancelled');
  });

  test('a generator can be read by one run only', async () => {
    async function* letters() {
      yield* 'ab';
    }
    const env = newEnv();
    const generator = letters();
    const out: string[] = [];
    const job = defineJob((streams) => streams.fromAsyncIterable(generator).addSink((v) => void out.push(v)));
    await env.executeAsync(job);
    await expect(env.executeAsync(job)).rejects.toEqual(coded('RS_SOURCE_FAILED'));
    expect(out).toEqual(['a', 'b']);
  });

  test.each([undefined, null, 5, [1], 'text', (function* () {})()])('%p is none', (value) => {
    expect(() => newEnv().fromAsyncIterable(value as never)).toThrow(coded('RS_INVALID_ARGUMENT'));
  });

  test('event iterators work, and stop when the run is cancelled', async () => {
    const emitter = new EventEmitter();
    const abort = new AbortController();
    const out: number[] = [];
    const events = on(emitter, 'value') as AsyncIterable<[number]>;
    const running = execute(events, ([v]) => void out.push(v), { signal: abort.signal });
    await settle();
    emitter.emit('value', 1);
    emitter.emit('value', 2);
    await settle();
    abort.abort();
    await expect(running).resolves.toMatchObject({ status: 'cancelled' });
    expect(out).toEqual([1, 2]);
    expect(emitter.listenerCount('value')).toBe(0);
  });
});

describe('a Node stream', () => {
  test('in object mode is a source', async () => {
    const out: unknown[] = [];
    await execute(Readable.from([{ id: 1 }, { id: 2 }]), (v) => void out.push(v));
    expect(out).toEqual([{ id: 1 }, { id: 2 }]);
  });

  test('is read with back-pressure', async () => {
    const stream = new PassThrough({ objectMode: true, highWaterMark: 4 });
    const gate = new Deferred();
    const out: number[] = [];
    const running = execute(stream as AsyncIterable<number>, async (v) => {
      await gate.promise;
      out.push(v);
    });
    let written = 0;
    while (stream.write(written++));
    await settle();
    expect(written).toBeLessThan(20);
    expect(out).toEqual([]);
    gate.resolve();
    if (stream.writableNeedDrain) await once(stream, 'drain');
    stream.end(written++);
    await running;
    expect(out).toEqual(Array.from({ length: written }, (_, i) => i));
  });

  test('that fails, fails the run', async () => {
    const stream = new PassThrough({ objectMode: true });
    const running = execute(stream as AsyncIterable<number>, () => undefined);
    await settle();
    const cause = new Error('ECONNRESET');
    stream.destroy(cause);
    await expect(running).rejects.toEqual(coded('RS_SOURCE_FAILED', { cause }));
  });

  test('is destroyed when the run is cancelled, also while there is nothing to read', async () => {
    const logger = new RecordingLogger();
    const stream = new PassThrough({ objectMode: true });
    const abort = new AbortController();
    const out: unknown[] = [];
    const running = StreamExecutionEnvironment.getExecutionEnvironment({ logger }).executeAsync(
      defineJob((env) => env.fromAsyncIterable(stream).addSink((v) => void out.push(v))),
      { signal: abort.signal },
    );
    await settle();
    stream.write(1);
    await settle();
    abort.abort();
    await expect(running).resolves.toMatchObject({ status: 'cancelled' });
    expect(out).toEqual([1]);
    expect(stream.destroyed).toBe(true);
    expect(logger.lines()).toEqual([]);
  });

  test('is destroyed when the pipeline fails', async () => {
    const stream = new PassThrough({ objectMode: true });
    stream.write(1);
    const running = execute(stream as AsyncIterable<number>, () => {
      throw new Error('full');
    });
    await expect(running).rejects.toEqual(coded('RS_SINK_FAILED'));
    expect(stream.destroyed).toBe(true);
  });

  test('can be read by one run only', async () => {
    const env = newEnv();
    const stream = Readable.from([1]);
    const job = defineJob((streams) => streams.fromAsyncIterable(stream).addSink(() => undefined));
    await env.executeAsync(job);
    await expect(env.executeAsync(job)).rejects.toEqual(coded('RS_SOURCE_FAILED'));
  });
});
