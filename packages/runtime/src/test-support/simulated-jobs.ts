import { WatermarkStrategy } from '@rs/watermark';
import { TumblingWindow } from '@rs/window';
import type { HarnessEnvironment, HarnessJob } from '../testing/job-harness.ts';
import type { Event } from './job-catalogue.ts';

export const ignore = () => undefined;
export const strict = WatermarkStrategy.forMonotonousTimestamps<Event>().withTimestampAssigner(
  ({ time }) => time,
);
export const event = (key: string, time: number, amount = 1): Event => ({ key, time, amount });

/** `key@start:count` of windows of 10 ms. */
export const windows: HarnessJob = (env) => {
  env
    .input<Event>()
    .assignTimestampsAndWatermarks(strict)
    .keyBy(({ key }) => key)
    .window(TumblingWindow.of(10))
    .apply<string>((key, window, elements, out) => out.collect(`${key}@${window.start}:${elements.length}`))
    .addSink(ignore);
};

/** What each record says, and once more 5 ms later. */
export function reminders(env: HarnessEnvironment): void {
  env
    .input<Event>()
    .keyBy(({ key }) => key)
    .process<string>({
      processElement: (key, _value, ctx, out) => {
        ctx.registerProcessingTimeTimer(ctx.currentProcessingTime() + 5);
        out.collect(key);
      },
      onProcessingTime: (time, key, _ctx, out) => out.collect(`${key} is due at ${time}`),
    })
    .addSink(ignore);
}
