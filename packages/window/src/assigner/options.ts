import { type Duration, durationToMillis, RsError, type TimeDomain } from '@rs/core';
import type { Touching } from '../session-merge.ts';

/** Options of {@link TumblingWindow} and {@link SlidingWindow}. */
export interface AlignedWindowOptions {
  /**
   * Moves all window bounds by this much, so that day windows of a place at UTC+8 take `offset: '-8h'`. Milliseconds
   * or a text; may be negative; nearer to 0 than the size (tumbling) or the slide (sliding). Default 0: bounds are
   * multiples of the size or slide counted from 1970-01-01T00:00Z.
   */
  readonly offset?: Duration;
  /**
   * `event`: cut by the records' timestamps and fired by the watermark. `processing`: cut and fired by the engine's
   * clock; results then depend on when records arrive and differ from run to run. Default `event`.
   */
  readonly time?: TimeDomain;
}

/** Options of {@link SessionWindow}. */
export interface SessionWindowOptions {
  /**
   * Whether two elements exactly one gap apart, whose windows only touch, are in two sessions (`separate`) or in one
   * (`merge`, as in Flink). Default `separate`.
   */
  readonly touching?: Touching;
  /** As in {@link AlignedWindowOptions.time}. Default `event`. */
  readonly time?: TimeDomain;
}

/** What applies to options that are not given. */
export const WINDOW_DEFAULTS = Object.freeze({
  offset: 0,
  time: 'event',
  touching: 'separate',
} as const satisfies Required<AlignedWindowOptions & SessionWindowOptions>);

/** @throws RsError `RS_INVALID_ARGUMENT` for anything but a time domain or `undefined` */
export function readTime(time: TimeDomain | undefined, assigner: string): TimeDomain {
  return readChoice(
    time === undefined ? WINDOW_DEFAULTS.time : time,
    ['event', 'processing'],
    `${assigner}: time`,
  );
}

/** @throws RsError `RS_INVALID_ARGUMENT` for anything but `separate`, `merge` or `undefined` */
export function readTouching(touching: Touching | undefined, assigner: string): Touching {
  return readChoice(
    touching === undefined ? WINDOW_DEFAULTS.touching : touching,
    ['separate', 'merge'],
    `${assigner}: touching`,
  );
}

/**
 * @param period the distance between window starts
 * @throws RsError `RS_INVALID_DURATION` when the offset is malformed, `RS_INVALID_ARGUMENT` when it is not nearer to 0
 *   than `period`
 */
export function readOffset(offset: Duration | undefined, period: number, assigner: string): number {
  const millis = signedMillis(offset === undefined ? WINDOW_DEFAULTS.offset : offset, assigner);
  if (Math.abs(millis) >= period) {
    throw new RsError(
      'RS_INVALID_ARGUMENT',
      `${assigner}: offset must lie strictly between -${period} and ${period} ms, got ${millis}; ` +
        `take the remainder of the division by ${period}`,
      { details: { offset: millis, period } },
    );
  }
  return millis;
}

/** Core's durations have no sign; an offset may have one. */
function signedMillis(offset: Duration, assigner: string): number {
  const what = `${assigner}: offset (apart from its sign)`;
  if (typeof offset === 'number' && offset <= 0) return 0 - durationToMillis(0 - offset, what);
  if (typeof offset === 'string' && offset.startsWith('-')) {
    return 0 - durationToMillis(offset.slice(1) as Duration, what);
  }
  return durationToMillis(offset, what);
}

function readChoice<C extends string>(received: C, choices: readonly C[], what: string): C {
  if (!choices.includes(received)) {
    throw new RsError(
      'RS_INVALID_ARGUMENT',
      `${what} must be ${choices.map((choice) => `'${choice}'`).join(' or ')}, got ${String(received)}`,
      { details: { what, received } },
    );
  }
  return received;
}
