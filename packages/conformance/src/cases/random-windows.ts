import { type AggregateFunction, type StreamEnvironment, type WindowAssigner } from '@rs/core';
import { SessionWindow, SlidingWindow, TumblingWindow } from '@rs/window';
import { ANY_PARTITIONING, type SinkTo } from '../case.ts';
import { eventsOf } from '../input.ts';
import { countsBy } from '../model/counts.ts';
import { FixedWindowsModel } from '../model/fixed-windows.ts';
import { SessionsModel } from '../model/sessions.ts';
import { randomEvents } from '../random.ts';
import { bounds, firstWord } from '../results.ts';
import { inArea } from './in-area.ts';

const OUT_OF_ORDERNESS = 25;

const counting: AggregateFunction<unknown, number, number> = {
  createAccumulator: () => 0,
  add: (_value, count) => count + 1,
  getResult: (count) => count,
  merge: (a, b) => a + b,
};

/** Keys stay in the partition of their messages, so that what is late there depends on nothing else. */
function counts(assigner: WindowAssigner<unknown>): (env: StreamEnvironment, sink: SinkTo) => void {
  return (env, sink) =>
    sink(
      'out',
      eventsOf(env)
        .keyByMessageKey()
        .window(assigner)
        .aggregate(counting, (count, { key, window }) => `${key} ${bounds(window)} ${count}`, {
          uid: 'windows',
        }),
    );
}

const SHARED = {
  partitions: ANY_PARTITIONING,
  keyOf: firstWord,
  settings: { watermarkOutOfOrderness: OUT_OF_ORDERNESS },
} as const;

export const RANDOM_WINDOWS = inArea('random', [
  {
    ...SHARED,
    name: 'counts of tumbling windows, as a model has them',
    input: randomEvents({ seed: 1, count: 3_000, keys: 12, disorder: 20 }),
    define: counts(TumblingWindow.of(30)),
    expected: countsBy(() => new FixedWindowsModel(30, 30), OUT_OF_ORDERNESS),
  },
  {
    ...SHARED,
    name: 'counts of sliding windows, as a model has them',
    input: randomEvents({ seed: 2, count: 2_000, keys: 7, disorder: 25 }),
    define: counts(SlidingWindow.of(17, 5)),
    expected: countsBy(() => new FixedWindowsModel(17, 5), OUT_OF_ORDERNESS),
  },
  {
    ...SHARED,
    name: 'counts of sliding windows with gaps, as a model has them',
    input: randomEvents({ seed: 3, count: 2_000, keys: 7, disorder: 25 }),
    define: counts(SlidingWindow.of(7, 10)),
    expected: countsBy(() => new FixedWindowsModel(7, 10), OUT_OF_ORDERNESS),
  },
  {
    ...SHARED,
    name: 'counts of sessions, as a model has them',
    input: randomEvents({ seed: 4, count: 3_000, keys: 12, disorder: 30 }),
    define: counts(SessionWindow.withGap(15)),
    expected: countsBy(() => new SessionsModel(15), OUT_OF_ORDERNESS),
  },
]);
