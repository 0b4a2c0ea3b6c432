import {
  MIN_TIMESTAMP,
  durationToMillis,
  type Duration,
  type WatermarkGenerator,
  type WatermarkOutput,
} from '@rs/core';
import { watermarkFor } from '../watermark-for.ts';

/**
 * For records that come at most `outOfOrderness` after a newer one. The watermark is the highest timestamp −
 * `outOfOrderness` − 1: a larger bound loses fewer records as late and makes every window close that much later.
 *
 * Timestamps are trusted to be valid: whoever assigns them checks them.
 */
export class BoundedOutOfOrdernessWatermarkGenerator<T> implements WatermarkGenerator<T> {
  readonly #outOfOrderness: number;
  #maxTimestamp = MIN_TIMESTAMP;

  /**
   * @param outOfOrderness how late a record may come; parts of a millisecond are cut off
   * @throws RsError `RS_INVALID_DURATION` when it is negative or malformed
   */
  constructor(outOfOrderness: Duration) {
    this.#outOfOrderness = durationToMillis(outOfOrderness, 'outOfOrderness');
  }

  onEvent(_event: T, timestamp: number, _output: WatermarkOutput): void {
    if (timestamp > this.#maxTimestamp) this.#maxTimestamp = timestamp;
  }

  onPeriodicEmit(output: WatermarkOutput): void {
    output.emitWatermark(watermarkFor(this.#maxTimestamp, this.#outOfOrderness));
  }

  fresh(): BoundedOutOfOrdernessWatermarkGenerator<T> {
    return new BoundedOutOfOrdernessWatermarkGenerator(this.#outOfOrderness);
  }

  /** Highest timestamp so far; `-Infinity` before the first record. */
  getMaxTimestamp(): number {
    return this.#maxTimestamp;
  }

  getMaxOutOfOrdernessMillis(): number {
    return this.#outOfOrderness;
  }
}
