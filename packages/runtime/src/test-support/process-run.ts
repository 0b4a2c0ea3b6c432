import type { KeyedProcessFunction } from '@rs/core';
import { JobRun, type JobRunOptions } from './job-run.ts';

export type TextFunction = KeyedProcessFunction<string, string, string>;

/** A process operation over texts; what stands before a colon is the key. */
export function processing(fn: TextFunction, options?: JobRunOptions): JobRun<string> {
  return new JobRun<string>(
    (input) => input.keyBy((text) => text.split(':')[0] ?? '').process(fn, { name: 'p' }),
    options,
  );
}

/** Callbacks that only say that they were called. */
export const tell: Pick<TextFunction, 'onEventTime' | 'onProcessingTime'> = {
  onEventTime: (time, key, ctx, out) => out.collect(`et${time} ${key} w${ctx.currentWatermark()}`),
  onProcessingTime: (time, key, ctx, out) => out.collect(`pt${time} ${key} n${ctx.currentProcessingTime()}`),
};
