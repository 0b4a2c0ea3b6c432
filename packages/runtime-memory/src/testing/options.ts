import type { Duration, LatenessMode, Logger } from '@rs/core';
import type { ProcessingTimeMode } from '@rs/runtime';

export interface TestDriverOptions {
  /**
   * How many partitions topics have, by name; each an integer of at least 1. With several, `keyBy` sends records from one
   * partition to another, and time is that of the slowest partition that has had a message. Default: 1 for each topic.
   */
  readonly topics?: Readonly<Record<string, number>>;
  /**
   * How many records a task processes before it commits, an integer of at least 1. With more than one, records wait until a
   * batch is full, and what waits is what a crash finds unfinished. Default 1: each record is committed at once.
   */
  readonly batchSize?: number;
  /** Where the clock starts, in epoch milliseconds. Default 0. */
  readonly startTime?: number;
  /**
   * What processing time is. `clock`: the driver's clock, moved by `advanceTime`. `records`: each operator's clock follows
   * the timestamps of its records; the driver's clock then only counts for idleness. Default `clock`.
   */
  readonly processingTime?: ProcessingTimeMode;
  /** How far a message may be behind the newest of its partition, where no strategy says otherwise. Default 0. */
  readonly watermarkOutOfOrderness?: Duration;
  /** How long windows that set nothing themselves are kept after they closed. Default 0. */
  readonly windowAllowedLateness?: Duration;
  /** How those windows fire, see {@link LatenessMode}. Default `refire`. */
  readonly windowLatenessMode?: LatenessMode;
  /** Where warnings go, such as of a function whose `close` fails. Default: lines on stderr. */
  readonly logger?: Logger;
}

export const DEFAULTS = {
  batchSize: 1,
  startTime: 0,
  processingTime: 'clock',
  watermarkOutOfOrderness: 0,
  windowAllowedLateness: 0,
  windowLatenessMode: 'refire',
} as const satisfies TestDriverOptions;
