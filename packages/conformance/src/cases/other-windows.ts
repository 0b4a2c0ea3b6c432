import type { DataStream, StreamEnvironment, WindowAssigner } from '@rs/core';
import { CountWindow, GlobalWindow, SessionWindow, TumblingWindow } from '@rs/window';
import { ANY_PARTITIONING } from '../case.ts';
import { type Event, events, eventsOf } from '../input.ts';
import { contents, firstWord, stamped } from '../results.ts';
import { PATIENT } from '../settings.ts';
import { inArea } from './in-area.ts';

function windowsOf(env: StreamEnvironment, assigner: WindowAssigner<unknown>): DataStream<string> {
  return eventsOf(env)
    .keyBy(({ key }) => key)
    .window(assigner)
    .apply(contents);
}

/** The contents of a window whose bounds say nothing. */
function listsOf(env: StreamEnvironment, assigner: WindowAssigner<unknown>): DataStream<string> {
  return eventsOf(env)
    .keyBy(({ key }) => key)
    .window(assigner)
    .apply<string>((key, _window, elements, out) =>
      out.collect(`${key} ${elements.map(({ amount }) => amount).join(' ')}`),
    );
}

export const OTHER_WINDOWS = inArea('windows', [
  {
    name: 'sessions, golden: they last as long as records keep coming',
    partitions: ANY_PARTITIONING,
    settings: PATIENT,
    input: events('a:1@0 a:2@50 a:3@120 a:4@170 b:5@0 a:6@270 b:7@99'),
    define: (env, sink) => sink('out', windowsOf(env, SessionWindow.withGap(100))),
    // 170 + 100 = 270: the sessions of a only touch.
    expected: { out: ['b [0,199): 5 7', 'a [0,270): 1 2 3 4', 'a [270,370): 6'] },
  },
  {
    name: 'sessions that touch: two, or one where asked for',
    partitions: ANY_PARTITIONING,
    settings: PATIENT,
    // c: 10 touches both [0,10) and [20,30).
    input: events('a:1@0 a:2@100 c:1@0 c:2@200 c:3@100'),
    define(env, sink) {
      const keyed = eventsOf(env).keyBy(({ key }) => key);
      sink('separate', keyed.window(SessionWindow.withGap(100)).apply(contents));
      sink('merge', keyed.window(SessionWindow.withGap(100, { touching: 'merge' })).apply(contents));
    },
    expected: {
      separate: ['a [0,100): 1', 'c [0,100): 1', 'a [100,200): 2', 'c [100,200): 3', 'c [200,300): 2'],
      merge: ['a [0,200): 1 2', 'c [0,300): 1 2 3'],
    },
  },
  {
    name: 'sessions: a record bridges two, whatever the order',
    partitions: ANY_PARTITIONING,
    settings: PATIENT,
    input: events(
      [
        'a@1 a@9 a@5',
        'b@1 b@5 b@9',
        'c@5 c@1 c@9',
        'd@5 d@9 d@1',
        'e@9 e@1 e@5',
        'f@9 f@5 f@1 f@5',
        'j@9',
      ].join(' '),
    ),
    define: (env, sink) => sink('out', windowsOf(env, SessionWindow.withGap(5))),
    expected: {
      out: [
        'a [1,14): 1 1 1',
        'b [1,14): 1 1 1',
        'c [1,14): 1 1 1',
        'd [1,14): 1 1 1',
        'e [1,14): 1 1 1',
        'f [1,14): 1 1 1 1',
        'j [9,14): 1',
      ],
    },
  },
  {
    name: 'sessions: what is merged is merged in every form, the earlier session first',
    partitions: ANY_PARTITIONING,
    settings: PATIENT,
    // [150,250), then [0,100), bridged by [80,180); 300 stays alone.
    input: events('a:1@150 a:2@0 a:4@80 a:8@300'),
    define(env, sink) {
      const windows = eventsOf(env)
        .keyBy(({ key }) => key)
        .window(SessionWindow.withGap(100));
      sink('elements', windows.apply(contents));
      sink('count', windows.count());
      sink(
        'sum',
        windows.sum(({ amount }) => amount),
      );
      sink(
        'reduce',
        windows.reduce(
          (a, b) => ({ ...a, amount: a.amount * 10 + b.amount }),
          ({ amount }) => amount,
        ),
      );
      sink(
        'aggregate',
        windows.aggregate({
          createAccumulator: (): string => '',
          add: ({ amount }: Event, list) => `${list}${amount}`,
          getResult: (list) => list,
          merge: (a, b) => `(${a})(${b})`,
        }),
      );
    },
    expected: {
      elements: ['a [0,250): 2 1 4', 'a [300,400): 8'],
      count: [3, 1],
      sum: [7, 8],
      // (2 · 10 + 1) · 10 + 4
      reduce: [214, 8],
      aggregate: ['(2)(1)4', '8'],
    },
  },
  {
    name: 'sessions close as time goes on, and a key may have several',
    input: events('k:1@0 k:2@8 z:3@18 k:4@30 z:5@45'),
    define: (env, sink) => sink('out', stamped(windowsOf(env, SessionWindow.withGap(10)))),
    // Behind 18 the watermark is 17, the last millisecond of [0,18).
    expected: {
      out: ['k [0,18): 1 2 @ 17', 'z [18,28): 3 @ 27', 'k [30,40): 4 @ 39', 'z [45,55): 5 @ 54'],
    },
  },
  {
    name: 'global: all records of a key, at the end; the result has the time of the newest',
    partitions: ANY_PARTITIONING,
    input: events('b:1@5 a:2@30 b:3@7 a:4@1'),
    define: (env, sink) => sink('out', stamped(listsOf(env, GlobalWindow.create()))),
    expected: { out: ['a 2 4 @ 30', 'b 1 3 @ 7'] },
  },
  {
    name: 'count: in the order of arrival, and what is left at the end',
    partitions: ANY_PARTITIONING,
    keyOf: firstWord,
    input: events('a:1@1 b:2@9 a:3@4 a:4@7 b:5@2 a:6@3 b:7@1'),
    define: (env, sink) => sink('out', listsOf(env, CountWindow.of(3))),
    expected: { out: ['a 1 3 4', 'b 2 5 7', 'a 6'] },
  },
  {
    name: 'count, sliding: the last ones after every so many',
    partitions: ANY_PARTITIONING,
    input: events('a:1@1 a:2@2 a:3@3 a:4@4 a:5@5 a:6@6 a:7@7'),
    define(env, sink) {
      const keyed = eventsOf(env).keyBy(({ key }) => key);
      const list = (size: number, slide: number) =>
        keyed
          .window(CountWindow.of(size, slide))
          .apply<string>((_key, _window, elements, out) =>
            out.collect(elements.map(({ amount }) => amount).join(' ')),
          );
      sink('overlap', list(3, 2));
      sink('gaps', list(2, 3));
      sink('same', list(3, 3));
      sink(
        'sums',
        keyed.window(CountWindow.of(3, 2)).sum(({ amount }) => amount),
      );
    },
    expected: {
      overlap: ['1 2', '2 3 4', '4 5 6', '5 6 7'],
      gaps: ['2 3', '5 6', '6 7'],
      same: ['1 2 3', '4 5 6', '5 6 7'],
      sums: [3, 9, 15, 18],
    },
  },
  {
    name: 'processing time, tumbling: a record belongs where the clock is',
    input: events('a:1@1 a:2@9 a:3@4 a:4@10 a:5@8'),
    define: (env, sink) =>
      sink('out', stamped(windowsOf(env, TumblingWindow.of(10, { time: 'processing' })))),
    // 4 comes while the clock is at 9, 8 while it is at 10.
    expected: { out: ['a [0,10): 1 2 3 @ 9', 'a [10,20): 4 5 @ 19'] },
  },
  {
    name: 'processing time, sessions',
    input: events('a:1@1 a:2@4 a:3@3 b:4@8 a:5@20'),
    define: (env, sink) => sink('out', windowsOf(env, SessionWindow.withGap(5, { time: 'processing' }))),
    // 3 comes at 4. At 20 both sessions are over; the one of a ends first.
    expected: { out: ['a [1,9): 1 2 3', 'b [8,13): 4', 'a [20,25): 5'] },
  },
]);
