export { Watermark } from './watermark.ts';
export { checkWatermark } from './check-watermark.ts';
export { watermarkFor } from './watermark-for.ts';
export { AscendingTimestampWatermarkGenerator } from './generator/ascending-timestamps.ts';
export { BoundedOutOfOrdernessWatermarkGenerator } from './generator/bounded-out-of-orderness.ts';
export { WatermarkStrategy } from './strategy/watermark-strategy.ts';
export { MultiInputWatermarkTracker } from './input/multi-input-watermark-tracker.ts';
export { IdleTracker, type IdleDecision } from './idleness/idle-tracker.ts';
export type { IdlenessOptions } from './idleness/idleness.ts';
