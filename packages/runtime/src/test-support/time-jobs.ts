import { valueState } from '@rs/core';
import { WatermarkStrategy } from '@rs/watermark';
import { SessionWindow, TumblingWindow } from '@rs/window';
import type { HarnessJob } from '../testing/job-harness.ts';
import type { Event } from './job-catalogue.ts';

const strategy = WatermarkStrategy.forBoundedOutOfOrderness<Event>(5).withTimestampAssigner(
  ({ time }) => time,
);
const later = WatermarkStrategy.forBoundedOutOfOrderness<Event>(1).withTimestampAssigner(
  ({ time, amount }) => time + 4 * amount,
);
const ignore = () => undefined;

/** Jobs in which it matters in which order operators hear of time. */
export const TIME_JOBS: Record<string, HarnessJob> = {
  'one item becomes several records, each with its time': (env) => {
    env
      .input<Event>()
      .flatMap((event) =>
        Array.from({ length: event.amount % 5 }, (_, i) => ({ ...event, time: event.time + 6 * i })),
      )
      .assignTimestampsAndWatermarks(strategy)
      .keyBy(({ key }) => key)
      .window(TumblingWindow.of(10))
      .apply<string>((key, { start }, elements, out) => out.collect(`${key} ${start} ${elements.length}`))
      .addSink(ignore);
  },
  'several records of one item, also before time': (env) => {
    const input = env.input<Event>();
    input.map(({ amount }) => amount).addSink(ignore);
    const split = input.flatMap((event) => [event, { ...event, key: 'b', time: event.time + 9 }]);
    split.map(({ key }) => key).addSink(ignore);
    split
      .assignTimestampsAndWatermarks(strategy)
      .mapAsync(async (event) => event, { concurrency: 2 })
      .keyBy(({ key }) => key)
      .process<string>({
        processElement: (key, { time }, ctx, out) => {
          for (let i = 0; i < 3; i++) ctx.registerEventTimeTimer(time + i);
          out.collect(`${key} ${time} w${ctx.currentWatermark()}`);
        },
        onEventTime: (time, key, ctx, out) => out.collect(`${key} @${time} w${ctx.currentWatermark()}`),
      })
      .addSink(ignore);
  },
  'branches with times of their own that meet again': (env) => {
    const input = env.input<Event>();
    const one = input
      .assignTimestampsAndWatermarks(strategy)
      .keyBy(({ key }) => key)
      .window(TumblingWindow.of(10))
      .sum(({ amount }) => amount)
      .map((sum) => `sum ${sum}`);
    const other = input
      .assignTimestampsAndWatermarks(later)
      .keyBy(({ key }) => key)
      .process<string>({
        processElement: (key, { time, amount }, ctx, out) => {
          ctx.registerEventTimeTimer(time + amount);
          ctx.registerEventTimeTimer(time + 2 * amount);
          out.collect(`${key} ${amount}`);
        },
        onEventTime: (time, key, ctx, out) => out.collect(`${key} @${time} w${ctx.currentWatermark()}`),
      });
    const met = one.union(other).keyBy((text) => text.length);
    met
      .window(TumblingWindow.of(7))
      .apply<string>((length, { start }, texts, out) => out.collect(`${length} ${start} ${texts.join('|')}`))
      .addSink(ignore);
    met
      .process<string>({
        processElement: (length, text, ctx, out) => {
          ctx.registerEventTimeTimer(ctx.currentEventTime() + 3);
          out.collect(`${length} ${text} w${ctx.currentWatermark()}`);
        },
        onEventTime: (time, length, ctx, out) => out.collect(`${length} @${time} w${ctx.currentWatermark()}`),
      })
      .addSink(ignore);
  },
  'siblings behind one keyBy, and operators behind each': (env) => {
    const keyed = env
      .input<Event>()
      .assignTimestampsAndWatermarks(strategy)
      .keyBy(({ key }) => key);
    const reminding = (wait: (time: number) => Promise<void> | undefined) =>
      keyed.process<Event>({
        processElement: (_key, { time }, ctx) => {
          ctx.registerEventTimeTimer(time + 2);
          ctx.registerEventTimeTimer(time + 5);
        },
        onEventTime: (time, key, _ctx, out) => {
          const emit = () => out.collect({ key, time, amount: 1 });
          const waiting = wait(time);
          return waiting === undefined ? emit() : waiting.then(emit);
        },
      });
    const first = reminding((time) => (time % 2 === 0 ? Promise.resolve() : undefined));
    const second = reminding(() => undefined);
    const third = keyed.reduce((a, b) => ({ ...b, amount: a.amount + b.amount }));
    const counted = first
      .keyBy(({ key }) => key)
      .window(TumblingWindow.of(4))
      .count()
      .map((count): Event => ({ key: `${count}`, time: 0, amount: count }));
    counted
      .union(second, third, first)
      .keyBy(({ key }) => key)
      .process<string>({
        processElement: (key, { time, amount }, ctx, out) => {
          ctx.registerEventTimeTimer(ctx.currentEventTime() + 1);
          out.collect(`${key} ${time} ${amount} w${ctx.currentWatermark()}`);
        },
        onEventTime: (time, key, ctx, out) => out.collect(`${key} @${time} w${ctx.currentWatermark()}`),
      })
      .addSink(ignore);
  },
  'time made anew behind timers': (env) => {
    const seen = valueState('seen', { default: () => 0 });
    env
      .input<Event>()
      .assignTimestampsAndWatermarks(strategy)
      .keyBy(({ key }) => key)
      .process<Event>({
        open: (ctx) => void ctx.state(seen),
        processElement: (_key, { time }, ctx) => {
          const count = ctx.state(seen);
          count.update(count.value() + 1);
          ctx.registerEventTimeTimer(time + 1);
          ctx.registerEventTimeTimer(time + 4);
        },
        onEventTime: (time, key, ctx, out) => out.collect({ key, time, amount: ctx.state(seen).value() }),
      })
      .assignTimestampsAndWatermarks(strategy)
      .filter(({ amount }) => amount % 3 !== 0)
      .keyBy(({ key }) => key)
      .window(SessionWindow.withGap(3))
      .process<string>((key, { start, end }, elements, ctx, out) =>
        out.collect(`${key} ${start}-${end} ${elements.length} w${ctx.currentWatermark()}`),
      )
      .addSink(ignore);
  },
  'timers that delete and register others': (env) => {
    const fired = valueState('fired', { default: () => 0 });
    env
      .input<Event>()
      .assignTimestampsAndWatermarks(strategy)
      .keyBy(({ key }) => key)
      .process<string>({
        open: (ctx) => void ctx.state(fired),
        processElement: (_key, { time, amount }, ctx) => {
          for (let i = 0; i <= amount % 4; i++) ctx.registerEventTimeTimer(time + i);
          ctx.registerProcessingTimeTimer(time + 1);
        },
        onEventTime: (time, key, ctx, out) => {
          ctx.deleteEventTimeTimer(time + 1);
          const count = ctx.state(fired);
          count.update(count.value() + 1);
          if (time % 5 === 0) ctx.registerEventTimeTimer(time - 2);
          if (time % 7 === 0 && ctx.currentWatermark() < 1e9) ctx.registerEventTimeTimer(time + 10);
          out.collect(`${key} @${time} w${ctx.currentWatermark()} ${count.value()}`);
        },
        onProcessingTime: (time, key, ctx, out) => {
          ctx.registerEventTimeTimer(time);
          out.collect(`${key} p${time}`);
        },
      })
      .addSink(ignore);
  },
};
