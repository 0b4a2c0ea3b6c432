import type { Clock, Duration, LatenessMode, Logger } from '@rs/core';
import type { ProcessingTimeMode, Scheduler } from '@rs/runtime';
import type { MemoryTopics } from './topic/memory-topics.ts';

export interface MemoryEnvironmentOptions {
  /**
   * `true`: `addSink`, `print` and iteration run their pipeline at once, for pipelines in which nothing is asynchronous.
   * `false`: sinks are kept and `executeAsync()` runs them all in one pass. Default `true`.
   */
  readonly eager?: boolean;
  /**
   * What processing time is. `records`: simulated, each operator's clock follows the timestamps of its records and never
   * goes back, so that a run can be repeated. `clock`: the time of {@link MemoryEnvironmentOptions.clock}; timers fire
   * when it reaches them, also while no record comes. The time to live of states counts on it as well.
   *
   * In both, the timers that are left when the input has ended fire then, without waiting for their time. An eager run
   * cannot wait at all: with `clock` it reads the time, but all of its processing-time timers and windows fire at the
   * end. Default `records`.
   */
  readonly processingTime?: ProcessingTimeMode;
  /** Where `print` and warnings go. Default: lines on stderr, warnings and above, and what `print` writes. */
  readonly logger?: Logger;
  /** How long windows that set nothing themselves are kept after they closed. Default 0. */
  readonly windowAllowedLateness?: Duration;
  /** How those windows fire, see {@link LatenessMode}. Default `refire`. */
  readonly windowLatenessMode?: LatenessMode;
  /**
   * How far a message may be behind the newest of its partition without being late, where no strategy says otherwise: a
   * topic's watermark is the largest message time − this − 1. More loses fewer messages and closes windows later. Default 0.
   */
  readonly watermarkOutOfOrderness?: Duration;
  /**
   * The topics that `fromTopic` and `fromMqTopic` read. Give the same to several environments that share them. Default:
   * topics of the environment's own, of which there are none at first; see `env.topics`.
   */
  readonly topics?: MemoryTopics;
  /**
   * How long the sources together, and then the sinks together, may take to close at the end of `executeAsync`; when the
   * run has failed or was cancelled, before that also how long transactions of sinks, a checkpoint that is being stored and
   * a storage that is being opened may take to end. What takes longer is left behind with a warning; no other run uses the
   * storage of checkpoints until it has ended. Default 5 s.
   */
  readonly closeTimeout?: Duration;
  /** The machine's, unless a test moves it by hand. Idleness counts on it in either mode. */
  readonly clock?: Clock;
  /** Waits for the clock; give it together with `clock`. Default: the timers of Node.js. */
  readonly scheduler?: Scheduler;
}

export const DEFAULTS = {
  eager: true,
  processingTime: 'records',
  windowAllowedLateness: 0,
  windowLatenessMode: 'refire',
  watermarkOutOfOrderness: 0,
  closeTimeout: '5s',
} as const satisfies MemoryEnvironmentOptions;

export interface ExecuteOptions {
  /** Cancels the run; `executeAsync` then resolves with status `cancelled`. Default: nothing cancels it. */
  readonly signal?: AbortSignal;
}

export interface JobResult {
  /** `cancelled`: the signal came before the last source had ended and everything it sent was processed. */
  readonly status: 'finished' | 'cancelled';
  readonly metrics: JobMetrics;
}

export interface JobMetrics {
  /** Records that were late: for all of their windows, or by the word of a function (`ctx.reportLate`). */
  readonly lateRecords: number;
  /** The same by operator id, which is the `uid` where one was given. */
  readonly lateRecordsByOperator: Readonly<Record<string, number>>;
}
