import { type DataStream, outputTag, type StreamEnvironment, valueState } from '@rs/core';
import { WatermarkStrategy } from '@rs/watermark';
import { CountTrigger, SessionWindow, SlidingWindow, TumblingWindow } from '@rs/window';

/** What the jobs read. */
export interface Event {
  readonly key: string;
  readonly time: number;
  readonly amount: number;
}

const strategy = WatermarkStrategy.forBoundedOutOfOrderness<Event>(5).withTimestampAssigner(
  ({ time }) => time,
);
const late = outputTag<Event>('late');
const count = valueState('count', { default: () => 0 });

/** Jobs with state of many kinds; each returns the streams whose records are its results. */
export const EVENT_JOBS: Record<
  string,
  (input: DataStream<Event>, env: StreamEnvironment) => readonly DataStream<unknown>[]
> = {
  'rolling sums': (input) => {
    const keyed = input.keyBy(({ key }) => key);
    return [keyed.sum(({ amount }) => amount), keyed.max(({ amount }) => amount)];
  },
  'windows, sessions and late records': (input) => {
    const keyed = input.assignTimestampsAndWatermarks(strategy).keyBy(({ key }) => key);
    const tumbling = keyed
      .window(TumblingWindow.of(10))
      .sideOutputLateData(late)
      .apply<string>((key, { start }, elements, out) => out.collect(`${key} ${start} ${elements.length}`));
    const sessions = keyed
      .window(SessionWindow.withGap(6))
      .apply<string>((key, { start, end }, elements, out) =>
        out.collect(`${key} ${start}-${end} ${elements.map(({ amount }) => amount).join()}`),
      );
    const counted = keyed.window(SlidingWindow.of(20, 10)).trigger(CountTrigger.of(2)).count();
    return [tumbling, tumbling.getSideOutput(late), sessions, counted];
  },
  'timers, state and a second key': (input) => {
    const processed = input
      .assignTimestampsAndWatermarks(strategy)
      .keyBy(({ key }) => key)
      .process<string>({
        open: (ctx) => void ctx.state(count),
        processElement: (key, { time }, ctx, out) => {
          const counted = ctx.state(count);
          counted.update(counted.value() + 1);
          ctx.registerEventTimeTimer(time + 7);
          ctx.registerProcessingTimeTimer(ctx.currentProcessingTime() + 3);
          out.collect(`${key} ${counted.value()} w${ctx.currentWatermark()}`);
        },
        onEventTime: (time, key, ctx, out) => out.collect(`et ${key}@${time} ${ctx.state(count).value()}`),
        onProcessingTime: (time, key, _ctx, out) => out.collect(`pt ${key}@${time}`),
      });
    return [processed, processed.keyBy((text) => text.length).reduce((a, b) => (a < b ? a : b))];
  },
  'branches that meet again': (input) => {
    const timed = input.assignTimestampsAndWatermarks(strategy);
    const summed = timed
      .keyBy(({ key }) => key)
      .sum(({ amount }) => amount)
      .map((sum) => `sum ${sum}`);
    const all = timed
      .map(({ amount }) => `plain ${amount}`)
      .union(summed)
      .keyBy((text) => text.length)
      .process<string>((key, text, ctx, out) => out.collect(`${key} ${text} w${ctx.currentWatermark()}`));
    return [all];
  },
  'calls under way': (input) => [
    input
      .mapAsync(
        async (event) => {
          for (let turns = 0; turns < event.amount % 4; turns++) await Promise.resolve();
          return event;
        },
        { concurrency: 3 },
      )
      .keyBy(({ key }) => key)
      .sum(({ amount }) => amount),
  ],
};
