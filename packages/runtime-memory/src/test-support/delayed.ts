import type { KeyedProcessFunction } from '@rs/core';

/** Emits each element, and asks for a timer `delay` later. */
export function delayed(delay: number): KeyedProcessFunction<string, string, string> {
  return {
    processElement(_key, value, ctx, out) {
      out.collect(value);
      ctx.registerProcessingTimeTimer(ctx.currentProcessingTime() + delay);
    },
    onProcessingTime(time, key, ctx, out) {
      out.collect(`${key} fired ${time} at ${ctx.currentProcessingTime()}`);
    },
  };
}
