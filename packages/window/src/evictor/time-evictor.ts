import type { Duration, Evictor, TimestampedElement } from '@rs/core';
import { readLength } from '../assigner/limits.ts';
import { describeEvictor, type EvictAny, type EvictorOptions, readAfter } from './options.ts';

/**
 * Keeps the elements of the last `duration` of event time, counted from the newest element of the window and not from
 * the watermark or a clock: an element stays when `timestamp > newest timestamp − duration`. One that is exactly
 * `duration` older than the newest is removed. Elements need not be in the order of their timestamps.
 * Semantics: Flink's `TimeEvictor`.
 */
export class TimeEvictor implements Evictor<unknown> {
  // One of the two is present: engines tell by it when to evict.
  readonly evictBefore?: EvictAny;
  readonly evictAfter?: EvictAny;
  readonly #description: string;

  private constructor(duration: number, after: boolean) {
    const keepRecent: EvictAny = (elements) => {
      const cutoff = newestTimestamp(elements) - duration;
      return elements.filter(({ timestamp }) => timestamp > cutoff);
    };
    if (after) this.evictAfter = keepRecent;
    else this.evictBefore = keepRecent;
    this.#description = describeEvictor('time', duration, after);
  }

  /**
   * @param duration at least 1 ms
   * @throws RsError `RS_INVALID_DURATION` when it is malformed, below 1 ms or above {@link MAX_WINDOW_SIZE};
   *   `RS_INVALID_ARGUMENT` when `after` is no boolean
   */
  static of(duration: Duration, options: EvictorOptions = {}): TimeEvictor {
    const name = 'TimeEvictor.of';
    return new TimeEvictor(readLength(duration, `${name}: duration`), readAfter(options, name));
  }

  describe(): string {
    return this.#description;
  }
}

/** A loop, since a window may hold more elements than a call may have arguments. */
function newestTimestamp(elements: readonly TimestampedElement<unknown>[]): number {
  let newest = -Infinity;
  for (const { timestamp } of elements) newest = Math.max(newest, timestamp);
  return newest;
}
