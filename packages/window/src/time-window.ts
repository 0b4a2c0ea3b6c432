import { RsError, type Window } from '@rs/core';

/** A span of time `[start, end)` in epoch milliseconds: `start` belongs to it, `end` does not. Immutable. */
export class TimeWindow implements Window {
  readonly start: number;
  readonly end: number;

  /**
   * @throws RsError `RS_INVALID_ARGUMENT` when a bound is not an integer within ±2^53, or when `end <= start`
   */
  constructor(start: number, end: number) {
    if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || end <= start) {
      throw new RsError(
        'RS_INVALID_ARGUMENT',
        `a window needs integers start < end of epoch milliseconds, got start ${String(start)} and end ${String(end)}`,
        { details: { start, end } },
      );
    }
    // Adding 0 turns -0 into 0. Bounds become parts of keys, where the two would be different windows.
    this.start = start + 0;
    this.end = end + 0;
  }

  /** Length in milliseconds. */
  get size(): number {
    return this.end - this.start;
  }

  /** The last millisecond that belongs to the window, `end − 1`: the timestamp of its results. */
  maxTimestamp(): number {
    return this.end - 1;
  }

  contains(timestamp: number): boolean {
    return this.start <= timestamp && timestamp < this.end;
  }

  equals(other: Window): boolean {
    return this.start === other.start && this.end === other.end;
  }

  /** Such as `[0,1000)`. */
  toString(): string {
    return `[${this.start},${this.end})`;
  }

  /** The smallest window that contains both; they need not overlap. */
  static cover(a: Window, b: Window): TimeWindow {
    return new TimeWindow(Math.min(a.start, b.start), Math.max(a.end, b.end));
  }

  /** True when some millisecond belongs to both. Windows that only touch, as `[0,5)` and `[5,9)`, do not intersect. */
  static intersects(a: Window, b: Window): boolean {
    return a.start < b.end && b.start < a.end;
  }

  /** True when the two intersect or the one starts where the other ends. */
  static intersectsOrTouches(a: Window, b: Window): boolean {
    return a.start <= b.end && b.start <= a.end;
  }
}
