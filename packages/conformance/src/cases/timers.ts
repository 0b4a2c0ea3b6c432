import { type DataStream, type KeyedProcessFunction, type StreamEnvironment, valueState } from '@rs/core';
import { ANY_PARTITIONING } from '../case.ts';
import { type Event, events, eventsOf } from '../input.ts';
import { firstWord, stamped } from '../results.ts';
import { inArea } from './in-area.ts';

type Process = KeyedProcessFunction<string, Event, string>;

/** Runs a function per key; its timers say their kind and time unless it says otherwise. */
function processed(env: StreamEnvironment, fn: Process): DataStream<string> {
  return eventsOf(env)
    .keyBy(({ key }) => key)
    .process<string>({
      onEventTime: (time, key, _ctx, out) => out.collect(`${key} event ${time}`),
      onProcessingTime: (time, key, _ctx, out) => out.collect(`${key} processing ${time}`),
      ...fn,
    });
}

export const TIMERS = inArea('timers', [
  {
    name: 'golden: processing time is that of the records',
    input: events('a:1@0 a:2@1 a:3@2'),
    define(env, sink) {
      sink(
        'out',
        processed(env, {
          processElement(_key, { amount }, ctx, out) {
            out.collect(`element ${amount}`);
            ctx.registerProcessingTimeTimer(ctx.currentProcessingTime() + 1);
          },
        }),
      );
    },
    expected: {
      out: ['element 1', 'a processing 1', 'element 2', 'a processing 2', 'element 3', 'a processing 3'],
    },
  },
  {
    name: 'golden: a timer fires before the record whose watermark reaches it',
    input: events('a:1@10 a:2@20'),
    define(env, sink) {
      sink(
        'out',
        processed(env, {
          processElement(_key, { amount }, ctx, out) {
            out.collect(`element ${amount}`);
            if (amount === 1) ctx.registerEventTimeTimer(15);
          },
        }),
      );
    },
    expected: { out: ['element 1', 'a event 15', 'element 2'] },
  },
  {
    name: 'a timer fires when the watermark is its time, not a millisecond earlier',
    // The watermark is 98 behind 99, and 99 behind 100.
    input: events('a@0 b@99 c@100'),
    define(env, sink) {
      sink(
        'out',
        processed(env, {
          processElement(key, _event, ctx, out) {
            out.collect(key);
            if (key === 'a') ctx.registerEventTimeTimer(99);
          },
        }),
      );
    },
    expected: { out: ['a', 'b', 'a event 99', 'c'] },
  },
  {
    name: 'one timer per key, time and kind',
    partitions: ANY_PARTITIONING,
    keyOf: firstWord,
    input: events('a@0 a@1 b@1'),
    define(env, sink) {
      sink(
        'out',
        processed(env, {
          processElement(_key, _event, ctx) {
            for (let i = 0; i < 3; i++) {
              ctx.registerEventTimeTimer(10);
              ctx.registerProcessingTimeTimer(10);
            }
          },
        }),
      );
    },
    // At the end of the input, all of processing time first.
    expected: { out: ['a processing 10', 'b processing 10', 'a event 10', 'b event 10'] },
  },
  {
    name: 'a timer that has fired may be registered again; a time that has passed is due after the record',
    input: events('a:1@100 a:2@200'),
    define(env, sink) {
      sink(
        'out',
        processed(env, {
          processElement(_key, { amount }, ctx, out) {
            ctx.registerEventTimeTimer(7);
            ctx.registerProcessingTimeTimer(5);
            out.collect(`element ${amount}`);
          },
        }),
      );
    },
    expected: {
      out: ['element 1', 'a processing 5', 'a event 7', 'element 2', 'a processing 5', 'a event 7'],
    },
  },
  {
    name: 'processing time comes before event time, and a watermark before its record',
    input: events('a@0 a@100'),
    define(env, sink) {
      sink(
        'out',
        processed(env, {
          processElement(_key, { at }, ctx, out) {
            out.collect(`element ${at}`);
            ctx.registerEventTimeTimer(at + 10);
            ctx.registerProcessingTimeTimer(at + 20);
          },
        }),
      );
    },
    // The watermark 99 fires the event timer; then the record moves the clock to 100. At the end both are left.
    expected: {
      out: ['element 0', 'a event 10', 'a processing 20', 'element 100', 'a processing 120', 'a event 110'],
    },
  },
  {
    name: 'a deleted timer does not fire, deleting an unknown one does nothing',
    partitions: ANY_PARTITIONING,
    input: events('a@0'),
    define(env, sink) {
      sink(
        'out',
        processed(env, {
          processElement(_key, _event, ctx) {
            for (const time of [10, 20, 30]) ctx.registerEventTimeTimer(time);
            ctx.registerProcessingTimeTimer(10);
            ctx.deleteEventTimeTimer(10);
            ctx.deleteEventTimeTimer(15);
            ctx.deleteProcessingTimeTimer(10);
            ctx.deleteProcessingTimeTimer(20);
          },
          onEventTime(time, _key, ctx, out) {
            out.collect(`event ${time}`);
            if (time === 20) ctx.deleteEventTimeTimer(30);
          },
        }),
      );
    },
    expected: { out: ['event 20'] },
  },
  {
    name: 'a callback may register the next timer, which fires at once when it is due',
    input: events('a@0 a@5 a@100'),
    define(env, sink) {
      sink(
        'out',
        processed(env, {
          processElement(_key, { at }, ctx, out) {
            out.collect(`element ${at}`);
            if (at === 0) ctx.registerEventTimeTimer(1);
          },
          onEventTime(time, _key, ctx, out) {
            out.collect(`event ${time}`);
            if (time < 6) ctx.registerEventTimeTimer(time + 1);
          },
        }),
      );
    },
    // The watermark is 4 behind 5.
    expected: {
      out: [
        'element 0',
        'event 1',
        'event 2',
        'event 3',
        'event 4',
        'element 5',
        'event 5',
        'event 6',
        'element 100',
      ],
    },
  },
  {
    name: 'at the end of the input all fire, and time is at its end',
    partitions: ANY_PARTITIONING,
    input: events('a@0'),
    define(env, sink) {
      sink(
        'out',
        processed(env, {
          processElement(_key, _event, ctx, out) {
            out.collect(`element, watermark ${ctx.currentWatermark()}`);
            ctx.registerEventTimeTimer(1_000);
            ctx.registerEventTimeTimer(500);
            ctx.registerProcessingTimeTimer(2_000);
          },
          onEventTime: (time, _key, ctx, out) =>
            out.collect(`event ${time}, watermark ${ctx.currentWatermark()}`),
          onProcessingTime: (time, _key, ctx, out) =>
            out.collect(
              `processing ${time}, watermark ${ctx.currentWatermark()}, now ${ctx.currentProcessingTime()}`,
            ),
        }),
      );
    },
    expected: {
      out: [
        'element, watermark -1',
        'processing 2000, watermark Infinity, now 2000',
        'event 500, watermark Infinity',
        'event 1000, watermark Infinity',
      ],
    },
  },
  {
    name: 'a timer of processing time that is registered in the last moment fires too',
    partitions: ANY_PARTITIONING,
    input: events('a@0'),
    define(env, sink) {
      sink(
        'out',
        processed(env, {
          processElement: (_key, _event, ctx) => ctx.registerEventTimeTimer(10),
          onEventTime(time, _key, ctx, out) {
            out.collect(`event ${time}`);
            ctx.registerProcessingTimeTimer(1_000_000);
          },
        }),
      );
    },
    expected: { out: ['event 10', 'a processing 1000000'] },
  },
  {
    name: 'a callback has the key, the state and the time of its timer',
    partitions: ANY_PARTITIONING,
    input: events('a:5@1 b:6@2 a:7@3'),
    define(env, sink) {
      const sum = valueState('sum', { default: () => 0 });
      sink(
        'out',
        stamped(
          processed(env, {
            open: (ctx) => void ctx.state(sum),
            processElement(_key, { amount, at }, ctx) {
              ctx.state(sum).update(ctx.state(sum).value() + amount);
              ctx.registerEventTimeTimer(at + 50);
            },
            onEventTime(_time, key, ctx, out) {
              out.collect(`${key} ${ctx.key} ${ctx.state(sum).value()} ${ctx.currentEventTime()}`);
              ctx.state(sum).clear();
            },
          }),
        ),
      );
    },
    expected: { out: ['a a 12 51 @ 51', 'b b 6 52 @ 52', 'a a 0 53 @ 53'] },
  },
  {
    name: 'the clock of the records never goes back',
    input: events('a@5 a@3 a@9 a@8'),
    define(env, sink) {
      sink(
        'out',
        processed(env, {
          processElement: (_key, _event, ctx, out) => out.collect(`${ctx.currentProcessingTime()}`),
        }),
      );
    },
    expected: { out: ['5', '5', '9', '9'] },
  },
  {
    name: 'a timer at no time',
    input: events('a@0'),
    define(env, sink) {
      sink('out', processed(env, { processElement: (_key, _event, ctx) => ctx.registerEventTimeTimer(1.5) }));
    },
    expected: {},
    fails: 'RS_INVALID_TIMESTAMP',
  },
  {
    name: 'a timer that no callback waits for',
    input: events('a@0'),
    define(env, sink) {
      const registering = eventsOf(env)
        .keyBy(({ key }) => key)
        .process<string>({
          processElement: (_key, _event, ctx) => ctx.registerEventTimeTimer(1),
          onProcessingTime: () => undefined,
        });
      sink('out', registering);
    },
    expected: {},
    fails: 'RS_TIMER_UNHEARD',
  },
]);
