import { checkObject, type Duration, type TimeDomain, type Trigger, type WindowAssigner } from '@rs/core';
import type { Touching } from '../session-merge.ts';
import { TimeWindow } from '../time-window.ts';
import { defaultTrigger } from './default-trigger.ts';
import { describeAssigner } from './describe.ts';
import { readLength, timestampOutOfRange } from './limits.ts';
import { readTime, readTouching, type SessionWindowOptions } from './options.ts';

/**
 * Windows that last as long as elements of a key keep coming: each element opens `[ts, ts + gap)`, and windows of one
 * key that overlap become one. A session ends `gap` after its last element.
 *
 * An aggregate over sessions needs `merge`, since a late element can join two sessions into one.
 *
 * ```ts
 * clicks.keyBy((c) => c.visitor).window(SessionWindow.withGap('30m')).count();
 * ```
 */
export class SessionWindow implements WindowAssigner<unknown> {
  readonly timeDomain: TimeDomain;
  readonly touching: Touching;
  readonly #gap: number;
  readonly #description: string;

  private constructor(gap: number, touching: Touching, timeDomain: TimeDomain) {
    this.#gap = gap;
    this.#description = describeAssigner('session', [gap], { time: timeDomain, touching });
    this.touching = touching;
    this.timeDomain = timeDomain;
  }

  /**
   * @param gap how long a key must be silent for its session to end, at least 1 ms
   * @throws RsError `RS_INVALID_DURATION` when the gap is malformed, below 1 ms or above {@link MAX_WINDOW_SIZE};
   *   `RS_INVALID_ARGUMENT` when an option has another value than those listed
   */
  static withGap(gap: Duration, options: SessionWindowOptions = {}): SessionWindow {
    const name = 'SessionWindow.withGap';
    checkObject(options, `${name}: options`);
    const millis = readLength(gap, `${name}: gap`);
    return new SessionWindow(millis, readTouching(options.touching, name), readTime(options.time, name));
  }

  /**
   * The window of the element alone; the engine merges it with the sessions of the key.
   *
   * @throws RsError `RS_INVALID_TIMESTAMP` when the bounds would be no exact numbers (near ±2^53)
   */
  assignWindows(_element: unknown, timestamp: number): readonly TimeWindow[] {
    if (!Number.isSafeInteger(timestamp) || timestamp > Number.MAX_SAFE_INTEGER - this.#gap) {
      throw timestampOutOfRange(timestamp, this.#description);
    }
    return [new TimeWindow(timestamp, timestamp + this.#gap)];
  }

  getDefaultTrigger(): Trigger<unknown> {
    return defaultTrigger(this.timeDomain);
  }

  supportsWindowMerging(): boolean {
    return true;
  }

  describe(): string {
    return this.#description;
  }
}
