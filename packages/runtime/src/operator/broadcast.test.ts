import { describe, expect, test } from '@jest/globals';
import {
  type BroadcastElementFunction,
  type BroadcastReadContext,
  type Collector,
  type KeyedBroadcastProcessFunction,
  type MapState,
  mapState,
  type MaybePromise,
  outputTag,
  valueState,
} from '@rs/core';
import { Deferred } from '../test-support/deferred.ts';
import { errorOf } from '../test-support/error-of.ts';
import type { JobRunOptions } from '../test-support/job-run.ts';
import { turn } from '../test-support/turn.ts';
import { TwoInputRun } from '../test-support/two-inputs.ts';

interface Rule {
  readonly id: string;
  /** Without one the rule is removed. */
  readonly text?: string;
}

const RULES = mapState<string, string>('rules');

/** Both kinds of function, as far as they are alike. */
interface Callbacks {
  readonly element: (value: string, ctx: BroadcastReadContext, out: Collector<string>) => MaybePromise<void>;
  readonly broadcast?: BroadcastElementFunction<Rule, string>;
}

const keep: BroadcastElementFunction<Rule, string> = ({ id, text }, ctx) => {
  const rules = ctx.broadcastState(RULES);
  if (text === undefined) rules.remove(id);
  else rules.put(id, text);
};

const tell: Callbacks['element'] = (value, ctx, out) =>
  out.collect(
    `${value}: ${Array.from(ctx.broadcastState(RULES).entries(), (entry) => entry.join('=')).join()}`,
  );

const untyped = (value: unknown) => value as never;

const VARIANTS: Record<string, (callbacks: Callbacks, options?: JobRunOptions) => TwoInputRun<string, Rule>> =
  {
    'a keyed stream': ({ element, broadcast = keep }, options) =>
      new TwoInputRun(
        (left, right) =>
          left
            .keyBy((text) => text)
            .connect(right.broadcast(RULES))
            .process<string>(
              {
                processElement: (_key, value, ctx, out) => element(value, ctx, out),
                processBroadcastElement: broadcast,
              },
              { name: 'p' },
            ),
        options,
      ),
    'a stream without keys': ({ element, broadcast = keep }, options) =>
      new TwoInputRun(
        (left, right) =>
          left
            .connect(right.broadcast(RULES))
            .process<string>({ processElement: element, processBroadcastElement: broadcast }, { name: 'p' }),
        options,
      ),
  };

describe.each(Object.entries(VARIANTS))('connected to %s', (_name, connected) => {
  test('broadcast records change what all later records read', () => {
    const run = connected({ element: tell });
    run.one('a', 1).two({ id: 'x', text: '1' }, 2).two({ id: 'y', text: '2' }, 3);
    run.one('a', 4).two({ id: 'x' }, 5).one('b', 6);
    expect(run.output().values).toEqual(['a: ', 'a: x=1,y=2', 'b: y=2']);
  });

  test('the state can be read in every way', () => {
    const run = connected({
      element: (_value, ctx, out) => {
        const rules = ctx.broadcastState(RULES);
        const { x, none } = { x: rules.get('x'), none: rules.get('none') };
        out.collect(
          JSON.stringify([
            x,
            none ?? null,
            rules.contains('x'),
            [...rules.keys()],
            [...rules.values()],
            rules.isEmpty(),
          ]),
        );
      },
    });
    run.two({ id: 'x', text: '1' }, 1).one('a', 2);
    expect(run.output().values).toEqual(['["1",null,true,["x"],["1"],false]']);
  });

  test.each<
    [
      string,
      (rules: { put(id: string, text: string): void; remove(id: string): void; clear(): void }) => void,
    ]
  >([
    ['put', (rules) => rules.put('x', 'other')],
    ['remove', (rules) => rules.remove('x')],
    ['clear', (rules) => rules.clear()],
  ])('%s is refused where a record of the other stream is processed', (_method, change) => {
    const run = connected({ element: (_value, ctx) => change(untyped(ctx.broadcastState(RULES))) });
    run.two({ id: 'x', text: '1' }, 1);
    const error = errorOf(() => run.one('a', 2));
    expect([error.code, error.message]).toEqual([
      'RS_BROADCAST_READ_ONLY',
      "process 'p': broadcast state 'rules' can be changed only in processBroadcastElement, which does the same on all partitions",
    ]);
  });

  test('a state that was not given to broadcast is refused on both sides, also one that looks alike', () => {
    const other = mapState<string, string>('rules');
    const reading = connected({ element: (_value, ctx) => void ctx.broadcastState(other) });
    expect(errorOf(() => reading.one('a', 0)).code).toBe('RS_STATE_UNDECLARED');
    const writing = connected({ element: tell, broadcast: (_rule, ctx) => void ctx.broadcastState(other) });
    expect(errorOf(() => writing.two({ id: 'x' }, 0)).code).toBe('RS_STATE_UNDECLARED');
    const nothing = connected({ element: (_value, ctx) => void ctx.broadcastState(untyped(undefined)) });
    expect(errorOf(() => nothing.one('a', 0)).code).toBe('RS_STATE_UNDECLARED');
  });

  test('both sides emit with the time of their record, and to side outputs', () => {
    const side = outputTag<string>('side');
    const run = connected({
      element: (value, _ctx, out) => out.collect(value),
      broadcast: ({ id }, ctx, out) => {
        out.collect(`rule ${id} w${ctx.currentWatermark()}`);
        ctx.output(side, id);
      },
    });
    run.one('a', 3);
    run.left.watermark(10);
    run.right.watermark(4);
    run.two({ id: 'x' }, 5);
    expect(run.trace()).toEqual(['a@3', 'w4', 'rule x w4@5']);
  });

  test('a broadcast input without watermarks holds time back until it is idle or has ended', () => {
    const run = connected({ element: tell });
    run.left.watermark(10);
    expect(run.trace()).toEqual([]);
    run.right.status(true);
    expect(run.trace()).toEqual(['w10']);
    run.right.end();
    run.left.watermark(11);
    run.left.end();
    expect(run.trace()).toEqual(['w11', 'end']);
  });

  test('there is no key where a broadcast record is processed, and it says so', () => {
    const uses: [string, (ctx: { [use: string]: (argument: unknown) => unknown }) => unknown][] = [
      ['RS_UNSUPPORTED', (ctx) => ctx['key']],
      ['RS_UNSUPPORTED', (ctx) => ctx['registerEventTimeTimer']?.(1)],
      ['RS_UNSUPPORTED', (ctx) => ctx['registerProcessingTimeTimer']?.(1)],
      ['RS_UNSUPPORTED', (ctx) => ctx['deleteEventTimeTimer']?.(1)],
      ['RS_UNSUPPORTED', (ctx) => ctx['deleteProcessingTimeTimer']?.(1)],
      ['RS_STATE_UNBOUND', (ctx) => ctx['state']?.(valueState('v'))],
    ];
    for (const [code, use] of uses) {
      const run = connected({ element: tell, broadcast: (_rule, ctx) => void use(untyped(ctx)) });
      expect(errorOf(() => run.two({ id: 'x' }, 0)).code).toBe(code);
    }
  });

  test('context and states are closed with their call', () => {
    const kept: (() => unknown)[] = [];
    const run = connected({
      element: (_value, ctx) => {
        const rules = ctx.broadcastState(RULES);
        kept.push(
          () => rules.get('x'),
          () => ctx.broadcastState(RULES),
        );
      },
      broadcast: (_rule, ctx) => {
        const rules = ctx.broadcastState(RULES);
        kept.push(
          () => rules.put('x', '1'),
          () => ctx.broadcastState(RULES),
        );
      },
    });
    run.one('a', 0).two({ id: 'x' }, 1);
    expect(kept.map((use) => errorOf(use).code)).toEqual(Array(4).fill('RS_CONTEXT_CLOSED'));
  });

  test('records of both sides wait for a promise of either', async () => {
    const waits: Deferred[] = [];
    const wait = () => {
      const deferred = new Deferred();
      waits.push(deferred);
      return deferred.promise;
    };
    const run = connected(
      {
        element: async (value, ctx, out) => {
          await wait();
          await tell(value, ctx, out);
        },
        broadcast: async (rule, ctx, out) => {
          await wait();
          await keep(rule, ctx, out);
        },
      },
      { mode: 'async' },
    );
    run.one('a', 1).two({ id: 'x', text: '1' }, 2).one('b', 3);
    for (let i = 1; i <= 3; i++) {
      expect(waits).toHaveLength(i);
      waits.at(-1)?.resolve();
      await turn();
    }
    await run.settled();
    expect(run.output().values).toEqual(['a: ', 'b: x=1']);
  });

  test('a failure of either callback names the operator', () => {
    const failing = () => {
      throw new Error('boom');
    };
    const message = "process 'p' failed: boom";
    expect(errorOf(() => connected({ element: failing }).one('a', 0)).message).toBe(message);
    const run = connected({ element: tell, broadcast: failing });
    expect(errorOf(() => run.two({ id: 'x' }, 0)).message).toBe(message);
  });
});

describe('a keyed function', () => {
  type Fn = KeyedBroadcastProcessFunction<string, string, Rule, string>;
  const withBroadcast = (fn: Fn) =>
    new TwoInputRun<string, Rule>((left, right) =>
      left
        .keyBy((text) => text[0] ?? '')
        .connect(right.broadcast(RULES))
        .process(fn),
    );

  test('has state and timers of its key, which read the broadcast state but do not change it', () => {
    const count = valueState('count', { default: () => 0 });
    const run = withBroadcast({
      open: (ctx) => void ctx.state(count),
      processElement: (_key, _value, ctx) => {
        ctx.state(count).update(ctx.state(count).value() + 1);
        ctx.registerEventTimeTimer(10);
        ctx.registerProcessingTimeTimer(20);
      },
      processBroadcastElement: keep,
      onEventTime: (time, key, ctx, out) =>
        out.collect(`et${time} ${key}${ctx.state(count).value()} ${ctx.broadcastState(RULES).get('x')}`),
      onProcessingTime: (_time, _key, ctx) => (ctx.broadcastState(RULES) as MapState<string, string>).clear(),
    });
    run.one('a1', 0).one('a2', 0).one('b1', 0).two({ id: 'x', text: '1' }, 1);
    run.left.watermark(10);
    run.right.watermark(15);
    expect(run.trace()).toEqual(['et10 a2 1@10', 'et10 b1 1@10', 'w10']);
    // The clock follows broadcast records as well.
    expect(errorOf(() => run.two({ id: 'y' }, 20)).code).toBe('RS_BROADCAST_READ_ONLY');
  });

  test('shares the state that was declared on the connection, which no broadcast record can use', () => {
    const count = valueState('count', { default: () => 0 });
    const counting = (onBroadcast: (value: () => number) => void) =>
      new TwoInputRun<string, Rule>((left, right) => {
        const both = left.keyBy((text) => text).connect(right.broadcast(RULES));
        const handle = both.getState(count);
        return both.process<string>({
          processElement: (key, _value, _ctx, out) => {
            handle.update(handle.value() + 1);
            out.collect(`${key}${handle.value()}`);
          },
          processBroadcastElement: () => onBroadcast(() => handle.value()),
        });
      });
    const run = counting(() => undefined);
    run.one('a', 0).two({ id: 'x' }, 1).one('a', 2).one('b', 3);
    expect(run.output().values).toEqual(['a1', 'a2', 'b1']);
    const using = counting((value) => void value());
    expect(errorOf(() => using.one('a', 0).two({ id: 'x' }, 1)).code).toBe('RS_STATE_UNBOUND');
  });
});

test('each operation has its own copy of the states, whatever their names are', () => {
  const names = mapState<string, number>('names');
  const run = new TwoInputRun<string, Rule>((left, right) => {
    const both = left.connect(right.broadcast([RULES, names], { uid: 'shared' }));
    const counting = (by: number) =>
      both.process<string>({
        processElement: (_value, ctx, out) =>
          out.collect(`${ctx.broadcastState(names).get('n') ?? 0} ${ctx.broadcastState(RULES).isEmpty()}`),
        processBroadcastElement: (_rule, ctx) => {
          const state = ctx.broadcastState(names);
          state.put('n', (state.get('n') ?? 0) + by);
        },
      });
    return { a: counting(1), b: counting(10) };
  });
  run.two({ id: 'x' }, 0).two({ id: 'y' }, 1).one('?', 2);
  expect([run.output('a').values, run.output('b').values]).toEqual([['2 true'], ['20 true']]);
});

test('a keyed state with the name and key under which a broadcast one is stored is another one', () => {
  const alike = valueState<string>('broadcast.rules');
  const run = new TwoInputRun<string, Rule>((left, right) =>
    left
      .keyBy(() => '')
      .connect(right.broadcast(RULES))
      .process<string>({
        open: (ctx) => void ctx.state(alike),
        processElement: (_key, value, ctx, out) => {
          out.collect(`${ctx.state(alike).value() ?? '-'} ${ctx.broadcastState(RULES).get('x') ?? '-'}`);
          ctx.state(alike).update(value);
        },
        processBroadcastElement: keep,
      }),
  );
  run.one('a', 0).two({ id: 'x', text: '1' }, 1).one('b', 2);
  expect(run.output().values).toEqual(['- -', 'a 1']);
});

test('entries expire with their TTL, which counts on the records of both inputs', () => {
  const short = mapState<string, number>('short', { ttl: 10 });
  const run = new TwoInputRun<string, Rule>((left, right) =>
    left.connect(right.broadcast(short)).process<string>({
      processElement: (value, ctx, out) => out.collect(`${value} ${ctx.broadcastState(short).contains('x')}`),
      processBroadcastElement: ({ id }, ctx) => ctx.broadcastState(short).put(id, 1),
    }),
  );
  run.two({ id: 'x' }, 5).one('a', 14).one('b', 15);
  expect(run.output().values).toEqual(['a true', 'b false']);
});
