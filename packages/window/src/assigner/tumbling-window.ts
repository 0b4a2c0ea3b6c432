import {
  type AlignedWindows,
  checkObject,
  type Duration,
  type TimeDomain,
  type Trigger,
  type WindowAssigner,
} from '@rs/core';
import type { TimeWindow } from '../time-window.ts';
import { AlignedGrid, windowsOnGrid } from './aligned-grid.ts';
import { defaultTrigger } from './default-trigger.ts';
import { describeAssigner } from './describe.ts';
import { readLength } from './limits.ts';
import { type AlignedWindowOptions, readOffset, readTime } from './options.ts';

/**
 * Windows of one size that follow each other without gap or overlap: each element is in exactly one,
 * `start = ts − floorMod(ts − offset, size)`.
 *
 * ```ts
 * orders.keyBy((o) => o.customer).window(TumblingWindow.of('1h'));
 * orders.keyBy((o) => o.customer).window(TumblingWindow.of('1d', { offset: '-8h' })); // days at UTC+8
 * ```
 */
export class TumblingWindow implements WindowAssigner<unknown> {
  readonly timeDomain: TimeDomain;
  readonly aligned: AlignedWindows;
  readonly #description: string;

  private constructor(size: number, offset: number, timeDomain: TimeDomain) {
    this.#description = describeAssigner('tumbling', [size], { time: timeDomain, offset });
    this.aligned = new AlignedGrid(size, size, offset, this.#description);
    this.timeDomain = timeDomain;
  }

  /**
   * @param size length of a window, at least 1 ms
   * @throws RsError `RS_INVALID_DURATION` when size or offset is malformed, or the size is below 1 ms or above
   *   {@link MAX_WINDOW_SIZE}; `RS_INVALID_ARGUMENT` when the offset is not nearer to 0 than the size, or an option has
   *   another value than those listed
   */
  static of(size: Duration, options: AlignedWindowOptions = {}): TumblingWindow {
    const name = 'TumblingWindow.of';
    checkObject(options, `${name}: options`);
    const millis = readLength(size, `${name}: size`);
    return new TumblingWindow(millis, readOffset(options.offset, millis, name), readTime(options.time, name));
  }

  /** @throws RsError `RS_INVALID_TIMESTAMP` when the bounds would be no exact numbers (near ±2^53) */
  assignWindows(_element: unknown, timestamp: number): readonly TimeWindow[] {
    return windowsOnGrid(this.aligned, timestamp);
  }

  getDefaultTrigger(): Trigger<unknown> {
    return defaultTrigger(this.timeDomain);
  }

  supportsWindowMerging(): boolean {
    return false;
  }

  describe(): string {
    return this.#description;
  }
}
