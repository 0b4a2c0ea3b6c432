import { describe, expect, test } from '@jest/globals';
import {
  type Collector,
  isRsError,
  type KeyedProcessFunction,
  outputTag,
  type ProcessContext,
  valueState,
} from '@rs/core';
import { JobRun } from '../test-support/job-run.ts';
import { turn } from '../test-support/turn.ts';

type Fn = KeyedProcessFunction<string, string, string>;

const COUNT = valueState('count', { default: () => 0 });
const side = outputTag<string>('side');

function processing(fn: Fn) {
  return new JobRun<string>((input) => input.keyBy((text) => text[0] ?? '').process(fn), { mode: 'async' });
}

const sleepy = async (turns: number) => {
  for (let i = 0; i < turns; i++) await Promise.resolve();
};

/** What each use of a context, collector and handle of an earlier call throws. */
function usesOf(
  ctx: ProcessContext<string>,
  out: Collector<string>,
  count: { value(): number; clear(): void },
) {
  const uses: Record<string, () => unknown> = {
    key: () => ctx.key,
    currentEventTime: () => ctx.currentEventTime(),
    currentProcessingTime: () => ctx.currentProcessingTime(),
    currentWatermark: () => ctx.currentWatermark(),
    registerEventTimeTimer: () => ctx.registerEventTimeTimer(1),
    registerProcessingTimeTimer: () => ctx.registerProcessingTimeTimer(1),
    deleteEventTimeTimer: () => ctx.deleteEventTimeTimer(1),
    deleteProcessingTimeTimer: () => ctx.deleteProcessingTimeTimer(1),
    state: () => ctx.state(COUNT),
    output: () => ctx.output(side, 'x'),
    collect: () => out.collect('x'),
    'a handle of ctx.state': () => count.value(),
    'clear of a handle': () => count.clear(),
  };
  return Object.entries(uses).map(([name, use]) => {
    try {
      use();
      return `${name}: allowed`;
    } catch (error) {
      return isRsError(error, 'RS_CONTEXT_CLOSED') ? 'closed' : `${name}: ${String(error)}`;
    }
  });
}

const ALL_CLOSED = Array(13).fill('closed');

describe('async callbacks', () => {
  test('run one after the other, with items in their places', async () => {
    const run = processing({
      processElement: async (_key, value, ctx, out) => {
        out.collect(`${value} begin`);
        await sleepy(value === 'a1' ? 20 : 1);
        ctx.registerEventTimeTimer(ctx.currentEventTime());
        out.collect(`${value} end`);
      },
      onEventTime: async (time, key, _ctx, out) => {
        await sleepy(3);
        out.collect(`et${time} ${key}`);
      },
    });
    run.feed(['a1', 1], ['b2', 2]).watermark(1);
    run.feed(['a3', 3]).end();
    await run.settled();
    expect(run.output().trace).toEqual([
      'a1 begin@1', 'a1 end@1', 'b2 begin@2', 'b2 end@2', 'et1 a@1', 'w1',
      'a3 begin@3', 'a3 end@3', 'et2 b@2', 'et3 a@3', 'end',
    ]); // prettier-ignore
  });

  test('keep their state, timers and outputs through ctx while they wait', async () => {
    const run = new JobRun<string>(
      (input) => {
        const keyed = input.keyBy((text) => text[0] ?? '');
        keyed.getState(COUNT);
        const main = keyed.process<string>(async (_key, value, ctx, out) => {
          const count = ctx.state(COUNT);
          const before = count.value();
          await sleepy(value.length);
          count.update(before + 1);
          ctx.output(side, `${ctx.key}@${ctx.currentEventTime()}`);
          out.collect(`${value}:${ctx.state(COUNT).value()}`);
        });
        return { main, side: main.getSideOutput(side) };
      },
      { mode: 'async' },
    );
    run.feed(['a', 1], ['bb', 2], ['aaa', 3], ['b', 4]);
    await run.settled();
    expect(run.output().records).toEqual([['a:1', 1], ['bb:1', 2], ['aaa:2', 3], ['b:2', 4]]); // prettier-ignore
    expect(run.output('side').values).toEqual(['a@1', 'b@2', 'a@3', 'b@4']);
  });

  test('a processing timer keeps its time as the current one until its promise is settled', async () => {
    const run = processing({
      processElement: (_key, _value, ctx) => ctx.registerProcessingTimeTimer(5),
      onProcessingTime: async (time, _key, ctx, out) => {
        await sleepy(3);
        out.collect(`pt${time} n${ctx.currentProcessingTime()}`);
      },
    });
    run.feed(['a', 0], ['b', 50]);
    await run.settled();
    expect(run.output().values).toEqual(['pt5 n5', 'pt5 n5']);
  });

  test('a rejection fails the run', async () => {
    const run = processing({ processElement: () => Promise.reject(new Error('boom')) });
    run.feed(['a', 0], ['b', 1]);
    await expect(run.settled()).rejects.toMatchObject({
      code: 'RS_USER_FUNCTION_FAILED',
      message: 'process failed: boom',
    });
  });
});

describe('context, collector and handles', () => {
  function keeping() {
    const kept: (() => string[])[] = [];
    const keep: NonNullable<Fn['processElement']> = (_key, _value, ctx, out) => {
      const count = ctx.state(COUNT);
      kept.push(() => usesOf(ctx, out, count));
    };
    return { kept, keep };
  }

  function declared(fn: Fn, mode: 'sync' | 'async'): JobRun<string> {
    return new JobRun<string>(
      (input) => {
        const keyed = input.keyBy((text) => text[0] ?? '');
        keyed.getState(COUNT);
        return keyed.process(fn);
      },
      { mode },
    );
  }

  test('are closed once a synchronous callback has returned, or thrown', () => {
    const { kept, keep } = keeping();
    const run = declared(
      {
        processElement: (key, value, ctx, out) => {
          void keep(key, value, ctx, out);
          ctx.registerEventTimeTimer(5);
          if (value === 'boom') throw new Error('boom');
        },
        onEventTime: (_time, key, ctx, out) => void keep(key, '', ctx, out),
      },
      'sync',
    );
    run.feed(['a', 0], ['b', 1]).watermark(5);
    expect(() => run.feed(['boom', 2])).toThrow('boom');
    expect(kept.map((uses) => uses())).toEqual(Array(5).fill(ALL_CLOSED));
    expect(run.output().values).toEqual([]);
  });

  test('are closed once an async callback is settled, not before', async () => {
    const { kept, keep } = keeping();
    let during: string[] = [];
    const run = declared(
      {
        processElement: async (key, value, ctx, out) => {
          void keep(key, value, ctx, out);
          await sleepy(3);
          during = kept.at(-1)?.() ?? [];
        },
        onEventTime: () => undefined,
        onProcessingTime: () => undefined,
      },
      'async',
    );
    run.feed(['a', 0]);
    await run.settled();
    expect(during.every((use) => use.endsWith('allowed'))).toBe(true);
    expect(kept.map((uses) => uses())).toEqual([ALL_CLOSED]);
  });

  test.each(['rejects', 'is cancelled', 'is rewound', 'fails elsewhere'])(
    'are closed when the callback %s while it waits',
    async (how) => {
      const { kept, keep } = keeping();
      let goOn: (error?: Error) => void = () => undefined;
      const run = declared(
        {
          processElement: async (key, value, ctx, out) => {
            void keep(key, value, ctx, out);
            await new Promise<void>((resolve, reject) => {
              goOn = (error) => (error === undefined ? resolve() : reject(error));
            });
            out.collect('too late');
          },
        },
        'async',
      );
      run.feed(['a', 0]);
      await turn();
      if (how === 'rejects') {
        goOn(new Error('boom'));
        await turn();
      }
      if (how === 'is cancelled') run.task.stop();
      if (how === 'is rewound') run.task.rewind();
      if (how === 'fails elsewhere') run.task.fail(new Error('elsewhere'));
      expect(kept.map((uses) => uses())).toEqual([ALL_CLOSED]);
      goOn();
      await turn();
      expect(run.output().values).toEqual([]);
      expect(run.task.failed).toBe(how === 'rejects' || how === 'fails elsewhere');
      expect(run.task.pending).toBe(false);
    },
  );

  test('are closed when an async callback was refused because nobody waits for it', async () => {
    const { kept, keep } = keeping();
    const run = declared(
      {
        processElement: async (key, value, ctx, out) => {
          void keep(key, value, ctx, out);
          await Promise.resolve();
          out.collect('too late');
        },
      },
      'sync',
    );
    expect(() => run.feed(['a', 0])).toThrow(expect.objectContaining({ code: 'RS_ASYNC_IN_EAGER_RUN' }));
    expect(kept.map((uses) => uses())).toEqual([ALL_CLOSED]);
    await turn();
    expect(run.output().values).toEqual([]);
  });

  test('after a rewind the record runs again on a context of its own', async () => {
    const tries: ((value: string) => void)[] = [];
    const run = processing({
      processElement: async (_key, value, _ctx, out) => {
        const answer = await new Promise<string>((resolve) => tries.push(resolve));
        out.collect(`${value} ${answer}`);
      },
    });
    run.feed(['a', 0]);
    run.task.rewind();
    run.feed(['a', 0]);
    tries[0]?.('first');
    tries[1]?.('second');
    await run.settled();
    await turn();
    expect(run.output().values).toEqual(['a second']);
  });
});
