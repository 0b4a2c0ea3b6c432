import { outputTag } from '@rs/core';
import { WatermarkStrategy } from '@rs/watermark';
import { TumblingWindow } from '@rs/window';
import type { HarnessEnvironment, HarnessJob } from '../testing/job-harness.ts';
import type { Event } from './job-catalogue.ts';

const ignore = () => undefined;
const side = outputTag<Event>('side');

const inputs = (env: HarnessEnvironment) => [env.input<Event>('left'), env.input<Event>('right')] as const;

/** Sets three timers, and says when they fire. */
function reminders(stream: ReturnType<HarnessEnvironment['input']>, wait = 0) {
  return (stream as ReturnType<typeof inputs>[0])
    .keyBy(({ key }) => key)
    .process<Event>({
      processElement: (_key, _event, ctx) => {
        for (const after of [1, 3, 8]) ctx.registerEventTimeTimer(ctx.currentEventTime() + after + wait);
      },
      onEventTime: (time, key, ctx, out) => {
        out.collect({ key, time, amount: Math.min(99, ctx.currentWatermark()) });
        ctx.output(side, { key: 'side', time, amount: 0 });
      },
    });
}

function windows(stream: ReturnType<typeof inputs>[0], size: number) {
  return stream
    .keyBy(({ key }) => key)
    .window(TumblingWindow.of(size))
    .apply<string>((key, { start }, elements, out) =>
      out.collect(`${key} ${start} ${elements.map(({ amount }) => amount).join()}`),
    );
}

/** Jobs of two sources that bring watermarks and say when they are quiet. */
export const RAW_TIME_JOBS: Record<string, HarnessJob> = {
  'a union that several read': (env) => {
    const [left, right] = inputs(env);
    const both = left.union(right);
    const first = reminders(both);
    const second = reminders(both, 1);
    windows(first, 5).addSink(ignore);
    windows(both, 4).addSink(ignore);
    windows(second.union(first), 6).addSink(ignore);
    windows(first.getSideOutput(side).union(both), 6).addSink(ignore);
  },
  'connected streams': (env) => {
    const [left, right] = inputs(env);
    const connected = left
      .keyBy(({ key }) => key)
      .connect(right.keyBy(({ key }) => key))
      .process<Event>({
        processElement1: (_key, event, ctx, out) => {
          ctx.registerEventTimeTimer(ctx.currentEventTime() + 2);
          out.collect({ ...event, amount: 1 });
        },
        processElement2: (_key, event, ctx, out) => {
          ctx.registerEventTimeTimer(ctx.currentEventTime() + 4);
          out.collect({ ...event, amount: 2 });
        },
        onEventTime: (time, key, _ctx, out) => out.collect({ key, time, amount: 3 }),
      });
    windows(connected, 5).addSink(ignore);
    windows(reminders(left).union(connected, right), 7).addSink(ignore);
  },
  'a union behind timers, and one that hears of nothing but idleness from there': (env) => {
    const [left, right] = inputs(env);
    const strategy = WatermarkStrategy.forBoundedOutOfOrderness<Event>(2).withTimestampAssigner(
      ({ time }) => time,
    );
    const timed = reminders(left.union(right)).assignTimestampsAndWatermarks(strategy);
    windows(timed.union(right), 5).addSink(ignore);
    windows(reminders(timed.union(left)), 3).addSink(ignore);
    windows(timed.union(right, reminders(left)), 4).addSink(ignore);
  },
};
