import {
  type DataStream,
  outputTag,
  type StreamEnvironment,
  type Window,
  type WindowAssigner,
} from '@rs/core';
import { WatermarkStrategy } from '@rs/watermark';
import { SlidingWindow, TumblingWindow } from '@rs/window';
import { ANY_PARTITIONING } from '../case.ts';
import { type Event, events, eventsOf, sentAt } from '../input.ts';
import { bounds, contents, firstWord, stamped } from '../results.ts';
import { PATIENT } from '../settings.ts';
import { inArea } from './in-area.ts';

const BIG = outputTag<number>('big');

/** The contents of the windows of each key. */
function windowsOf(env: StreamEnvironment, assigner: WindowAssigner<unknown>): DataStream<string> {
  return eventsOf(env)
    .keyBy(({ key }) => key)
    .window(assigner)
    .apply(contents);
}

export const ALIGNED_WINDOWS = inArea('windows', [
  {
    name: 'tumbling, golden: a window fires with the record that closes it, the rest at the end',
    partitions: ANY_PARTITIONING,
    keyOf: firstWord,
    input: events('a:1@1000 a:2@1500 a:3@2500'),
    define: (env, sink) => sink('out', windowsOf(env, TumblingWindow.of('1s'))),
    expected: { out: ['a [1000,2000): 1 2', 'a [2000,3000): 3'] },
  },
  {
    name: 'tumbling: bounds are half-open; windows without records do not exist',
    partitions: ANY_PARTITIONING,
    keyOf: firstWord,
    settings: PATIENT,
    input: events('a:1@0 a:2@9 a:3@10 a:4@19 a:5@40 b:6@19 b:7@20'),
    define: (env, sink) => sink('out', windowsOf(env, TumblingWindow.of(10))),
    // By time, then key.
    expected: { out: ['a [0,10): 1 2', 'a [10,20): 3 4', 'b [10,20): 6', 'b [20,30): 7', 'a [40,50): 5'] },
  },
  {
    name: 'tumbling: negative times, and no bound is −0',
    partitions: ANY_PARTITIONING,
    settings: PATIENT,
    input: events('a:1@-1 a:2@-10 a:3@-11 a:4@0 a:5@9'),
    define(env, sink) {
      const windows = eventsOf(env)
        .keyBy(({ key }) => key)
        .window(TumblingWindow.of(10));
      sink('out', windows.apply(contents));
      sink(
        'bounds',
        windows.apply<number[]>((_key, { start, end }, _elements, out) => out.collect([start, end])),
      );
    },
    expected: {
      out: ['a [-20,-10): 3', 'a [-10,0): 1 2', 'a [0,10): 4 5'],
      bounds: [
        [-20, -10],
        [-10, 0],
        [0, 10],
      ],
    },
  },
  {
    name: 'tumbling: an offset moves the grid',
    partitions: ANY_PARTITIONING,
    settings: PATIENT,
    input: events('a:1@2 a:2@3 a:3@12 a:4@13 a:5@7 a:6@8'),
    define(env, sink) {
      const keyed = eventsOf(env).keyBy(({ key }) => key);
      sink('plus', keyed.window(TumblingWindow.of(10, { offset: 3 })).apply(contents));
      sink('minus', keyed.window(TumblingWindow.of(10, { offset: -2 })).apply(contents));
    },
    expected: {
      plus: ['a [-7,3): 1', 'a [3,13): 2 3 5 6', 'a [13,23): 4'],
      minus: ['a [-2,8): 1 2 5', 'a [8,18): 3 4 6'],
    },
  },
  {
    name: 'every kind of result, with key and window',
    partitions: ANY_PARTITIONING,
    settings: PATIENT,
    input: events('a:3@1 b:7@5 a:5@9 a:2@11'),
    define(env, sink) {
      const windows = eventsOf(env)
        .keyBy(({ key }) => key)
        .window(TumblingWindow.of(10));
      const named = (value: number, { key, window }: { key: string; window: Window }) =>
        `${key} ${bounds(window)} ${value}`;
      sink('count', windows.count());
      sink(
        'sum',
        windows.sum(({ amount }) => amount),
      );
      sink(
        'reduce',
        windows.reduce(
          (a, b) => ({ ...a, amount: a.amount * b.amount }),
          ({ amount }, info) => named(amount, info),
        ),
      );
      sink(
        'aggregate',
        windows.aggregate(
          {
            createAccumulator: () => 100,
            add: ({ amount }, sum: number) => sum + amount,
            getResult: (sum) => sum * 2,
          },
          named,
        ),
      );
      sink(
        'process',
        windows.process<string>((key, window, elements, ctx, out) => {
          for (const { amount } of elements) {
            out.collect(
              `${key} ${bounds(window)} ${amount} of ${elements.length}, watermark ${ctx.currentWatermark()}`,
            );
          }
        }),
      );
    },
    expected: {
      count: [2, 1, 1],
      sum: [8, 7, 2],
      reduce: ['a [0,10) 15', 'b [0,10) 7', 'a [10,20) 2'],
      aggregate: ['a [0,10) 216', 'b [0,10) 214', 'a [10,20) 204'],
      process: [
        'a [0,10) 3 of 2, watermark Infinity',
        'a [0,10) 5 of 2, watermark Infinity',
        'b [0,10) 7 of 1, watermark Infinity',
        'a [10,20) 2 of 1, watermark Infinity',
      ],
    },
  },
  {
    name: 'the latest date that there is',
    partitions: ANY_PARTITIONING,
    input: sentAt(0, events('a:1@8639999999999999 a:2@8640000000000000')),
    define(env, sink) {
      sink(
        'out',
        eventsOf(env)
          .assignTimestampsAndWatermarks(
            WatermarkStrategy.forMonotonousTimestamps().withTimestampAssigner(({ at }: Event) => at),
          )
          .keyBy(({ key }) => key)
          .window(TumblingWindow.of('1s'))
          .apply(contents),
      );
    },
    expected: {
      out: ['a [8639999999999000,8640000000000000): 1', 'a [8640000000000000,8640000000001000): 2'],
    },
  },
  {
    name: 'a window function knows the time, and has side outputs',
    input: events('a:1@1 a:20@2 b:3@12 a:4@15'),
    define(env, sink) {
      const small = eventsOf(env)
        .keyBy(({ key }) => key)
        .window(TumblingWindow.of(10))
        .process<string>((key, _window, elements, ctx, out) => {
          for (const { amount } of elements) {
            if (amount >= 10) ctx.output(BIG, amount);
            else out.collect(`${key} ${amount}, watermark ${ctx.currentWatermark()}`);
          }
          out.collect(`${ctx.key} at ${ctx.currentEventTime()}`);
        });
      sink('small', small);
      sink('big', stamped(small.getSideOutput(BIG)));
    },
    // Behind 12 the watermark is 11.
    expected: {
      small: [
        'a 1, watermark 11',
        'a at 9',
        'a 4, watermark Infinity',
        'a at 19',
        'b 3, watermark Infinity',
        'b at 19',
      ],
      big: ['20 @ 9'],
    },
  },
  {
    name: 'windows of one time fire in the order of their keys; results have the time of the last millisecond',
    input: events('b:1@1 a:2@2 c:3@12 a:4@15 z:5@100'),
    define: (env, sink) => sink('out', stamped(windowsOf(env, TumblingWindow.of(10)))),
    expected: {
      out: [
        'a [0,10): 2 @ 9',
        'b [0,10): 1 @ 9',
        'a [10,20): 4 @ 19',
        'c [10,20): 3 @ 19',
        'z [100,110): 5 @ 109',
      ],
    },
  },
  {
    name: 'sliding: full windows, and those at the edges',
    partitions: ANY_PARTITIONING,
    settings: PATIENT,
    input: events(Array.from({ length: 15 }, (_, i) => `k@${i * 2000}`).join(' ')),
    define(env, sink) {
      sink(
        'out',
        eventsOf(env)
          .keyBy(({ key }) => key)
          .window(SlidingWindow.of('10s', '5s'))
          .apply<string>((_key, window, { length }, out) => out.collect(`${bounds(window)} ${length}`)),
      );
    },
    expected: {
      out: [
        '[-5000,5000) 3',
        '[0,10000) 5',
        '[5000,15000) 5',
        '[10000,20000) 5',
        '[15000,25000) 5',
        '[20000,30000) 5',
        '[25000,35000) 2',
      ],
    },
  },
  {
    name: 'sliding: how many windows depends on the phase',
    partitions: ANY_PARTITIONING,
    settings: PATIENT,
    input: events('a:1@10 a:2@11 b:3@-1 c:4@6'),
    define(env, sink) {
      const keyed = eventsOf(env).keyBy(({ key }) => key);
      sink('every-10', keyed.window(SlidingWindow.of(11, 10)).apply(contents));
      sink('every-3', keyed.window(SlidingWindow.of(10, 3)).apply(contents));
      sink('offset', keyed.window(SlidingWindow.of(10, 5, { offset: 2 })).apply(contents));
    },
    expected: {
      // 10 is in [0,11) too, 11 is not; −1 is in [-10,1) only, 6 in [0,11).
      'every-10': ['b [-10,1): 3', 'a [0,11): 1', 'c [0,11): 4', 'a [10,21): 1 2'],
      'every-3': [
        'b [-9,1): 3',
        'b [-6,4): 3',
        'b [-3,7): 3',
        'c [-3,7): 4',
        'c [0,10): 4',
        'a [3,13): 1 2',
        'c [3,13): 4',
        'a [6,16): 1 2',
        'c [6,16): 4',
        'a [9,19): 1 2',
      ],
      offset: ['b [-8,2): 3', 'b [-3,7): 3', 'c [-3,7): 4', 'a [2,12): 1 2', 'c [2,12): 4', 'a [7,17): 1 2'],
    },
  },
  {
    name: 'sliding with gaps: a record between windows is in none, and never late',
    input: events('a:1@1 a:2@7 a:3@12 a:4@20 a:5@8 a:6@3'),
    define(env, sink) {
      sink(
        'out',
        eventsOf(env)
          .keyBy(({ key }) => key)
          .window(SlidingWindow.of(5, 10))
          .apply(contents, { uid: 'windows' }),
      );
    },
    // Behind 20 the watermark is 19: 8 is in no window, 3 in one that has closed.
    expected: { out: ['a [0,5): 1', 'a [10,15): 3', 'a [20,25): 4'] },
    late: { windows: 1 },
  },
  {
    name: 'sliding: a hundred windows for one record',
    partitions: ANY_PARTITIONING,
    input: events('a:1@99'),
    define(env, sink) {
      sink(
        'out',
        eventsOf(env)
          .keyBy(({ key }) => key)
          .window(SlidingWindow.of(100, 1))
          .reduce(
            (a, b) => ({ ...a, amount: a.amount + b.amount }),
            (_event, { window }) => window.start,
          ),
      );
    },
    expected: { out: Array.from({ length: 100 }, (_, start) => start) },
  },
  {
    name: 'a window over the results of windows',
    partitions: ANY_PARTITIONING,
    input: events('a@1 a@5 a@12 a@25 a@41'),
    define(env, sink) {
      sink(
        'out',
        stamped(
          eventsOf(env)
            .keyBy(({ key }) => key)
            .window(TumblingWindow.of(10))
            .count()
            .keyBy(() => 'all')
            .window(TumblingWindow.of(20))
            .sum(),
        ),
      );
    },
    // 2 at 9 and 1 at 19; 1 at 29; 1 at 49. No result of the first is late for the second.
    expected: { out: ['3 @ 19', '1 @ 39', '1 @ 59'] },
  },
]);
