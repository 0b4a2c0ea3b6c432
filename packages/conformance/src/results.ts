import type { DataStream, Window, WindowFunction } from '@rs/core';
import type { Event } from './input.ts';

/** As windows are written: `[0,10)`. */
export function bounds({ start, end }: Window): string {
  return `[${start},${end})`;
}

/** A window as `a [0,10): 5 1`, with the amounts of its elements in the order of their arrival. */
export const contents: WindowFunction<string, Event, string> = (key, window, elements, out) =>
  out.collect(`${key} ${bounds(window)}: ${elements.map(({ amount }) => amount).join(' ')}`);

/** The values with their timestamps, as `value @ 9`. */
export function stamped(stream: DataStream<string | number>): DataStream<string> {
  return stream
    .keyBy(() => 0)
    .process<string>((_key, value, ctx, out) => out.collect(`${value} @ ${ctx.currentEventTime()}`));
}

/** The first word of a result, which is its key in most cases. */
export function firstWord(result: unknown): string {
  return String(result).split(' ', 1)[0] ?? '';
}
