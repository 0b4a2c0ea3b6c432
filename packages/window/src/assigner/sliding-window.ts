import {
  type AlignedWindows,
  checkObject,
  type Duration,
  RsError,
  type TimeDomain,
  type Trigger,
  type WindowAssigner,
} from '@rs/core';
import type { TimeWindow } from '../time-window.ts';
import { AlignedGrid, windowsOnGrid } from './aligned-grid.ts';
import { defaultTrigger } from './default-trigger.ts';
import { describeAssigner } from './describe.ts';
import { readLength, MAX_WINDOWS_PER_ELEMENT } from './limits.ts';
import { type AlignedWindowOptions, readOffset, readTime } from './options.ts';

/**
 * Windows of one size that start every `slide` milliseconds. With `slide < size` they overlap and an element is in
 * several (`size / slide`, rounded up or down); with `slide > size` they leave gaps, and an element in a gap is in none
 * and counts nowhere.
 *
 * ```ts
 * // every 10 s the number of the last minute
 * clicks.keyBy((c) => c.page).window(SlidingWindow.of('1m', '10s')).count();
 * ```
 */
export class SlidingWindow implements WindowAssigner<unknown> {
  readonly timeDomain: TimeDomain;
  readonly aligned: AlignedWindows;
  readonly #description: string;

  private constructor(size: number, slide: number, offset: number, timeDomain: TimeDomain) {
    this.#description = describeAssigner('sliding', [size, slide], { time: timeDomain, offset });
    this.aligned = new AlignedGrid(size, slide, offset, this.#description);
    this.timeDomain = timeDomain;
  }

  /**
   * @param size length of a window, at least 1 ms
   * @param slide distance between the starts of two windows, at least 1 ms
   * @throws RsError `RS_INVALID_DURATION` when size, slide or offset is malformed, or size or slide is below 1 ms or
   *   above {@link MAX_WINDOW_SIZE}; `RS_INVALID_ARGUMENT` when an element would be in more than
   *   {@link MAX_WINDOWS_PER_ELEMENT} windows, when the offset is not nearer to 0 than the slide, or an option has
   *   another value than those listed
   */
  static of(size: Duration, slide: Duration, options: AlignedWindowOptions = {}): SlidingWindow {
    const name = 'SlidingWindow.of';
    checkObject(options, `${name}: options`);
    const sizeMillis = readLength(size, `${name}: size`);
    const slideMillis = readLength(slide, `${name}: slide`);
    checkRatio(sizeMillis, slideMillis, name);
    const offset = readOffset(options.offset, slideMillis, name);
    return new SlidingWindow(sizeMillis, slideMillis, offset, readTime(options.time, name));
  }

  /**
   * Newest start first.
   *
   * @throws RsError `RS_INVALID_TIMESTAMP` when the bounds would be no exact numbers (near ±2^53)
   */
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

function checkRatio(size: number, slide: number, name: string): void {
  const windows = Math.ceil(size / slide);
  if (windows > MAX_WINDOWS_PER_ELEMENT) {
    throw new RsError(
      'RS_INVALID_ARGUMENT',
      `${name}: with size ${size} ms and slide ${slide} ms each element is in ${windows} windows, more than ` +
        `${MAX_WINDOWS_PER_ELEMENT}; take a longer slide`,
      { details: { size, slide, windows } },
    );
  }
}
