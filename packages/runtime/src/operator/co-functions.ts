import type { KeyedCoProcessFunction, KeyedProcessFunction } from '@rs/core';
import type { Sided } from './sided.ts';

/** A function of two keyed inputs as one of their records in one stream. */
export function ofBothSides<K, A, B, R>(
  fn: KeyedCoProcessFunction<K, A, B, R>,
): KeyedProcessFunction<K, Sided<A, B>, R> {
  return {
    open: (ctx) => fn.open?.(ctx),
    processElement: (key, { input, value }, ctx, out) =>
      input === 0
        ? fn.processElement1(key, value as A, ctx, out)
        : fn.processElement2(key, value as B, ctx, out),
    // Who registers timers without a callback is told so.
    ...(fn.onEventTime === undefined
      ? {}
      : { onEventTime: (timestamp, key, ctx, out) => fn.onEventTime?.(timestamp, key, ctx, out) }),
    ...(fn.onProcessingTime === undefined
      ? {}
      : { onProcessingTime: (timestamp, key, ctx, out) => fn.onProcessingTime?.(timestamp, key, ctx, out) }),
    ...(fn.onTimerGivenUp === undefined
      ? {}
      : { onTimerGivenUp: (kind, timestamp, key, ctx) => fn.onTimerGivenUp?.(kind, timestamp, key, ctx) }),
    close: () => fn.close?.(),
  };
}
