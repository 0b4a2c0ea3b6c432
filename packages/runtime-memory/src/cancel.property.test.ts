import { describe, expect, test } from '@jest/globals';
import { defineJob, type StreamEnvironment } from '@rs/core';
import { TumblingWindow } from '@rs/window';
import fc from 'fast-check';
import { StreamExecutionEnvironment } from './index.ts';
import { RecordingLogger } from './test-support/recording-logger.ts';
import { settle } from './test-support/settle.ts';

const RUNS = 150;
const RECORDS = 12;

interface Scenario {
  readonly source: 'collection' | 'async iterable' | 'async source' | 'event source';
  /** Turns of the microtask queue that the n-th call of a function takes; 0: it is synchronous. */
  readonly delays: readonly number[];
  /** The call of a function at which the run is cancelled, from within. */
  readonly abortAt: number;
}

async function* asynchronous(): AsyncGenerator<number> {
  for (let i = 0; i < RECORDS; i++) yield i;
}

function sourceOf(env: StreamEnvironment, kind: Scenario['source'], life: string[]) {
  const open = () => void life.push('source open');
  const close = () => void life.push('source close');
  switch (kind) {
    case 'collection':
      return env.fromCollection(Array.from({ length: RECORDS }, (_, i) => i));
    case 'async iterable':
      return env.fromAsyncIterable(asynchronous());
    case 'async source':
      return env.addSource<number>({
        open,
        close,
        run: async (ctx) => {
          for (let i = 0; i < RECORDS; i++) await ctx.collect(i);
        },
      });
    case 'event source':
      return env.addSource<number>({
        open,
        close,
        run: (ctx) =>
          new Promise((resolve) => {
            let i = 0;
            const next = (): void => {
              if (i === RECORDS) return resolve();
              void ctx.collect(i++);
              queueMicrotask(next);
            };
            queueMicrotask(next);
          }),
      });
  }
}

/** Runs the job; what its functions did, how it ended, and what they did after it had ended. */
async function outcome({ source, delays, abortAt }: Scenario) {
  const abort = new AbortController();
  const life: string[] = [];
  const calls: string[] = [];
  const logger = new RecordingLogger();
  const step = <R>(name: string, result: () => R): R => {
    if (calls.length === abortAt) abort.abort();
    const delay = delays[calls.length % delays.length] ?? 0;
    calls.push(name);
    return delay === 0 ? result() : (afterTurns(delay, result) as R);
  };
  const job = defineJob((env) => {
    const results = sourceOf(env, source, life)
      .map((v) => step(`map ${v}`, () => v))
      .keyBy((v) => v % 2)
      .process<number>({
        open: () => void life.push('process open'),
        close: () => void life.push('process close'),
        processElement: (_key, v, ctx, out) =>
          step(`process ${v}`, () => {
            out.collect(v);
            ctx.registerEventTimeTimer(v + 5);
            ctx.registerProcessingTimeTimer(v + 2);
          }),
        onEventTime: (time, key, _ctx, out) => step(`event ${key} ${time}`, () => out.collect(time)),
        onProcessingTime: (time, key, _ctx, out) =>
          step(`processing ${key} ${time}`, () => out.collect(time)),
      })
      .keyBy(() => 'k')
      .window(TumblingWindow.of(4))
      .apply<string>((_key, { start }, elements, out) =>
        step(`window ${start}`, () => out.collect(elements.join())),
      );
    results.addSink({
      open: () => void life.push('sink open'),
      invoke: (v) => step(`sink ${v}`, () => undefined),
      close: () => void life.push('sink close'),
    });
  });
  const env = StreamExecutionEnvironment.getExecutionEnvironment({ logger });
  const { status } = await env.executeAsync(job, { signal: abort.signal });
  const before = [...calls];
  await settle();
  return { status, calls: before, after: calls.slice(before.length), life, log: logger.lines() };
}

async function afterTurns<R>(turns: number, result: () => R): Promise<R> {
  for (let i = 0; i < turns; i++) await Promise.resolve();
  return result();
}

const scenarios: fc.Arbitrary<Scenario> = fc.record({
  source: fc.constantFrom('collection', 'async iterable', 'async source', 'event source'),
  delays: fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 4 }),
  abortAt: fc.nat({ max: 90 }),
});

describe('cancelling at any point', () => {
  test('ends the run at once: what was done is the beginning of the whole, everything is closed, nothing follows', async () => {
    await fc.assert(
      fc.asyncProperty(scenarios, async (scenario) => {
        const whole = await outcome({ ...scenario, abortAt: Infinity });
        const cancelled = await outcome(scenario);
        expect(whole.status).toBe('finished');
        expect(cancelled.status).toBe(scenario.abortAt < whole.calls.length ? 'cancelled' : 'finished');
        expect(cancelled.calls).toEqual(whole.calls.slice(0, cancelled.calls.length));
        expect(cancelled.after).toEqual([]);
        expect(cancelled.log).toEqual([]);
        expect(cancelled.life).toEqual(whole.life);
      }),
      { numRuns: RUNS },
    );
  });
});
