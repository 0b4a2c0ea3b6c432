import { type DataStream, reducingState, type StreamEnvironment, type Trigger } from '@rs/core';
import {
  ContinuousEventTimeTrigger,
  CountTrigger,
  DeltaTrigger,
  PurgingTrigger,
  SessionWindow,
} from '@rs/window';
import { ANY_PARTITIONING } from '../case.ts';
import { type Event, events, eventsOf } from '../input.ts';
import { contents } from '../results.ts';
import { PATIENT } from '../settings.ts';
import { inArea } from './in-area.ts';

function sessions(env: StreamEnvironment, gap: number, trigger: Trigger<Event>): DataStream<string> {
  return eventsOf(env)
    .keyBy(({ key }) => key)
    .window(SessionWindow.withGap(gap))
    .trigger(trigger)
    .apply(contents);
}

const SUM = reducingState<number>('sum', { reduce: (a, b) => a + b });

/** Fires when the amounts since the last firing make ten; sums of sessions that merge are added. */
const untilTen: Trigger<Event> = {
  states: [SUM],
  onElement({ amount }, _timestamp, _window, ctx) {
    const sum = ctx.state(SUM);
    sum.add(amount);
    if ((sum.get() ?? 0) < 10) return 'CONTINUE';
    sum.clear();
    return 'FIRE';
  },
  onEventTime: () => 'CONTINUE',
  onProcessingTime: () => 'CONTINUE',
  onMerge: (_merged, _absorbed, ctx) => ctx.mergeState(SUM, (a, b) => a + b),
};

/** Fires at the end of what the session is then. */
const atItsEnd: Trigger<Event> = {
  onElement(_element, _timestamp, _window, ctx) {
    ctx.registerEventTimeTimer(ctx.closingTime);
    return 'CONTINUE';
  },
  onEventTime: () => 'FIRE',
  onProcessingTime: () => 'CONTINUE',
  onMerge: (_merged, _absorbed, ctx) => ctx.registerEventTimeTimer(ctx.closingTime),
};

/** Fires three milliseconds after each record, unless the session has changed its bounds meanwhile. */
const threeLater: Trigger<Event> = {
  onElement(_element, timestamp, _window, ctx) {
    ctx.registerEventTimeTimer(timestamp + 3);
    return 'CONTINUE';
  },
  onEventTime: () => 'FIRE',
  onProcessingTime: () => 'CONTINUE',
  onMerge: () => undefined,
};

export const SESSION_TRIGGERS = inArea('triggers', [
  {
    name: 'sessions: counts of those that merge are added',
    partitions: ANY_PARTITIONING,
    settings: PATIENT,
    // [0,18) and [25,40) have two records each; 16 bridges them, is the fifth, and fires once.
    input: events('a:1@0 a:2@30 a:3@8 a:4@25 a:5@16'),
    define: (env, sink) => sink('out', sessions(env, 10, CountTrigger.of(3))),
    expected: { out: ['a [0,40): 1 3 2 4 5'] },
  },
  {
    name: 'sessions: state of a trigger of one’s own, joined by it',
    partitions: ANY_PARTITIONING,
    settings: PATIENT,
    // 4 and 5 make 9; the record that bridges them makes 10. Then 2 starts anew.
    input: events('a:4@0 a:5@30 a:1@15 a:2@20 b:9@0 b:1@100'),
    define: (env, sink) => sink('out', sessions(env, 20, untilTen)),
    // The end emits what came since the last firing, together with the rest of its session.
    expected: {
      out: ['a [0,50): 4 5 1', 'b [0,20): 9', 'a [0,50): 4 5 1 2', 'b [100,120): 1'],
    },
  },
  {
    name: 'sessions: timers of those that merged are gone',
    input: events('a:1@0 a:2@5 z:3@12 a:4@14 z:5@30'),
    define: (env, sink) => sink('out', sessions(env, 10, atItsEnd)),
    // [0,10) became [0,15) and then [0,24): nothing fires at 9 and at 14.
    expected: { out: ['z [12,22): 3', 'a [0,24): 1 2 4', 'z [30,40): 5'] },
  },
  {
    name: 'sessions: what a trigger has asked for is gone with a merge, unless it asks again',
    input: events('a:1@0 a:2@2 b:3@4 z:4@10 b:5@8'),
    define: (env, sink) => sink('out', sessions(env, 10, threeLater)),
    // a: 3 is gone with [0,10), 5 stays. b: 7 has fired for [4,14) when 8 makes [4,18) of it, which fires for 11.
    expected: {
      out: ['a [0,12): 1 2', 'b [4,14): 3', 'b [4,18): 3 5', 'z [10,20): 4'],
    },
  },
  {
    name: 'sessions: continuous firings go on after a merge',
    input: events('a:1@1 a:2@8 z:3@13 a:4@14 z:5@27 a:6@23 z:7@60'),
    define: (env, sink) => sink('out', sessions(env, 20, ContinuousEventTimeTrigger.of(10))),
    // Behind 13 the watermark is 12: a fires for 10, z has come to 20 only. Behind 27 it is 26: both fire for 20.
    // a is [1,43), z is [13,47): behind 60 both have closed.
    expected: {
      out: [
        'a [1,28): 1 2',
        'a [1,34): 1 2 4',
        'z [13,33): 3',
        'a [1,43): 1 2 4 6',
        'z [13,47): 3 5',
        'z [60,80): 7',
      ],
    },
  },
  {
    name: 'sessions: purging and delta',
    partitions: ANY_PARTITIONING,
    settings: PATIENT,
    input: events('a:1@0 a:9@5 a:2@40 a:3@44 a:20@45 a:30@48'),
    define(env, sink) {
      const delta = DeltaTrigger.of<Event>(5, (last, now) => Math.abs(last.amount - now.amount));
      const windows = eventsOf(env)
        .keyBy(({ key }) => key)
        .window(SessionWindow.withGap(10));
      sink('purging', windows.trigger(PurgingTrigger.of(delta)).apply(contents));
      sink('kept', windows.trigger(delta).apply(contents));
    },
    // In [0,15) 9 is 8 from 1; in [40,58) 20 is 18 from 2, and 30 is 10 from 20.
    expected: {
      purging: ['a [0,15): 1 9', 'a [40,55): 2 3 20', 'a [40,58): 30'],
      kept: ['a [0,15): 1 9', 'a [40,55): 2 3 20', 'a [40,58): 2 3 20 30'],
    },
  },
]);
