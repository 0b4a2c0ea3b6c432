/** A watermark: nothing with a timestamp ≤ it is expected any more. As plain milliseconds or as a value object. */
export type WatermarkValue = number | { readonly timestamp: number };

/** Where a generator reports to. */
export interface WatermarkOutput {
  /** Raises the watermark; a value that is not above the current one is ignored. Raising it also ends idleness. */
  emitWatermark(watermark: WatermarkValue): void;
  /** The source is quiet: leave it out where several inputs meet. Does not move the watermark. */
  markIdle(): void;
  /** The source is back. Does not move the watermark. */
  markActive(): void;
}

/**
 * Derives watermarks from the records of one partition. Stateful: one instance per partition and run.
 *
 * After a crash or a failed batch a new generator starts, without history: only the watermark that was emitted last is
 * kept, and it never falls. So derive watermarks from maxima, such as the highest timestamp seen; they are then the same
 * with and without the crash. Those of a generator that counts records depend on where batches are cut.
 */
export interface WatermarkGenerator<T> {
  /** Called for each record, before it is processed, with its event time. */
  onEvent(event: T, timestamp: number, output: WatermarkOutput): void;
  /** Called after `onEvent` for each record. */
  onPeriodicEmit(output: WatermarkOutput): void;
  /**
   * A new generator with the same settings and no history. Without it, an instance given to a stream can serve
   * one partition of one run; pass a factory or a `WatermarkStrategy` otherwise.
   */
  fresh?(): WatermarkGenerator<T>;
}

/** Reads a record's event time in epoch milliseconds; `recordTimestamp` is the time it carries so far. */
export type TimestampAssigner<T> = (element: T, recordTimestamp: number) => number;

export type IdleMode = 'advance' | 'hold' | 'flush';

/** What to do when a partition stays quiet. */
export interface Idleness {
  /** Milliseconds without a record after which the partition counts as idle. */
  readonly timeout: number;
  /**
   * `advance`: the watermark follows the clock; `hold`: it stays, the partition is left out of minima;
   * `flush`: it jumps to the end of time and the next record starts anew.
   */
  readonly mode: IdleMode;
}

/** How a stream gets event times and watermarks; `WatermarkStrategy` of @rs/watermark is the usual way to make one. */
export interface TimestampsAndWatermarks<T> {
  createWatermarkGenerator(): WatermarkGenerator<T>;
  extractTimestamp(event: T, recordTimestamp: number): number;
  readonly idleness: Idleness | undefined;
}
