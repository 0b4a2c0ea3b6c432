import {
  type DataStream,
  type StreamEnvironment,
  type Trigger,
  type TriggerResult,
  valueState,
  type WindowAssigner,
} from '@rs/core';
import {
  AnyTrigger,
  ContinuousEventTimeTrigger,
  ContinuousProcessingTimeTrigger,
  CountTrigger,
  DeltaTrigger,
  EventTimeTrigger,
  GlobalWindow,
  NeverTrigger,
  ProcessingTimeTrigger,
  PurgingTrigger,
  TumblingWindow,
} from '@rs/window';
import { ANY_PARTITIONING } from '../case.ts';
import { type Event, events, eventsOf } from '../input.ts';
import { contents } from '../results.ts';
import { PATIENT } from '../settings.ts';
import { inArea } from './in-area.ts';

function triggered(
  env: StreamEnvironment,
  trigger: Trigger<Event>,
  assigner: WindowAssigner<unknown> = TumblingWindow.of(10),
): DataStream<string> {
  return eventsOf(env)
    .keyBy(({ key }) => key)
    .window(assigner)
    .trigger(trigger)
    .apply(contents);
}

const SEEN = valueState('seen', { default: () => 0 });

/** Answers so at every second record, and fires when the window closes. */
function everySecond(result: TriggerResult): Trigger<unknown> {
  return {
    states: [SEEN],
    onElement(_element, _timestamp, _window, ctx) {
      ctx.registerEventTimeTimer(ctx.closingTime);
      const seen = ctx.state(SEEN);
      seen.update(seen.value() + 1);
      return seen.value() % 2 === 0 ? result : 'CONTINUE';
    },
    onEventTime: () => 'FIRE',
    onProcessingTime: () => 'CONTINUE',
  };
}

const TIMER = valueState<number>('timer');

/** Fires when a window has been silent for 5 ms. */
const silence: Trigger<unknown> = {
  states: [TIMER],
  onElement(_element, timestamp, _window, ctx) {
    const timer = ctx.state(TIMER);
    const before = timer.value();
    if (before !== undefined) ctx.deleteEventTimeTimer(before);
    ctx.registerEventTimeTimer(timestamp + 5);
    timer.update(timestamp + 5);
    return 'CONTINUE';
  },
  onEventTime(time, _window, ctx) {
    return time === ctx.state(TIMER).value() ? 'FIRE' : 'CONTINUE';
  },
  onProcessingTime: () => 'CONTINUE',
};

const distance = (a: Event, b: Event) => Math.abs(a.amount - b.amount);

export const TRIGGERS = inArea('triggers', [
  {
    name: 'the four answers, and what the window holds after them',
    partitions: ANY_PARTITIONING,
    settings: PATIENT,
    input: events('a:1@1 a:2@2 a:3@3 b:4@4'),
    define(env, sink) {
      const windows = eventsOf(env)
        .keyBy(({ key }) => key)
        .window(TumblingWindow.of(10));
      for (const result of ['FIRE', 'FIRE_AND_PURGE', 'PURGE', 'CONTINUE'] as const) {
        sink(
          result,
          windows.trigger(everySecond(result)).sum(({ amount }) => amount),
        );
      }
    },
    // Keys do not share their counts: b fires at the close only.
    expected: { FIRE: [3, 6, 4], FIRE_AND_PURGE: [3, 3, 4], PURGE: [3, 4], CONTINUE: [6, 4] },
  },
  {
    name: 'purged by its last record, a window has nothing to emit at its close',
    partitions: ANY_PARTITIONING,
    settings: PATIENT,
    input: events('a:1@1 a:2@2'),
    define(env, sink) {
      const windows = eventsOf(env)
        .keyBy(({ key }) => key)
        .window(TumblingWindow.of(10));
      sink('sum', windows.trigger(everySecond('FIRE_AND_PURGE')).count());
      sink('list', windows.trigger(everySecond('FIRE_AND_PURGE')).apply(contents));
      sink('purged', windows.trigger(everySecond('PURGE')).apply(contents));
    },
    expected: { sum: [2], list: ['a [0,10): 1 2'], purged: [] },
  },
  {
    name: 'count: at every n-th record; the rest goes with the window, but not at the end of the input',
    input: events('a:1@1 a:2@2 a:3@3 a:4@4 a:5@5 a:6@20'),
    define: (env, sink) => sink('out', triggered(env, CountTrigger.of(2))),
    expected: { out: ['a [0,10): 1 2', 'a [0,10): 1 2 3 4', 'a [20,30): 6'] },
  },
  {
    name: 'purging count',
    input: events('a:1@1 a:2@2 a:3@3 a:4@4 a:5@5 a:6@20'),
    define: (env, sink) => sink('out', triggered(env, PurgingTrigger.of(CountTrigger.of(2)))),
    expected: { out: ['a [0,10): 1 2', 'a [0,10): 3 4', 'a [20,30): 6'] },
  },
  {
    name: 'continuous event time: at multiples, and at the close',
    settings: { watermarkOutOfOrderness: 3 },
    input: events('a:1@1 a:2@9 a:3@14 a:4@19 a:5@25'),
    define: (env, sink) =>
      sink('out', triggered(env, ContinuousEventTimeTrigger.of(10), TumblingWindow.of(20))),
    // Behind 14 the watermark is 10; behind 25 it is 21, past the close at 19.
    expected: { out: ['a [0,20): 1 2', 'a [0,20): 1 2 3 4', 'a [20,40): 5'] },
  },
  {
    name: 'continuous event time: one firing for a step over several multiples',
    input: events('a:1@1 a:2@17 a:3@18 a:4@30'),
    define: (env, sink) =>
      sink('out', triggered(env, ContinuousEventTimeTrigger.of(5), TumblingWindow.of(20))),
    // Behind 17 the watermark is 16, past 5, 10 and 15. Of 30 and 35 none comes before the end of the input.
    expected: { out: ['a [0,20): 1', 'a [0,20): 1 2 3', 'a [20,40): 4'] },
  },
  {
    name: 'continuous processing time',
    input: events('a:1@1 a:2@5 a:3@12 a:4@25 a:5@40'),
    define: (env, sink) =>
      sink(
        'out',
        triggered(env, ContinuousProcessingTimeTrigger.of(10), TumblingWindow.of(30, { time: 'processing' })),
      ),
    // The clock passes 10 with 12, 20 with 25, and the end with 40.
    expected: {
      out: ['a [0,30): 1 2', 'a [0,30): 1 2 3', 'a [0,30): 1 2 3 4', 'a [30,60): 5'],
    },
  },
  {
    name: 'processing time on windows of event time',
    settings: PATIENT,
    input: events('a:1@1 a:2@5 a:3@12 a:4@7 a:5@15'),
    define: (env, sink) => sink('out', triggered(env, ProcessingTimeTrigger.create())),
    // 12 moves the clock past 9. The window is still open: 7 asks for 9 again, which is due at once.
    expected: { out: ['a [0,10): 1 2', 'a [0,10): 1 2 4', 'a [10,20): 3 5'] },
  },
  {
    name: 'delta: from the last record that fired',
    partitions: ANY_PARTITIONING,
    input: events('a:1@1 a:4@2 a:7@3 a:12@4 a:20@5 a:21@6'),
    define(env, sink) {
      sink(
        'out',
        eventsOf(env)
          .keyBy(({ key }) => key)
          .window(GlobalWindow.create())
          .trigger(DeltaTrigger.of(5, distance))
          .apply<string>((_key, _window, elements, out) =>
            out.collect(elements.map(({ amount }) => amount).join(' ')),
          ),
      );
    },
    // 7 is 6 from 1; 12 is 5 from 7, which is not above; 20 is 13 from 7. The end emits what no firing has.
    expected: { out: ['1 4 7', '1 4 7 12 20', '1 4 7 12 20 21'] },
  },
  {
    name: 'any of several: each goes on counting by itself',
    input: events('a:1@1 a:2@2 a:3@3 a:4@4 a:5@20 a:6@21'),
    define(env, sink) {
      const either = AnyTrigger.of<Event>(CountTrigger.of(3), EventTimeTrigger.create());
      const windows = eventsOf(env)
        .keyBy(({ key }) => key)
        .window(TumblingWindow.of(10));
      sink('kept', windows.trigger(either).apply(contents));
      sink('purged', windows.trigger(PurgingTrigger.of(either)).apply(contents));
    },
    expected: {
      kept: ['a [0,10): 1 2 3', 'a [0,10): 1 2 3 4', 'a [20,30): 5 6'],
      purged: ['a [0,10): 1 2 3', 'a [0,10): 4', 'a [20,30): 5 6'],
    },
  },
  {
    name: 'never: only the end of the input emits',
    input: events('a:1@1 a:2@20 b:3@21'),
    define: (env, sink) => sink('out', triggered(env, NeverTrigger.create())),
    expected: { out: ['a [20,30): 2', 'b [20,30): 3'] },
  },
  {
    name: 'a trigger of one’s own that moves its timer',
    input: events('a:1@0 a:2@3 z:3@10 a:4@20 z:5@40'),
    define(env, sink) {
      sink(
        'out',
        eventsOf(env)
          .keyBy(({ key }) => key)
          .window(GlobalWindow.create())
          .trigger(silence)
          .apply<string>((key, _window, elements, out) =>
            out.collect(`${key} ${elements.map(({ amount }) => amount).join(' ')}`),
          ),
      );
    },
    // a is silent at 8 and at 25, z at 15 and at 45.
    expected: { out: ['a 1 2', 'z 3', 'a 1 2 4', 'z 3 5'] },
  },
  {
    name: 'purging on time, a late record then fires by itself',
    input: events('a:1@1 a:2@2 a:3@12 a:4@3 a:5@4'),
    define(env, sink) {
      sink(
        'out',
        eventsOf(env)
          .keyBy(({ key }) => key)
          .window(TumblingWindow.of(10))
          .trigger(PurgingTrigger.of(EventTimeTrigger.create()))
          .allowedLateness(10)
          .apply(contents),
      );
    },
    expected: { out: ['a [0,10): 1 2', 'a [0,10): 4', 'a [0,10): 5', 'a [10,20): 3'] },
  },
  {
    name: 'what is no answer',
    input: events('a@1'),
    define(env, sink) {
      const wrong = { ...everySecond('FIRE'), onElement: () => 'FIRED' as TriggerResult };
      sink('out', triggered(env, wrong));
    },
    expected: {},
    fails: 'RS_INVALID_VALUE',
  },
]);
