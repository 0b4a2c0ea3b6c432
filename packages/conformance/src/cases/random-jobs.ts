import {
  type AggregateFunction,
  largeMapState,
  mapState,
  outputTag,
  type Trigger,
  valueState,
} from '@rs/core';
import { WatermarkStrategy } from '@rs/watermark';
import {
  AnyTrigger,
  ContinuousEventTimeTrigger,
  CountEvictor,
  CountTrigger,
  CountWindow,
  EventTimeTrigger,
  GlobalWindow,
  PurgingTrigger,
  SessionWindow,
  SlidingWindow,
  TimeEvictor,
  TumblingWindow,
} from '@rs/window';
import { ANY_PARTITIONING } from '../case.ts';
import { type Event, eventsOf } from '../input.ts';
import { randomEvents } from '../random.ts';
import { bounds, contents } from '../results.ts';
import { PATIENT } from '../settings.ts';
import { inArea } from './in-area.ts';

const BIG = outputTag<string>('big');
const LATE = outputTag<Event>('late');
const TOTAL = valueState('total', { default: () => 0 });
const BY_AMOUNT = mapState<number, number>('by-amount', { ttl: 500 });
const SEEN = largeMapState<number, number>('seen');

const keyOfEvent = ({ key }: Event) => key;
const late = WatermarkStrategy.forBoundedOutOfOrderness<Event>(10);

/** Every third record fires, and so do the multiples of 20 and the close. */
const often: Trigger<Event> = AnyTrigger.of<Event>(
  CountTrigger.of(3),
  ContinuousEventTimeTrigger.of(20),
  EventTimeTrigger.create(),
);

const sum: AggregateFunction<Event, number, number> = {
  createAccumulator: () => 0,
  add: ({ amount }, total) => total + amount,
  getResult: (total) => total,
  merge: (a, b) => a + b,
};

/** Jobs whose results are too many to be derived by hand. */
export const RANDOM_JOBS = inArea('random', [
  {
    name: 'state, timers and side outputs',
    input: randomEvents({ seed: 11, count: 2_000, keys: 8, disorder: 20 }),
    define(env, sink) {
      const processed = eventsOf(env)
        .assignTimestampsAndWatermarks(late)
        .keyBy(keyOfEvent)
        .process<string>({
          open(ctx) {
            ctx.state(TOTAL);
            ctx.state(BY_AMOUNT);
          },
          processElement(key, { amount, at }, ctx, out) {
            const counts = ctx.state(BY_AMOUNT);
            counts.put(amount, (counts.get(amount) ?? 0) + 1);
            if (amount % 4 === 0) counts.remove(amount + 1);
            ctx.state(TOTAL).update(ctx.state(TOTAL).value() + amount);
            ctx.registerEventTimeTimer(at + 15);
            ctx.registerProcessingTimeTimer(ctx.currentProcessingTime() + 9);
            if (amount % 5 === 0) ctx.deleteEventTimeTimer(at + 14);
            if (amount > 8) ctx.output(BIG, `${key} ${at} ${amount}`);
            out.collect(`${key} ${at} ${ctx.currentWatermark()} ${[...counts.entries()].join(';')}`);
          },
          onEventTime(time, key, ctx, out) {
            if (time % 3 === 0 && ctx.currentWatermark() < Infinity) ctx.registerEventTimeTimer(time + 7);
            if (time % 11 === 0) ctx.state(BY_AMOUNT).clear();
            out.collect(`${key} event ${time} ${ctx.state(TOTAL).value()}`);
          },
          onProcessingTime: (time, key, ctx, out) =>
            out.collect(`${key} processing ${time} ${ctx.state(TOTAL).value()}`),
        });
      sink('main', processed);
      sink('big', processed.getSideOutput(BIG));
    },
    expected: 'agreement',
  },
  {
    name: 'windows that fire early and late',
    input: randomEvents({ seed: 12, count: 2_000, keys: 8, disorder: 30 }),
    define(env, sink) {
      const keyed = eventsOf(env).assignTimestampsAndWatermarks(late).keyBy(keyOfEvent);
      const sessions = keyed
        .window(SessionWindow.withGap(12, { touching: 'merge' }))
        .trigger(often)
        .allowedLateness(15)
        .sideOutputLateData(LATE)
        .apply(contents, { uid: 'by-session' });
      sink('sessions', sessions);
      sink('late', sessions.getSideOutput(LATE));
      sink(
        'sliding',
        keyed
          .window(SlidingWindow.of(25, 10, { offset: 3 }))
          .trigger(PurgingTrigger.of(often))
          .allowedLateness(12)
          .aggregate(sum, (total, { key, window }) => `${key} ${bounds(window)} ${total}`, {
            uid: 'by-slide',
          }),
      );
      sink(
        'postponed',
        keyed
          .window(TumblingWindow.of(20))
          .allowedLateness(8, { mode: 'postpone' })
          .reduce(
            (a, b) => ({ ...a, amount: a.amount * 2 + b.amount }),
            ({ amount }, { key, window }) => `${key} ${bounds(window)} ${amount % 1_000_003}`,
            { uid: 'postponed-windows' },
          ),
      );
    },
    expected: 'agreement',
  },
  {
    name: 'windows by count, on processing time, and with evictors',
    input: randomEvents({ seed: 13, count: 2_000, keys: 8, disorder: 20 }),
    define(env, sink) {
      const keyed = eventsOf(env).assignTimestampsAndWatermarks(late).keyBy(keyOfEvent);
      sink('count', keyed.window(CountWindow.of(5, 2)).apply(contents));
      sink('processing', keyed.window(SlidingWindow.of(30, 20, { time: 'processing' })).apply(contents));
      sink(
        'evicted',
        keyed
          .window(SessionWindow.withGap(14))
          .evictor(TimeEvictor.of(10))
          .aggregate(sum, (total, { key, window }) => `${key} ${bounds(window)} ${total}`, {
            uid: 'evicting',
          }),
      );
      sink(
        'kept',
        keyed
          .window(GlobalWindow.create())
          .trigger(CountTrigger.of(4))
          .evictor(CountEvictor.of(2, { after: true }))
          .apply(contents),
      );
    },
    expected: 'agreement',
  },
  {
    name: 'branches that meet again: union, connect, cogroup',
    input: randomEvents({ seed: 14, count: 1_500, keys: 6, disorder: 15 }),
    define(env, sink) {
      const all = eventsOf(env);
      const even = all.filter(({ amount }) => amount % 2 === 0).assignTimestampsAndWatermarks(late);
      const odd = all
        .filter(({ amount }) => amount % 2 === 1)
        .assignTimestampsAndWatermarks(WatermarkStrategy.forMonotonousTimestamps());
      sink(
        'union',
        even.union(odd).keyBy(keyOfEvent).window(TumblingWindow.of(25)).apply(contents, { uid: 'of-union' }),
      );
      sink(
        'cogroup',
        even
          .keyBy(keyOfEvent)
          .cogroup(odd.keyBy(keyOfEvent))
          .window(SessionWindow.withGap(9))
          .apply<string>(
            (key, window, lefts, rights, out) =>
              out.collect(`${key} ${bounds(window)} ${lefts.length} ${rights.length}`),
            { uid: 'of-cogroup' },
          ),
      );
      sink(
        'connect',
        even
          .keyBy(keyOfEvent)
          .connect(odd.keyBy(keyOfEvent))
          .process<string>({
            open: (ctx) => void ctx.state(TOTAL),
            processElement1(_key, { amount, at }, ctx) {
              ctx.state(TOTAL).update(ctx.state(TOTAL).value() + amount);
              ctx.registerEventTimeTimer(at + 10);
            },
            processElement2: (key, { amount }, ctx, out) =>
              out.collect(`${key} ${amount} ${ctx.state(TOTAL).value()} ${ctx.currentWatermark()}`),
            onEventTime: (time, key, ctx, out) => out.collect(`${key} ${time} ${ctx.state(TOTAL).value()}`),
          }),
      );
    },
    expected: 'agreement',
  },
  {
    name: 'keys that are in every partition, in two stages',
    partitions: ANY_PARTITIONING,
    settings: PATIENT,
    input: randomEvents({ seed: 15, count: 2_000, keys: 20, disorder: 50 }),
    define(env, sink) {
      const byAmount = eventsOf(env)
        .keyBy(({ amount }) => amount)
        .window(TumblingWindow.of(200))
        .aggregate(sum, (total, { key, window }) => ({ key, start: window.start, total }));
      sink('first', byAmount);
      sink(
        'second',
        byAmount
          .keyBy(({ total }) => total % 3)
          .window(TumblingWindow.of(1_000))
          .apply<string>((key, window, elements, out) => {
            const totals = elements.map(({ total }) => total).sort((a, b) => a - b);
            out.collect(`${key} ${bounds(window)} ${totals.join(' ')}`);
          }),
      );
    },
    expected: 'agreement',
  },
  {
    name: 'rolling results behind an exchange',
    partitions: ANY_PARTITIONING,
    keyOf: (result) => (result as Event).key,
    input: randomEvents({ seed: 16, count: 2_000, keys: 20, disorder: 50 }),
    define: (env, sink) =>
      sink(
        'out',
        eventsOf(env)
          .keyBy(keyOfEvent)
          .reduce((a, b) => ({ ...b, amount: (a.amount * 3 + b.amount) % 1_000 })),
      ),
    expected: 'agreement',
  },
  {
    name: 'answers that come later, and a large map',
    async: true,
    input: randomEvents({ seed: 17, count: 1_000, keys: 6, disorder: 15 }),
    define(env, sink) {
      sink(
        'out',
        eventsOf(env)
          .mapAsync(
            async (event) => {
              for (let i = 0; i < event.amount; i++) await Promise.resolve();
              return event;
            },
            { concurrency: 5 },
          )
          .keyBy(keyOfEvent)
          .process<string>({
            open: (ctx) => void ctx.state(SEEN),
            async processElement(key, { amount, at }, ctx, out) {
              const seen = ctx.state(SEEN);
              const before = await seen.get(amount);
              seen.put(amount, at);
              if (amount === 9) {
                for await (const [other] of seen.entries()) if (other % 2 === 0) seen.remove(other);
              }
              out.collect(`${key} ${amount} ${before} ${ctx.currentWatermark()}`);
            },
          }),
      );
    },
    expected: 'agreement',
  },
]);
