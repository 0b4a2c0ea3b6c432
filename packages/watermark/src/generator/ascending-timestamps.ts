import { MIN_TIMESTAMP, type WatermarkGenerator, type WatermarkOutput } from '@rs/core';
import { watermarkFor } from '../watermark-for.ts';

/**
 * For timestamps that never go back within a partition; equal ones may follow each other. The watermark is the highest
 * timestamp − 1, and a record with a lower timestamp than an earlier one counts as late.
 *
 * Timestamps are trusted to be valid: whoever assigns them checks them.
 */
export class AscendingTimestampWatermarkGenerator<T> implements WatermarkGenerator<T> {
  #watermark = MIN_TIMESTAMP;

  onEvent(_event: T, timestamp: number, _output: WatermarkOutput): void {
    if (timestamp > this.#watermark) this.#watermark = watermarkFor(timestamp, 0);
  }

  onPeriodicEmit(output: WatermarkOutput): void {
    output.emitWatermark(this.#watermark);
  }

  fresh(): AscendingTimestampWatermarkGenerator<T> {
    return new AscendingTimestampWatermarkGenerator();
  }

  /** The watermark that the next `onPeriodicEmit` emits; `-Infinity` before the first record. */
  getCurrentWatermark(): number {
    return this.#watermark;
  }
}
