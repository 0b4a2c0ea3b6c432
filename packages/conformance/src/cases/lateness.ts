import { outputTag } from '@rs/core';
import { CountTrigger, SessionWindow, SlidingWindow, TumblingWindow } from '@rs/window';
import { ANY_PARTITIONING } from '../case.ts';
import { type Event, events, eventsOf } from '../input.ts';
import { contents, stamped } from '../results.ts';
import { PATIENT } from '../settings.ts';
import { inArea } from './in-area.ts';

const LATE = outputTag<Event>('late');

export const LATENESS = inArea('lateness', [
  {
    name: 'a record with the newest time is not late',
    input: events('k@999 k@999 k@2500'),
    define(env, sink) {
      sink(
        'out',
        eventsOf(env)
          .keyBy(({ key }) => key)
          .window(TumblingWindow.of('1s'))
          .apply(contents, { uid: 'windows' }),
      );
    },
    expected: { out: ['k [0,1000): 1 1', 'k [2000,3000): 1'] },
  },
  {
    name: 'late from the last millisecond of the window on',
    // Behind 9 the watermark is 8, behind 10 it is 9, the last millisecond of [0,10).
    input: events('a:1@9 a:2@0 a:3@10 a:4@9 a:5@0'),
    define(env, sink) {
      sink(
        'out',
        eventsOf(env)
          .keyBy(({ key }) => key)
          .window(TumblingWindow.of(10))
          .apply(contents, { uid: 'windows' }),
      );
    },
    expected: { out: ['a [0,10): 1 2', 'a [10,20): 3'] },
    late: { windows: 2 },
  },
  {
    name: 'allowed lateness fires again, until its last millisecond',
    // [0,10) is given up at 14: the watermark behind 14 is 13, behind 15 it is 14.
    input: events('a:1@0 a:2@14 a:3@1 a:4@2 a:5@15 a:6@3'),
    define(env, sink) {
      const windows = eventsOf(env)
        .keyBy(({ key }) => key)
        .window(TumblingWindow.of(10))
        .allowedLateness(5);
      sink('lists', windows.apply(contents, { uid: 'by-list' }));
      sink(
        'sums',
        windows.sum(({ amount }) => amount, { uid: 'by-sum' }),
      );
    },
    expected: {
      lists: ['a [0,10): 1', 'a [0,10): 1 3', 'a [0,10): 1 3 4', 'a [10,20): 2 5'],
      sums: [1, 4, 8, 7],
    },
    late: { 'by-list': 1, 'by-sum': 1 },
  },
  {
    name: 'postponed, a window fires once, when its lateness ends',
    input: events('a:1@0 a:2@14 a:3@1 a:4@15 a:5@2 a:6@30'),
    define(env, sink) {
      sink(
        'out',
        stamped(
          eventsOf(env)
            .keyBy(({ key }) => key)
            .window(TumblingWindow.of(10))
            .allowedLateness(5, { mode: 'postpone' })
            .apply(contents, { uid: 'windows' }),
        ),
      );
    },
    // Behind 15 the watermark is 14, behind 30 it is 29, past 24.
    expected: { out: ['a [0,10): 1 3 @ 9', 'a [10,20): 2 4 @ 19', 'a [30,40): 6 @ 39'] },
    late: { windows: 1 },
  },
  {
    name: 'the environment says how late, and how; a window that says so itself wins',
    settings: { windowAllowedLateness: 10, windowLatenessMode: 'postpone' },
    input: events('a:1@0 a:2@12 a:3@1 a:4@30'),
    define(env, sink) {
      const windows = eventsOf(env)
        .keyBy(({ key }) => key)
        .window(TumblingWindow.of(10));
      sink('environment', windows.apply(contents, { uid: 'by-environment' }));
      sink('none', windows.allowedLateness(0).apply(contents, { uid: 'by-none' }));
      // Its mode is refire unless it says otherwise itself.
      sink('refire', windows.allowedLateness(10).apply(contents, { uid: 'by-refire' }));
    },
    expected: {
      environment: ['a [0,10): 1 3', 'a [10,20): 2', 'a [30,40): 4'],
      none: ['a [0,10): 1', 'a [10,20): 2', 'a [30,40): 4'],
      refire: ['a [0,10): 1', 'a [0,10): 1 3', 'a [10,20): 2', 'a [30,40): 4'],
    },
    late: { 'by-none': 1 },
  },
  {
    name: 'late for one sliding window, in time for the other',
    input: events('k:1@6 z:2@13 k:3@8 z:4@40'),
    define(env, sink) {
      sink(
        'out',
        eventsOf(env)
          .keyBy(({ key }) => key)
          .window(SlidingWindow.of(10, 5))
          .apply(contents, { uid: 'windows' })
          .filter((text) => text.startsWith('k')),
      );
    },
    expected: { out: ['k [0,10): 1', 'k [5,15): 1 3'] },
  },
  {
    name: 'one record from the future makes those after it late, each of them',
    input: events(
      `k@0 k@120 k@86400 ${Array.from({ length: 10 }, (_, i) => `k@${180 + i * 60}`).join(' ')} k@86401`,
    ),
    define(env, sink) {
      sink(
        'out',
        eventsOf(env)
          .keyBy(({ key }) => key)
          .window(TumblingWindow.of(60))
          .apply(contents, { uid: 'windows' }),
      );
    },
    expected: { out: ['k [0,60): 1', 'k [120,180): 1', 'k [86400,86460): 1 1'] },
    late: { windows: 10 },
  },
  {
    name: 'late records go to the late output, with their own time',
    input: events('k:1@0 k:2@120 k:3@1 j:4@2 k:5@130'),
    define(env, sink) {
      const counts = eventsOf(env)
        .keyBy(({ key }) => key)
        .window(TumblingWindow.of(60))
        .sideOutputLateData(LATE)
        .count({ uid: 'windows' });
      sink('counts', counts);
      sink('late', stamped(counts.getSideOutput(LATE).map(({ key, amount }) => `${key} ${amount}`)));
    },
    expected: { counts: [1, 2], late: ['k 3 @ 1', 'j 4 @ 2'] },
    late: { windows: 2 },
  },
  {
    name: 'a late record does not join the next session',
    input: events('k:1@100 z:2@200 k:3@3 k:4@300'),
    define(env, sink) {
      sink(
        'out',
        eventsOf(env)
          .keyBy(({ key }) => key)
          .window(SessionWindow.withGap(5))
          .apply(contents, { uid: 'sessions' }),
      );
    },
    expected: { out: ['k [100,105): 1', 'z [200,205): 2', 'k [300,305): 4'] },
    late: { sessions: 1 },
  },
  {
    name: 'late alone, a record is in time for the session that it joins',
    // Behind 15 the watermark is 14. 2 alone would be [2,12); it joins [0,18).
    input: events('k:1@0 k:2@8 z:3@15 k:4@2 j:5@2'),
    define(env, sink) {
      sink(
        'out',
        eventsOf(env)
          .keyBy(({ key }) => key)
          .window(SessionWindow.withGap(10))
          .apply(contents, { uid: 'sessions' }),
      );
    },
    expected: { out: ['k [0,18): 1 2 4', 'z [15,25): 3'] },
    late: { sessions: 1 },
  },
  {
    name: 'a session that has closed is gone, unless lateness keeps it',
    // Behind 15 the watermark is 14, past the close of [0,10); 5 makes [0,15) of it, or [5,15) alone, which is late.
    input: events('k:1@0 z:2@15 k:3@5 z:4@60'),
    define(env, sink) {
      const windows = eventsOf(env)
        .keyBy(({ key }) => key)
        .window(SessionWindow.withGap(10));
      sink('gone', windows.apply(contents, { uid: 'at-once' }));
      sink('kept', windows.allowedLateness(20).apply(contents, { uid: 'for-a-while' }));
    },
    expected: {
      gone: ['k [0,10): 1', 'z [15,25): 2', 'z [60,70): 4'],
      // Merged, it is past its close at 14 as well, and fires at once.
      kept: ['k [0,10): 1', 'k [0,15): 1 3', 'z [15,25): 2', 'z [60,70): 4'],
    },
    late: { 'at-once': 1 },
  },
  {
    name: 'a lateness of a year: everything is emitted at the end, once',
    partitions: ANY_PARTITIONING,
    settings: PATIENT,
    input: events('a:1@1000 a:2@5000'),
    define(env, sink) {
      const windows = eventsOf(env)
        .keyBy(({ key }) => key)
        .window(TumblingWindow.of('1s'));
      sink('refire', windows.allowedLateness('365d').apply(contents));
      sink('postpone', windows.allowedLateness('365d', { mode: 'postpone' }).apply(contents));
    },
    expected: {
      refire: ['a [1000,2000): 1', 'a [5000,6000): 2'],
      postpone: ['a [1000,2000): 1', 'a [5000,6000): 2'],
    },
  },
  {
    name: 'a window past its close takes late records, also where its trigger does not fire for them',
    input: events('a:1@1 a:2@15 a:3@2 a:4@3 a:5@40'),
    define(env, sink) {
      sink(
        'out',
        eventsOf(env)
          .keyBy(({ key }) => key)
          .window(TumblingWindow.of(10))
          .trigger(CountTrigger.of(3))
          .allowedLateness(20)
          .apply(contents, { uid: 'windows' }),
      );
    },
    // The third of [0,10) comes at watermark 14. [10,20) is given up at 39, with 2 in it, and 40 is emitted at the end.
    expected: { out: ['a [0,10): 1 3 4', 'a [40,50): 5'] },
  },
]);
