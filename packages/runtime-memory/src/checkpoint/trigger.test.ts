import { describe, expect, test } from '@jest/globals';
import { defineJob } from '@rs/core';
import { coded } from '../test-support/coded.ts';
import { checkpointed } from '../test-support/checkpointed.ts';
import { LiveSource } from '../test-support/live-source.ts';
import { settle } from '../test-support/settle.ts';

describe('triggerCheckpoint', () => {
  test('outside of runs is completed at once: of nothing, and of the final state of the last run', () => {
    const { env, coordinator } = checkpointed('eager');
    expect(coordinator.triggerCheckpoint()).toBe(1);
    expect(coordinator.getLatestCheckpoint()).toMatchObject({ checkpointId: 1, completed: true });
    env.fromElements('x').addSink(() => undefined);
    expect(coordinator.triggerCheckpoint()).toBe(2);
    expect(coordinator.getCheckpoint(2)).toMatchObject({ completed: true });
    expect(coordinator.getCheckpoint(3)).toBeUndefined();
  });

  test('between two records of an iteration is completed at once', () => {
    const { env, coordinator } = checkpointed('eager');
    const sums = env
      .fromElements(1, 2, 3)
      .keyBy(() => 'k')
      .sum((value) => value);
    for (const sum of sums) {
      if (sum !== 3) continue;
      const id = coordinator.triggerCheckpoint();
      expect(coordinator.getCheckpoint(id)).toMatchObject({ completed: true });
      break;
    }
    coordinator.restoreFromCheckpoint(1);
    expect([...sums]).toEqual([6]);
  });

  test('is refused after a run that ended in the middle of a record', () => {
    const { env, coordinator } = checkpointed('eager');
    const failing = () => {
      throw new Error('full');
    };
    expect(() => env.fromElements(1).addSink(failing)).toThrow(coded('RS_SINK_FAILED'));
    expect(() => coordinator.triggerCheckpoint()).toThrow(coded('RS_UNSUPPORTED'));
  });

  test('takes the break although the synchronous run() of a source never returns before its end', () => {
    const { env, coordinator } = checkpointed('eager');
    const taken: number[] = [];
    env
      .addSource<number>({
        run: (ctx) => {
          for (let n = 0; n < 5; n++) {
            void ctx.collect(n);
            const latest = coordinator.getLatestCheckpoint() as { checkpointId: number } | undefined;
            taken.push(latest?.checkpointId ?? 0);
          }
        },
      })
      .addSink((n) => {
        if (n % 2 === 1) coordinator.triggerCheckpoint();
      });
    expect(taken).toEqual([0, 1, 1, 2, 2]);
  });

  test('a record that is collected while another one is under way is no boundary', () => {
    const { env, coordinator } = checkpointed('eager');
    const completed: boolean[] = [];
    let collect: (value: string) => unknown = () => undefined;
    env
      .addSource<string>({
        run: (ctx) => {
          collect = ctx.collect;
          void ctx.collect('outer');
        },
      })
      .addSink((value) => {
        if (value !== 'outer') return void coordinator.triggerCheckpoint();
        void collect('inner');
        completed.push(coordinator.getLatestCheckpoint() !== undefined);
      });
    expect(completed).toEqual([false]);
    expect(coordinator.getLatestCheckpoint()).toMatchObject({ checkpointId: 1 });
  });

  test('a record that an event brings while another one is under way is no boundary either', async () => {
    const { env, coordinator } = checkpointed('async');
    const source = new LiveSource<string>();
    const completed: boolean[] = [];
    const numbers = new LiveSource<number>();
    const running = env.executeAsync(
      defineJob((env) => {
        env.addSource(source).addSink(() => void coordinator.triggerCheckpoint());
        env.addSource(numbers).addSink(() => {
          void source.send('meanwhile');
          completed.push(coordinator.getLatestCheckpoint() !== undefined);
        });
      }),
    );
    await settle();
    void numbers.send(1);
    await settle();
    expect(completed).toEqual([false]);
    expect(coordinator.getLatestCheckpoint()).toMatchObject({ checkpointId: 1 });
    source.end();
    numbers.end();
    await running;
  });

  test('wakes a run that waits for its source', async () => {
    const { env, coordinator } = checkpointed('async');
    const source = new LiveSource<string>();
    const running = env.executeAsync(defineJob((env) => env.addSource(source).addSink(() => undefined)));
    await settle();
    void source.send('a');
    await settle();
    const id = coordinator.triggerCheckpoint();
    expect(coordinator.getCheckpoint(id)).toMatchObject({ completed: false });
    await settle();
    expect(coordinator.getCheckpoint(id)).toMatchObject({ completed: true });
    source.end();
    await running;
  });

  test('waits for promises, and for calls that records need not wait for', async () => {
    const { env, coordinator } = checkpointed('async');
    const answers: (() => void)[] = [];
    const seen: number[] = [];
    const running = env.executeAsync(
      defineJob((env) =>
        env
          .fromElements(1, 2, 3, 4)
          .mapAsync((n) => new Promise<number>((resolve) => answers.push(() => resolve(n))), {
            concurrency: 10,
          })
          .addSink((n) => void seen.push(n)),
      ),
    );
    await settle();
    expect(answers).toHaveLength(4);
    const id = coordinator.triggerCheckpoint();
    for (const answer of answers.splice(0, 3)) answer();
    await settle();
    expect(coordinator.getCheckpoint(id)).toMatchObject({ completed: false });
    answers[0]?.();
    await settle();
    expect(coordinator.getCheckpoint(id)).toMatchObject({ completed: true });
    await running;
    expect(seen).toEqual([1, 2, 3, 4]);
  });

  test('no record is read until calls under way are done, and then the run goes on', async () => {
    const { env, coordinator } = checkpointed('async');
    const source = new LiveSource<number>();
    const answers: (() => void)[] = [];
    const asked: number[] = [];
    const running = env.executeAsync(
      defineJob((env) =>
        env
          .addSource(source)
          .mapAsync(
            (n) => {
              asked.push(n);
              return new Promise<number>((resolve) => answers.push(() => resolve(n)));
            },
            { concurrency: 10 },
          )
          .addSink(() => undefined),
      ),
    );
    await settle();
    void source.send(1);
    await settle();
    coordinator.triggerCheckpoint();
    void source.send(2);
    await settle();
    expect(asked).toEqual([1]);
    answers[0]?.();
    await settle();
    expect(asked).toEqual([1, 2]);
    answers[1]?.();
    source.end();
    await running;
    coordinator.restoreFromCheckpoint(1);
    const again: number[] = [];
    await env.executeAsync(
      defineJob((env) =>
        env
          .fromElements(1, 2)
          .mapAsync((n) => n)
          .addSink((n) => void again.push(n)),
      ),
    );
    expect(again).toEqual([2]);
  });

  test('of several that are asked for at once, each is taken', async () => {
    const { env, coordinator } = checkpointed('eager', { keep: 10 });
    env.fromElements(1, 2).addSink(() => {
      coordinator.triggerCheckpoint();
      coordinator.triggerCheckpoint();
    });
    for (const id of [1, 2, 3, 4]) expect(coordinator.getCheckpoint(id)).toMatchObject({ completed: true });
  });

  test('what was not taken before a run ended is gone', async () => {
    const { env, coordinator } = checkpointed('async');
    const stop = new AbortController();
    const job = defineJob((env) =>
      env.fromElements(1).addSink(() => {
        coordinator.triggerCheckpoint();
        stop.abort();
      }),
    );
    expect((await env.executeAsync(job, stop)).status).toBe('cancelled');
    expect(coordinator.getCheckpoint(1)).toBeUndefined();
    expect(coordinator.getLatestCheckpoint()).toBeUndefined();
  });
});
