import { MAX_TIMESTAMP, MIN_TIMESTAMP } from '@rs/core';
import { checkWatermark } from './check-watermark.ts';

/**
 * The statement that nothing with a timestamp ≤ `timestamp` is expected any more, as an immutable value.
 *
 * Per record use plain numbers; `WatermarkOutput.emitWatermark` takes either.
 */
export class Watermark {
  /** Epoch milliseconds, or `-Infinity` (nothing known yet), or `+Infinity` (the input has ended). */
  readonly timestamp: number;

  /** @throws RsError `RS_INVALID_TIMESTAMP` when `timestamp` is neither an integer within ±2^53 nor a sentinel */
  constructor(timestamp: number) {
    this.timestamp = checkWatermark(timestamp, 'Watermark');
    Object.freeze(this);
  }

  /** The watermark of an input that has ended: `+Infinity`. */
  static maxWatermark(): Watermark {
    return new Watermark(MAX_TIMESTAMP);
  }

  /** Negative, 0 or positive as this watermark is before, at or after `other`: fit for `Array.prototype.sort`. */
  compareTo(other: Watermark): -1 | 0 | 1 {
    if (this.timestamp === other.timestamp) return 0;
    return this.timestamp < other.timestamp ? -1 : 1;
  }

  /** True for a watermark with the same timestamp. */
  equals(other: unknown): boolean {
    return other instanceof Watermark && other.timestamp === this.timestamp;
  }

  /** `Watermark(2999)`; the sentinels as they are written outside the process, `-inf` and `+inf`. */
  toString(): string {
    if (this.timestamp === MIN_TIMESTAMP) return 'Watermark(-inf)';
    return this.timestamp === MAX_TIMESTAMP ? 'Watermark(+inf)' : `Watermark(${this.timestamp})`;
  }
}
