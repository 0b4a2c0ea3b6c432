import { describe, expect, test } from '@jest/globals';
import { type KeyedConnectedStreams, type KeyedCoProcessFunction, outputTag, valueState } from '@rs/core';
import { errorOf } from '../test-support/error-of.ts';
import type { JobRunOptions } from '../test-support/job-run.ts';
import { turn } from '../test-support/turn.ts';
import { TwoInputRun } from '../test-support/two-inputs.ts';

type Fn = KeyedCoProcessFunction<string, string, string, string>;

/** Two inputs of texts; what stands before a colon is the key. */
function connected(fn: Fn, options?: JobRunOptions) {
  const keyOf = (text: string) => text.split(':')[0] ?? '';
  return new TwoInputRun<string, string>(
    (left, right) => left.keyBy(keyOf).connect(right.keyBy(keyOf)).process(fn, { name: 'p' }),
    options,
  );
}

const echo: Fn = {
  processElement1: (key, value, ctx, out) => out.collect(`1 ${key} ${value} w${ctx.currentWatermark()}`),
  processElement2: (key, value, ctx, out) => out.collect(`2 ${key} ${value} w${ctx.currentWatermark()}`),
};

describe('records', () => {
  test('go to the callback of their side, with their key and time', () => {
    const run = connected(echo).one('a:x', 1).two('a:y', 2).two('b:z', 1).one('b:w', 7);
    expect(run.output().records).toEqual([
      ['1 a a:x w-Infinity', 1],
      ['2 a a:y w-Infinity', 2],
      ['2 b b:z w-Infinity', 1],
      ['1 b b:w w-Infinity', 7],
    ]);
    expect(run.output().keys).toEqual([undefined, undefined, undefined, undefined]);
  });

  test('of one stream on both sides are processed twice', () => {
    const run = new TwoInputRun<string, string>((left) => {
      const keyed = left.keyBy((text) => text);
      return keyed.connect(keyed).process(echo);
    });
    run.one('a', 1);
    expect(run.output().values).toEqual(['1 a a w-Infinity', '2 a a w-Infinity']);
  });

  test('of a mapped keyed stream keep their key', () => {
    const run = new TwoInputRun<string, string>((left, right) =>
      left
        .keyBy((text) => text)
        .map((text) => text.toUpperCase())
        .connect(right.keyBy((text) => text))
        .process(echo),
    );
    run.one('a', 1).two('a', 2);
    expect(run.output().values).toEqual(['1 a A w-Infinity', '2 a a w-Infinity']);
  });
});

describe('time', () => {
  test('is the minimum of both inputs', () => {
    const run = connected(echo);
    run.left.watermark(10);
    run.one('a', 11);
    run.right.watermark(4);
    run.two('a', 5);
    run.right.watermark(30);
    expect(run.trace()).toEqual(['1 a a w-Infinity@11', 'w4', '2 a a w4@5', 'w10']);
  });

  test('an idle input is left out, and holds time back again when it is active', () => {
    const run = connected(echo);
    run.left.watermark(10);
    run.right.watermark(4);
    run.right.status(true);
    run.right.status(false);
    run.left.watermark(20);
    run.right.watermark(15);
    run.left.status(true);
    run.right.status(true);
    expect(run.trace()).toEqual(['w4', 'w10', 'w15', 'idle']);
  });

  test('one input may end before the other, whose time then counts alone', () => {
    const run = connected(echo);
    run.left.watermark(10);
    run.right.watermark(4);
    run.right.end();
    run.left.watermark(12);
    run.one('a', 13);
    run.left.end();
    expect(run.trace()).toEqual(['w4', 'w10', 'w12', '1 a a w12@13', 'end']);
  });

  test('timers fire when both inputs have come so far', () => {
    const run = connected({
      processElement1: (_key, _value, ctx) => ctx.registerEventTimeTimer(10),
      processElement2: (_key, _value, ctx) => ctx.registerEventTimeTimer(20),
      onEventTime: (time, key, ctx, out) => out.collect(`t${time} ${key} w${ctx.currentWatermark()}`),
    });
    run.one('b', 0).two('a', 0).one('a', 0);
    run.left.watermark(15);
    expect(run.trace()).toEqual([]);
    run.right.watermark(30);
    run.left.watermark(40);
    expect(run.trace()).toEqual(['t10 a w15@10', 't10 b w15@10', 'w15', 't20 a w30@20', 'w30']);
  });

  test('processing time follows the records of both inputs', () => {
    const run = connected({
      processElement1: (_key, _value, ctx) =>
        ctx.registerProcessingTimeTimer(ctx.currentProcessingTime() + 5),
      processElement2: (_key, value, _ctx, out) => out.collect(value),
      onProcessingTime: (time, key, _ctx, out) => out.collect(`p${time} ${key}`),
    });
    run.one('a', 1).two('b', 5).two('b', 6);
    expect(run.trace()).toEqual(['b@5', 'p6 a@6', 'b@6']);
  });
});

describe('state', () => {
  test('of a key is one for both sides and the timers, whichever way it is reached', () => {
    const seen = valueState('seen', { default: () => '' });
    const run = new TwoInputRun<string, string>((left, right) => {
      const both = left.keyBy((text) => text[0]).connect(right.keyBy((text) => text[0]));
      const declared = both.getState(seen);
      const note = (value: string) => declared.update(declared.value() + value);
      return both.process<string>({
        processElement1: (_key, value, ctx) => {
          note(value);
          ctx.registerEventTimeTimer(10);
        },
        processElement2: (_key, value, ctx) => ctx.state(seen).update(`${ctx.state(seen).value()}/${value}`),
        onEventTime: (_time, key, _ctx, out) => out.collect(`${key}: ${declared.value()}`),
      });
    });
    run.one('a1', 0).two('a2', 0).two('b3', 0).one('a4', 0).one('b5', 0);
    run.left.end();
    run.right.end();
    expect(run.output().values).toEqual(['a: a1/a2a4', 'b: /b3b5']);
  });

  test('is shared by the operations behind one connection, and no other', () => {
    const count = valueState('count', { default: () => 0 });
    const run = new TwoInputRun<string, string>((left, right) => {
      const keys = left.keyBy((text) => text);
      const others = right.keyBy((text) => text);
      const counting = (both: KeyedConnectedStreams<string, string, string>) => {
        const handle = both.getState(count);
        const bump = (side: string) => (out: { collect(text: string): void }) => {
          handle.update(handle.value() + 1);
          out.collect(`${side}${handle.value()}`);
        };
        return both.process<string>({
          processElement1: (_key, _value, _ctx, out) => bump('l')(out),
          processElement2: (_key, _value, _ctx, out) => bump('r')(out),
        });
      };
      const shared = keys.connect(others);
      return { a: counting(shared), b: counting(shared), c: counting(keys.connect(others)) };
    });
    run.one('k', 0).two('k', 1);
    expect([run.output('a').values, run.output('b').values, run.output('c').values]).toEqual([
      ['l1', 'r3'],
      ['l2', 'r4'],
      ['l1', 'r2'],
    ]);
  });

  test('that only one of the two streams has declared cannot be used', () => {
    const state = valueState<string>('s');
    const using = (use: 'handle' | 'ctx') =>
      new TwoInputRun<string, string>((left, right) => {
        const keyed = left.keyBy((text) => text);
        const handle = keyed.getState(state);
        return keyed.connect(right.keyBy((text) => text)).process<string>({
          processElement1: (_key, _value, ctx) => void (use === 'handle' ? handle : ctx.state(state)).value(),
          processElement2: () => undefined,
        });
      });
    expect(errorOf(() => using('handle').one('a', 0)).code).toBe('RS_STATE_UNBOUND');
    expect(errorOf(() => using('ctx').one('a', 0)).code).toBe('RS_STATE_UNDECLARED');
  });

  test('may be declared in open, for this operation alone', () => {
    const last = valueState<string>('last');
    const run = connected({
      open: (ctx) => void ctx.state(last),
      processElement1: (_key, value, ctx) => ctx.state(last).update(value),
      processElement2: (_key, _value, ctx, out) => out.collect(String(ctx.state(last).value())),
    });
    run.one('a:1', 0).two('a:?', 1).two('b:?', 2);
    expect(run.output().values).toEqual(['a:1', 'undefined']);
  });

  test('with a TTL counts on the records of both inputs', () => {
    const last = valueState<string>('last', { ttl: 10 });
    const run = connected({
      open: (ctx) => void ctx.state(last),
      processElement1: (_key, value, ctx) => ctx.state(last).update(value),
      processElement2: (_key, _value, ctx, out) => out.collect(String(ctx.state(last).value())),
    });
    run.one('a:1', 0).two('a:?', 9).two('a:?', 10);
    expect(run.output().values).toEqual(['a:1', 'undefined']);
  });
});

describe('async callbacks', () => {
  test('of one side make records of the other wait, in their order, and time with them', async () => {
    const pending: (() => void)[] = [];
    const later =
      (side: string): Fn['processElement1'] =>
      async (_key, value, _ctx, out) => {
        out.collect(`${side} ${value} begins`);
        await new Promise<void>((resolve) => pending.push(resolve));
        out.collect(`${side} ${value} ends`);
      };
    const run = connected({ processElement1: later('1'), processElement2: later('2') }, { mode: 'async' });
    run.one('a', 1).two('b', 2);
    run.left.watermark(1);
    run.right.watermark(2);
    run.one('c', 3);
    for (let i = 1; i <= 3; i++) {
      expect(pending).toHaveLength(1);
      pending.pop()?.();
      await turn();
    }
    await run.settled();
    expect(run.trace()).toEqual([
      '1 a begins@1', '1 a ends@1', '2 b begins@2', '2 b ends@2', 'w1', '1 c begins@3', '1 c ends@3',
    ]); // prettier-ignore
  });

  test('are refused where nobody can wait', () => {
    const run = connected({ ...echo, processElement2: async () => undefined });
    expect(errorOf(() => run.two('a', 0)).code).toBe('RS_ASYNC_IN_EAGER_RUN');
  });
});

describe('the function', () => {
  test('is opened and closed, and its failures name the operator', async () => {
    const calls: string[] = [];
    const run = connected({
      ...echo,
      open: () => void calls.push('open'),
      processElement2: () => {
        throw new RangeError('boom');
      },
      close: () => void calls.push('close'),
    });
    expect(errorOf(() => run.two('a', 0))).toMatchObject({
      code: 'RS_USER_FUNCTION_FAILED',
      message: "process 'p' failed: boom",
    });
    expect(calls).toEqual(['open']);
    run.operator('coProcess').instance.close?.();
    expect(calls).toEqual(['open', 'close']);
  });

  test('has side outputs', () => {
    const side = outputTag<string>('side');
    const run = new TwoInputRun<string, string>((left, right) => {
      const main = left
        .keyBy((text) => text)
        .connect(right.keyBy((text) => text))
        .process<string>({
          processElement1: (_key, value, _ctx, out) => out.collect(value),
          processElement2: (_key, value, ctx) => ctx.output(side, value),
        });
      return { main, side: main.getSideOutput(side) };
    });
    run.one('a', 1).two('b', 2);
    expect([run.output().records, run.output('side').records]).toEqual([[['a', 1]], [['b', 2]]]);
  });

  test.each([
    ['registerEventTimeTimer', 'onEventTime', 'onProcessingTime'],
    ['registerProcessingTimeTimer', 'onProcessingTime', 'onEventTime'],
  ] as const)('may not call %s without %s', (method, callback, other) => {
    const register: Pick<Fn, 'processElement1'> = {
      processElement1: (_key, _value, ctx) => ctx[method](5),
    };
    const bare = connected({ ...echo, ...register, [other]: () => undefined });
    expect(errorOf(() => bare.one('a', 0))).toMatchObject({
      code: 'RS_TIMER_UNHEARD',
      details: { callback },
    });
    const complete = connected({ ...echo, ...register, [callback]: () => undefined });
    complete.one('a', 0);
    complete.left.end();
    complete.right.end();
    expect(complete.trace()).toEqual(['end']);
  });
});

test('goes on where it was after a crash', () => {
  const [before, after] = [connected(echo), connected(echo)];
  before.left.watermark(10);
  before.right.watermark(4);
  before.right.status(true);
  for (const kind of ['connect', 'coProcess'] as const)
    after.operator(kind).instance.restore?.(before.operator(kind).instance.meta?.() ?? {});
  for (const run of [before, after]) {
    run.trace();
    run.right.status(false);
    run.left.watermark(20);
    run.right.watermark(12);
    run.left.end();
    run.right.end();
    expect(run.trace()).toEqual(['w12', 'end']);
  }
});

describe('a state of one of the connected streams', () => {
  const COUNT = valueState('count', { default: () => 0 });
  const keyOf = (text: string) => text;

  test('is none of theirs: its handle says where to declare it', () => {
    const run = new TwoInputRun<string, string>((left, right) => {
      const keyed = left.keyBy(keyOf);
      const count = keyed.getState(COUNT);
      return keyed.connect(right.keyBy(keyOf)).process<string>({
        ...echo,
        processElement1: () => count.update(1),
      });
    });
    const error = errorOf(() => run.one('a', 1));
    expect(error.code).toBe('RS_STATE_UNBOUND');
    expect(error.message).toMatch(/and behind connect the state is declared on the connected streams$/);
  });

  test('and so does ctx.state', () => {
    const run = new TwoInputRun<string, string>((left, right) => {
      const keyed = left.keyBy(keyOf);
      keyed.getState(COUNT);
      return keyed.connect(right.keyBy(keyOf)).process<string>({
        ...echo,
        processElement1: (_key, _value, ctx) => ctx.state(COUNT).update(1),
      });
    });
    const error = errorOf(() => run.one('a', 1));
    expect(error.code).toBe('RS_STATE_UNDECLARED');
    expect(error.message).toMatch(
      /^process: state 'count' was not declared; call getState\(descriptor\) on the connected streams, not on one of the two, /,
    );
  });

  test('a handle of the connected streams speaks of them', () => {
    const run = new TwoInputRun<string, string>((left, right) => {
      const both = left.keyBy(keyOf).connect(right.keyBy(keyOf));
      const count = both.getState(COUNT);
      return both.process<string>({
        ...echo,
        processElement1: async () => {
          await Promise.resolve();
          count.update(1);
        },
      });
    }, { mode: 'async' }); // prettier-ignore
    run.one('a', 1);
    return expect(run.settled()).rejects.toMatchObject({
      code: 'RS_STATE_UNBOUND',
      message: expect.stringMatching(
        /callback on its connected streams; async callbacks take ctx.state\(descriptor\) instead$/,
      ) as unknown,
    });
  });
});
