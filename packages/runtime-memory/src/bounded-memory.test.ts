import { describe, expect, test } from '@jest/globals';
import { defineJob, type MaybePromise, type StreamSource } from '@rs/core';
import { type ExecuteOptions, StreamExecutionEnvironment } from './index.ts';
import { coded } from './test-support/coded.ts';
import { Deferred } from './test-support/deferred.ts';
import { LiveSource } from './test-support/live-source.ts';
import { settle } from './test-support/settle.ts';

/** Records that may wait for the pipeline before a source that awaits `collect` waits too. */
const BUFFER = 256;
/** Records that may wait at most. */
const HARD_LIMIT = 65_536;

function execute<T>(
  source: StreamSource<T>,
  sink: (value: T) => MaybePromise<void>,
  options?: ExecuteOptions,
) {
  return StreamExecutionEnvironment.getExecutionEnvironment().executeAsync(
    defineJob((env) => env.addSource(source, { name: 'feed' }).addSink(sink)),
    options,
  );
}

describe('a source that awaits collect', () => {
  test('is never more than a buffer ahead of a slow sink', async () => {
    const RECORDS = 2_000;
    let collected = 0;
    let written = 0;
    let furthest = 0;
    const source: StreamSource<number> = {
      run: async (ctx) => {
        while (collected < RECORDS) {
          collected += 1;
          furthest = Math.max(furthest, collected - written);
          await ctx.collect(collected);
        }
      },
    };
    await execute(source, async (v) => {
      await new Promise((resolve) => setImmediate(resolve));
      written += 1;
      expect(v).toBe(written);
    });
    expect(written).toBe(RECORDS);
    // The buffer, the record the sink holds, and the one the source is about to hand over.
    expect(furthest).toBeLessThanOrEqual(BUFFER + 2);
  });

  test('that never ends can be cancelled, although it waits for nothing else', async () => {
    const abort = new AbortController();
    let ended = false;
    const source: StreamSource<number> = {
      run: async (ctx) => {
        try {
          for (let i = 0; ; i++) await ctx.collect(i);
        } finally {
          ended = true;
        }
      },
    };
    setImmediate(() => abort.abort());
    const result = await execute(source, () => undefined, { signal: abort.signal });
    expect(result.status).toBe('cancelled');
    await settle();
    expect(ended).toBe(true);
  });

  test('lets other sources have their turn', async () => {
    const abort = new AbortController();
    const out: string[] = [];
    const busy: StreamSource<string> = {
      run: async (ctx) => {
        for (;;) await ctx.collect('busy');
      },
    };
    const job = defineJob((env) => {
      env.addSource(busy).addSink(() => undefined);
      env.fromElements('a', 'b').addSink((v) => {
        out.push(v);
        if (v === 'b') abort.abort();
      });
    });
    const env = StreamExecutionEnvironment.getExecutionEnvironment();
    await env.executeAsync(job, { signal: abort.signal });
    expect(out).toEqual(['a', 'b']);
  });

  test('waits while the pipeline does, and goes on where it stopped', async () => {
    const gate = new Deferred();
    const out: number[] = [];
    let collected = 0;
    const source: StreamSource<number> = {
      run: async (ctx) => {
        for (; collected < 3 * BUFFER; collected++) await ctx.collect(collected);
      },
    };
    const running = execute(source, async (v) => {
      if (v === 0) await gate.promise;
      out.push(v);
    });
    await settle();
    expect(collected).toBe(BUFFER); // One with the sink, the others waiting.
    gate.resolve();
    await running;
    expect(out).toEqual(Array.from({ length: 3 * BUFFER }, (_, i) => i));
  });
});

describe('a source that does not await collect', () => {
  test('is stopped when the limit is reached, and cannot hide that', async () => {
    const source = new LiveSource<number>();
    const out: number[] = [];
    const gate = new Deferred();
    const running = execute(source, async (v) => {
      await gate.promise;
      out.push(v);
    });
    const failure = expect(running).rejects.toEqual(coded('RS_BACKPRESSURE_IGNORED'));
    await settle();
    const waits: MaybePromise<void>[] = [];
    for (let i = 0; i <= HARD_LIMIT; i++) waits.push(source.send(i));
    expect(waits.findIndex((wait) => wait !== undefined)).toBe(BUFFER);
    const refused = source.send(HARD_LIMIT + 1);
    await failure;
    await expect(refused).rejects.toEqual(coded('RS_BACKPRESSURE_IGNORED'));
    expect(out).toEqual([]);
    gate.resolve();
  });

  test('gets the error thrown while it runs synchronously', async () => {
    let collected = 0;
    const refusals: unknown[] = [];
    const source: StreamSource<number> = {
      run: (ctx) => {
        try {
          for (; ; collected++) void ctx.collect(collected);
        } catch (error) {
          refusals.push(error);
        }
      },
    };
    await expect(execute(source, () => settle())).rejects.toEqual(coded('RS_BACKPRESSURE_IGNORED'));
    expect(refusals).toEqual([coded('RS_BACKPRESSURE_IGNORED')]);
    expect(collected).toBe(HARD_LIMIT + 1);
  });

  test('may send as much as it likes while the pipeline keeps up', async () => {
    let written = 0;
    const count = 3 * HARD_LIMIT;
    const synchronous: StreamSource<number> = {
      run: (ctx) => {
        for (let i = 0; i < count; i++) void ctx.collect(i);
      },
    };
    await execute(synchronous, () => void (written += 1));
    expect(written).toBe(count);
    const later: StreamSource<number> = {
      run: async (ctx) => {
        await settle();
        for (let i = 0; i < count; i++) void ctx.collect(i);
      },
    };
    await execute(later, () => void (written += 1));
    expect(written).toBe(2 * count);
  });

  test('up to the limit loses nothing, and keeps the order', async () => {
    const source = new LiveSource<number>();
    const out: number[] = [];
    const running = execute(source, async (v) => void out.push(v));
    await settle();
    for (let i = 0; i <= HARD_LIMIT; i++) void source.send(i);
    source.end();
    await running;
    expect(out).toEqual(Array.from({ length: HARD_LIMIT + 1 }, (_, i) => i));
  });
});
