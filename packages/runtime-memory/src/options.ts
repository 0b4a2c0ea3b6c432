import type { Clock, Duration, LatenessMode, Logger } from '@rs/core';
import type { ProcessingTimeMode, Scheduler } from '@rs/runtime';

export interface MemoryEnvironmentOptions {
  /**
   * `true`: `addSink`, `print` and iteration run their pipeline at once, for pipelines in which nothing is asynchronous.
   * `false`: sinks are kept and `executeAsync()` runs them all in one pass. Default `true`.
   */
  readonly eager?: boolean;
  /**
   * What processing time is. `records`: simulated, each operator's clock follows the timestamps of its records, so that a
   * run can be repeated; all timers fire at the end. `clock`: the real time; only for `executeAsync`. Default `records`.
   */
  readonly processingTime?: ProcessingTimeMode;
  /** Where `print` and warnings go. Default: lines on stderr, warnings and above, and what `print` writes. */
  readonly logger?: Logger;
  /** How long windows that set nothing themselves are kept after they closed. Default 0. */
  readonly windowAllowedLateness?: Duration;
  /** Default `refire`. */
  readonly windowLatenessMode?: LatenessMode;
  /** How long sources and sinks may take to close at the end of `executeAsync`. Default 5 s. */
  readonly closeTimeout?: Duration;
  /** The machine's, unless a test moves it by hand. */
  readonly clock?: Clock;
  /** Waits for the clock; goes with `clock`. */
  readonly scheduler?: Scheduler;
}

export const DEFAULTS = {
  eager: true,
  processingTime: 'records',
  windowAllowedLateness: 0,
  windowLatenessMode: 'refire',
  closeTimeout: '5s',
} as const satisfies MemoryEnvironmentOptions;

export interface ExecuteOptions {
  /** Cancels the run; `executeAsync` then resolves with status `cancelled`. */
  readonly signal?: AbortSignal;
}

export interface JobResult {
  readonly status: 'finished' | 'cancelled';
  readonly metrics: JobMetrics;
}

export interface JobMetrics {
  /** Records that were late for all of their windows, by operator id and in total. */
  readonly lateRecords: number;
  readonly lateRecordsByOperator: Readonly<Record<string, number>>;
}
