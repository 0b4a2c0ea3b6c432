import { topic, type Trigger } from '@rs/core';
import { TumblingWindow } from '@rs/window';
import { events, eventsOf } from '../input.ts';
import { bounds } from '../results.ts';
import { inArea } from './in-area.ts';

const NUMBERS = topic<number | string>('numbers');

/** Asks to be called at 1000 once per window, whatever the window. */
const atThousand: Trigger<unknown> = {
  onElement(_element, _timestamp, _window, ctx) {
    ctx.registerEventTimeTimer(1_000);
    return 'CONTINUE';
  },
  onEventTime: (time) => (time === 1_000 ? 'FIRE' : 'CONTINUE'),
  onProcessingTime: () => 'CONTINUE',
};

export const TIMER_ORDER = inArea('timers', [
  {
    name: 'order of firing: time, then key, whatever the order of registration',
    input: events('c:50@0 b:50@1 a:40@2 b:40@3 a:50@4 z:900@100'),
    define(env, sink) {
      sink(
        'out',
        eventsOf(env)
          .keyBy(({ key }) => key)
          .process<string>({
            processElement: (_key, { amount }, ctx) => ctx.registerEventTimeTimer(amount),
            onEventTime: (time, key, _ctx, out) => out.collect(`${key} ${time}`),
          }),
      );
    },
    expected: { out: ['a 40', 'b 40', 'a 50', 'b 50', 'c 50', 'z 900'] },
  },
  {
    name: 'order of keys: by the bytes of their canonical texts',
    // n:1 < n:10 < n:2 < s:Z < s:a < s:é < s:U+FFFD (3 bytes, 0xEF …) < s:😀 (4 bytes, 0xF0 …).
    input: ['😀', 2, 'a', '\uFFFD', 10, 'Z', 1, 'é'].map((value, timestamp) => ({
      topic: NUMBERS.name,
      key: 'k',
      value,
      timestamp,
    })),
    define(env, sink) {
      sink(
        'out',
        env
          .fromTopic(NUMBERS, 'conformance', { until: 'now' })
          .keyBy((value) => value)
          .process<number | string>({
            processElement: (_key, _value, ctx) => ctx.registerEventTimeTimer(50),
            onEventTime: (_time, key, _ctx, out) => out.collect(key),
          }),
      );
    },
    expected: { out: [1, 10, 2, 'Z', 'a', 'é', '\uFFFD', '😀'] },
  },
  {
    name: 'order of the windows of one time: key, then window',
    input: events('b@10 a@20 a@10 b@20 z@2000'),
    define(env, sink) {
      sink(
        'out',
        eventsOf(env)
          .keyBy(({ key }) => key)
          .window(TumblingWindow.of(10))
          .trigger(atThousand)
          .allowedLateness(1_500)
          .apply<string>((key, window, _elements, out) => out.collect(`${key} ${bounds(window)}`)),
      );
    },
    expected: { out: ['a [10,20)', 'a [20,30)', 'b [10,20)', 'b [20,30)', 'z [2000,2010)'] },
  },
]);
