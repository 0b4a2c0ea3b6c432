import { describe, expect, test } from '@jest/globals';
import { type KeyedProcessFunction, type LargeMapState, largeMapState, type ProcessContext } from '@rs/core';
import { collected } from '../test-support/collected.ts';
import { errorOf } from '../test-support/error-of.ts';
import { JobRun, type JobRunOptions } from '../test-support/job-run.ts';
import { turn } from '../test-support/turn.ts';

const MAP = largeMapState<string, string>('map');
type Map = LargeMapState<string, string>;

/** Texts such as `a:rest`, whose key is what stands before the colon; the handle is declared on the keyed stream. */
function processing(
  define: (map: Map) => KeyedProcessFunction<string, string, string>,
  options: JobRunOptions = { mode: 'async' },
): JobRun<string> {
  return new JobRun<string>((input) => {
    const keyed = input.keyBy((text) => text.split(':')[0] ?? '');
    return keyed.process(define(keyed.getLargeMapState(MAP)));
  }, options);
}

describe('a large map declared on a keyed stream', () => {
  test('means the key that is current when it is called, also for a promise that is awaited later', async () => {
    const run = processing((map) => ({
      async processElement(_key, text, _ctx, out) {
        const [before, keys] = [map.get('last'), map.keys()];
        map.put('last', text);
        map.put(text, text);
        await Promise.resolve();
        out.collect(`${text} after ${await before}, knows ${(await collected(keys)).join(' ')}`);
      },
    }));
    run.feed(['a:1', 0], ['b:1', 1], ['a:2', 2]);
    await run.settled();
    expect(run.output().values).toEqual([
      'a:1 after undefined, knows a:1 last',
      'b:1 after undefined, knows b:1 last',
      'a:2 after a:1, knows a:1 a:2 last',
    ]);
  });

  test('can be called until the first await, then ctx.state is to be taken', async () => {
    for (const use of [
      (map: Map) => map.get('x'),
      async (map: Map) => collected(map.entries()),
      async (map: Map) => map.put('x', 'y'),
    ]) {
      const run = processing((map) => ({
        async processElement(_key, _text, ctx, out) {
          await ctx.state(MAP).get('x');
          out.collect('so far');
          await use(map);
        },
      }));
      run.feed(['a', 0]);
      await expect(run.settled()).rejects.toMatchObject({ code: 'RS_STATE_UNBOUND' });
      expect(run.output().values).toEqual(['so far']);
    }
  });

  test('is used by the functions of keyed maps as well', async () => {
    const run = new JobRun<string>(
      (input) => {
        const keyed = input.keyBy((text) => text.split(':')[0] ?? '');
        const map = keyed.getLargeMapState(MAP);
        return keyed
          .map(async (text) => {
            const count = map.get('count');
            await Promise.resolve();
            return `${text} ${(await count) ?? 'first'}`;
          })
          .process<string>((_key, text, ctx, out) => {
            ctx.state(MAP).put('count', text);
            map.remove('never there');
            out.collect(text);
          });
      },
      { mode: 'async' },
    );
    run.feed(['a:1', 0], ['b:2', 1], ['a:3', 2]);
    await run.settled();
    expect(run.output().values).toEqual(['a:1 first', 'b:2 first', 'a:3 a:1 first']);
  });

  test.each(['a keyed map', 'a process function'])(
    'what %s did not await is rejected with its record',
    async (what) => {
      const reads: Promise<unknown>[] = [];
      const run = new JobRun<string>(
        (input) => {
          const keyed = input.keyBy((text) => text);
          const map = keyed.getLargeMapState(MAP);
          const begin = (text: string) => void reads.push(map.get(text), map.isEmpty());
          const mapped = what === 'a keyed map' ? keyed.map((text) => (begin(text), text)) : keyed;
          return mapped.process<string>((_key, text, _ctx, out) => {
            if (what !== 'a keyed map') begin(text);
            out.collect(text);
          });
        },
        { mode: 'async' },
      );
      run.feed(['a', 0]);
      await run.settled();
      expect(run.output().values).toEqual(['a']);
      const outcomes = await Promise.allSettled(reads);
      expect(outcomes).toMatchObject(Array(2).fill({ reason: { code: 'RS_CONTEXT_CLOSED', details: { operator: expect.anything() as unknown } } })); // prettier-ignore
    },
  );

  test('a keyed map that throws ends its record too', async () => {
    let read: Promise<unknown> | undefined;
    const run = new JobRun<string>((input) => {
      const keyed = input.keyBy((text) => text);
      const map = keyed.getLargeMapState(MAP);
      return keyed
        .map((text): string => {
          read = map.get(text);
          throw new Error('boom');
        })
        .process<string>(() => undefined);
    });
    expect(() => run.feed(['a', 0])).toThrow('boom');
    await expect(read).rejects.toMatchObject({ code: 'RS_CONTEXT_CLOSED' });
  });
});

describe('a large map declared in open', () => {
  test('belongs to its operation', async () => {
    const counting = (): KeyedProcessFunction<string, string, string> => {
      let map: Map;
      return {
        open: (ctx) => {
          map = ctx.state(MAP);
        },
        async processElement(_key, text, ctx, out) {
          const before = map.get('last');
          ctx.state(MAP).put('last', text);
          out.collect(`${text} ${(await before) ?? '-'}`);
        },
      };
    };
    const run = new JobRun<string>(
      (input) => {
        const keyed = input.keyBy((text) => text.charAt(0));
        return { x: keyed.process(counting()), y: keyed.process(counting()) };
      },
      { mode: 'async' },
    );
    run.feed(['a1', 0], ['a2', 1]);
    await run.settled();
    for (const output of ['x', 'y']) expect(run.output(output).values).toEqual(['a1 -', 'a2 a1']);
  });
});

describe('once its record is settled', () => {
  /** What each use of a handle does. */
  const uses = (map: Map) => [
    () => map.put('x', 'y'),
    () => map.remove('x'),
    () => map.clear(),
    () => map.entries(),
    () => map.keys(),
    () => map.values(),
  ];

  test('a handle of ctx.state is closed, and a loop does not go on', async () => {
    let kept: Map | undefined;
    let loop: AsyncIterator<string> | undefined;
    const run = processing((_map) => ({
      async processElement(_key, _text, ctx, out) {
        kept = ctx.state(MAP);
        for (const name of ['a', 'b', 'c']) kept.put(name, name);
        loop = kept.keys()[Symbol.asyncIterator]();
        out.collect(String((await loop.next()).value));
      },
    }));
    run.feed(['a', 0]);
    await run.settled();
    expect(run.output().values).toEqual(['a']);
    for (const use of kept === undefined ? [] : uses(kept))
      expect(errorOf(use).code).toBe('RS_CONTEXT_CLOSED');
    for (const read of [kept?.get('a'), kept?.contains('a'), kept?.isEmpty(), loop?.next()])
      await expect(read).rejects.toMatchObject({ code: 'RS_CONTEXT_CLOSED' });
  });

  test.each(['is cancelled', 'is rewound', 'fails elsewhere'])(
    'or when its task %s, whatever is under way',
    async (how) => {
      let ctxKept: ProcessContext<string> | undefined;
      let goOn: () => void = () => undefined;
      const seen: unknown[] = [];
      const run = processing((map) => ({
        async processElement(_key, _text, ctx) {
          ctxKept = ctx;
          const [early, late] = [map.get('a'), ctx.state(MAP)];
          late.put('a', 'a');
          await new Promise<void>((resolve) => {
            goOn = resolve;
          });
          seen.push(await early, await late.get('a').catch((error: unknown) => error));
        },
      }));
      run.feed(['a', 0]);
      await turn();
      if (how === 'is cancelled') run.task.stop();
      if (how === 'is rewound') run.task.rewind();
      if (how === 'fails elsewhere') run.task.fail(new Error('elsewhere'));
      goOn();
      await turn();
      expect(seen).toMatchObject([undefined, { code: 'RS_CONTEXT_CLOSED' }]);
      expect(errorOf(() => ctxKept?.state(MAP)).code).toBe('RS_CONTEXT_CLOSED');
    },
  );
});

describe('in an eager run', () => {
  test('a function that only changes it is synchronous', () => {
    const run = processing(
      (map) => ({
        processElement(_key, text, ctx, out) {
          map.put(text, text);
          ctx.state(MAP).remove(text);
          if (text === 'a:2') map.clear();
          out.collect(text);
        },
      }),
      { mode: 'sync' },
    );
    run.feed(['a:1', 0], ['a:2', 1]);
    expect([run.output().values, run.leftovers()]).toEqual([['a:1', 'a:2'], []]);
  });

  test('one that reads it is asynchronous, and refused as always', async () => {
    const unhandled: unknown[] = [];
    const listen = (reason: unknown) => void unhandled.push(reason);
    process.on('unhandledRejection', listen);
    try {
      const run = processing(
        (map) => ({
          async processElement(_key, text, _ctx, out) {
            out.collect((await map.get(text)) ?? text);
          },
        }),
        { mode: 'sync' },
      );
      expect(errorOf(() => run.feed(['a', 0])).code).toBe('RS_ASYNC_IN_EAGER_RUN');
      await turn();
      expect(run.output().values).toEqual([]);
    } finally {
      process.off('unhandledRejection', listen);
    }
    expect(unhandled).toEqual([]);
  });
});
