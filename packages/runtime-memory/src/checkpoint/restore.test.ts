import { describe, expect, test } from '@jest/globals';
import { type DataStream, defineJob, type StreamEnvironment, valueState } from '@rs/core';
import { AscendingTimestampWatermarkGenerator } from '@rs/watermark';
import { thrownBy } from '../test-support/coded.ts';
import { checkpointed } from '../test-support/checkpointed.ts';

const sumState = valueState('sum', { default: () => 0 });

async function* later(numbers: readonly number[]): AsyncGenerator<number> {
  for (const n of numbers) yield await Promise.resolve(n);
}

describe('restoreFromCheckpoint', () => {
  test('refuses an unknown id', () => {
    const { coordinator } = checkpointed('eager');
    const error = thrownBy(() => coordinator.restoreFromCheckpoint(7), 'RS_UNKNOWN_CHECKPOINT');
    expect(error.details).toEqual({ checkpointId: 7 });
    expect(error.message).toContain('there is none');
  });

  test('the runs that start later begin from it, each of them', () => {
    const { env, coordinator } = checkpointed('eager');
    const sums = env.fromElements(1, 2, 3).map((value) => {
      if (value === 2 && coordinator.getLatestCheckpoint() === undefined) coordinator.triggerCheckpoint();
      return value;
    });
    const seen: unknown[] = [];
    const attach = () =>
      sums
        .keyBy(() => 'k')
        .sum((value) => value, { uid: 'sum' })
        .addSink((sum) => void seen.push(sum));
    attach();
    coordinator.restoreFromCheckpoint(1);
    attach();
    attach();
    expect(seen).toEqual([1, 3, 6, 6, 6]);
  });

  test('a job that has no place for what is in it is refused', () => {
    const { env, coordinator } = checkpointed('eager');
    const counted = (uid: string) => {
      const keyed = env.fromElements(1).keyBy(() => 'k');
      keyed.sum((value) => value, { uid }).addSink(() => undefined);
    };
    counted('sum');
    coordinator.triggerCheckpoint();
    coordinator.restoreFromCheckpoint(1);
    const error = thrownBy(() => counted('other'), 'RS_CHECKPOINT_MISMATCH');
    expect(error.details).toEqual({ checkpointId: 1, problems: ["state 'accumulator' of 'sum'"] });
  });

  test.each<[string, (env: StreamEnvironment, numbers: number[]) => DataStream<number>]>([
    ['an array', (env, numbers) => env.fromElements(...numbers)],
    ['an iterable', (env, numbers) => env.fromCollection(new Set(numbers))],
    ['an async iterable', (env, numbers) => env.fromAsyncIterable(later(numbers))],
    ['a source', (env, numbers) => env.addSource({ run: (ctx) => numbers.forEach((n) => ctx.collect(n)) })],
    [
      'a source that waits',
      (env, numbers) =>
        env.addSource({
          async run(ctx) {
            for (const n of numbers) await ctx.collect(n);
          },
        }),
    ],
  ])('%s is read from behind what was processed, and refused when it has less', async (_name, from) => {
    const { env, coordinator } = checkpointed('async');
    const run = async (numbers: number[]) => {
      const seen: number[] = [];
      const times: number[] = [];
      await env.executeAsync(
        defineJob((env) => {
          from(env, numbers)
            .assignTimestampsAndWatermarks((n: number, time) => {
              if (n === 3) coordinator.triggerCheckpoint();
              times.push(time);
              return time;
            }, new AscendingTimestampWatermarkGenerator())
            .addSink((n) => void seen.push(n));
        }),
      );
      return { seen, times };
    };
    expect(await run([1, 2, 3, 4, 5])).toEqual({ seen: [1, 2, 3, 4, 5], times: [0, 1, 2, 3, 4] });
    coordinator.restoreFromCheckpoint(1);
    expect(await run([1, 2, 3, 4, 5])).toEqual({ seen: [4, 5], times: [3, 4] });
    expect(await run([1, 2, 3])).toEqual({ seen: [], times: [] });
    const details = { position: 3, records: 2 };
    await expect(run([1, 2])).rejects.toMatchObject({ code: 'RS_CHECKPOINT_MISMATCH', details });
  });

  test('records that wait while a source is read again are dropped as well', async () => {
    const { env, coordinator } = checkpointed('eager');
    const seen: number[] = [];
    const numbers = env.addSource<number>({
      run: (ctx) => {
        coordinator.triggerCheckpoint(); // From here on they wait until it was taken.
        for (const n of [1, 2, 3, 4]) void ctx.collect(n);
      },
    });
    const attach = () =>
      numbers.addSink((n) => {
        seen.push(n);
        if (n === 2) coordinator.triggerCheckpoint();
      });
    attach();
    coordinator.restoreFromCheckpoint(2);
    attach();
    expect(seen).toEqual([1, 2, 3, 4, 3, 4]);
  });

  test('a source is known by its uid when the job changes', async () => {
    const { env, coordinator } = checkpointed('async');
    const job = (before: boolean, seen: string[]) =>
      defineJob((env) => {
        if (before) env.fromElements('new').addSink((value) => void seen.push(value));
        env
          .addSource<string>({ run: (ctx) => void ['a', 'b', 'c'].map(ctx.collect) }, { uid: 'letters' })
          .addSink((value) => {
            seen.push(value);
            if (value === 'b' && !before) coordinator.triggerCheckpoint();
          });
      });
    const seen: string[] = [];
    await env.executeAsync(job(false, seen));
    coordinator.restoreFromCheckpoint(1);
    await env.executeAsync(job(true, seen));
    expect(seen).toEqual(['a', 'b', 'c', 'new', 'c']);
  });

  test('in an async function holds for what comes after it', async () => {
    const { env, coordinator } = checkpointed('async');
    const out: string[] = [];
    await env.executeAsync(
      defineJob((env) => {
        const keyed = env.fromElements(1, 2, 3).keyBy(() => 'k');
        keyed.getState(sumState);
        keyed
          .process<string>(async (_key, value, ctx, out) => {
            const sum = ctx.state(sumState);
            sum.update(sum.value() + value);
            await Promise.resolve();
            if (value === 3) {
              await coordinator.restoreFromCheckpoint(1);
              sum.update(sum.value() + value);
            }
            await Promise.resolve();
            out.collect(`sum=${sum.value()}`);
            if (value === 1) coordinator.triggerCheckpoint();
          })
          .addSink((line) => void out.push(line));
      }),
    );
    expect(out).toEqual(['sum=1', 'sum=3', 'sum=4']);
  });

  test('a state that is declared later is filled in then', () => {
    const { env, coordinator } = checkpointed('eager');
    const late = valueState('late', { default: () => 'nothing' });
    const keyed = env.fromElements(1, 2, 3, 4).keyBy(() => 'k');
    const out: string[] = [];
    keyed
      .process<string>((_key, value, ctx, out) => {
        if (value === 1) {
          keyed.getState(late);
          ctx.state(late).update('something');
          coordinator.triggerCheckpoint();
        }
        if (value === 3) void coordinator.restoreFromCheckpoint(1);
        out.collect(ctx.state(late).value());
        ctx.state(late).update('other');
      })
      .addSink((line) => void out.push(line));
    expect(out).toEqual(['something', 'other', 'other', 'other']);
  });
});

describe('keep', () => {
  test('the newest ones stay', () => {
    const { env, coordinator } = checkpointed('eager', { keep: 2 });
    env.fromElements(1, 2, 3, 4).addSink(() => void coordinator.triggerCheckpoint());
    expect([1, 2, 3, 4].map((id) => coordinator.getCheckpoint(id) !== undefined)).toEqual([
      false,
      false,
      true,
      true,
    ]);
    const error = thrownBy(() => coordinator.restoreFromCheckpoint(1), 'RS_UNKNOWN_CHECKPOINT');
    expect(error.message).toContain('those that are kept are 3, 4');
  });

  test('a checkpoint that was restored stays for the runs that begin from it', () => {
    const { env, coordinator } = checkpointed('eager', { keep: 1 });
    const input = env.fromElements(1, 2, 3).map((value) => {
      if (value < 3) coordinator.triggerCheckpoint();
      return value;
    });
    const seen: number[] = [];
    input.addSink((value) => void seen.push(value));
    coordinator.restoreFromCheckpoint(2);
    input.addSink((value) => void seen.push(value));
    coordinator.triggerCheckpoint();
    input.addSink((value) => void seen.push(value));
    expect(seen).toEqual([1, 2, 3, 3, 3]);
  });
});
