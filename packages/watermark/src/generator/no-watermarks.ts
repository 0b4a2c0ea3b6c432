import type { WatermarkGenerator } from '@rs/core';

/** Never emits: event time stands still until the input ends. */
export class NoWatermarkGenerator<T> implements WatermarkGenerator<T> {
  onEvent(): void {}

  onPeriodicEmit(): void {}

  fresh(): NoWatermarkGenerator<T> {
    return new NoWatermarkGenerator();
  }
}
