import type { Duration, RsError, StateDescriptor } from '@rs/core';
import type { CloseOptions, WaitOptions } from '@rs/mq';
import type { StoredStateOf } from '@rs/runtime';
import type { TaskStatus } from '../task/runner.ts';

/** `finished`: all input of a bounded job has been processed, in whatever process. */
export type JobState = 'running' | 'paused' | 'stopping' | 'cancelled' | 'finished' | 'failed';

export interface StopOptions extends CloseOptions, WaitOptions {
  /**
   * True: what has been read is processed and committed, and all results are delivered, before partitions are given back. False: as
   * `cancel`. Default true.
   */
  readonly drain?: boolean;
}

export interface AwaitOptions extends WaitOptions {
  /** How long to wait. Default: for as long as it takes. */
  readonly timeout?: Duration;
}

/** What `cancel`, `close` and `stop` left behind. */
export interface StopReport {
  /** Partitions whose lease may still stand, since Redis has not confirmed that it was given back; it ends by itself. */
  readonly unreleased: number;
  /**
   * True when everything that this process had read is committed, and all results are delivered; `cancel` and `close` do not wait for that, but it
   * may be so. False: the next owner goes on there.
   */
  readonly drained: boolean;
}

export interface JobHealth {
  readonly ok: boolean;
  /** What is wrong, one sentence each; empty when nothing is. */
  readonly reasons: readonly string[];
}

export interface PipelineDiagnostics {
  /** Id of the source. */
  readonly source: string;
  readonly topic: string;
  readonly consumerGroup: string;
  readonly partitions: number;
  /** Partitions that this process owns. */
  readonly owned: readonly number[];
  /** Partitions whose input has ended, in whatever process. */
  readonly ended: readonly number[];
}

/** How the job is doing, as this process sees it. Times are in milliseconds. */
export interface JobDiagnostics {
  readonly jobName: string;
  readonly jobInstanceId: string;
  readonly state: JobState;
  /** Why it failed, for a job that has. */
  readonly error: RsError | undefined;
  readonly health: JobHealth;
  /** Processes of the job, this one included, as they were at the last look. */
  readonly members: readonly string[];
  /** `Infinity`: no limit. */
  readonly pipelineParallelism: number;
  /** Partitions that this process works on at the same moment, as they are now. */
  readonly liveParallelism: number;
  readonly watermarkOutOfOrdernessMs: number;
  readonly windowAllowedLatenessMs: number;
  /** Records that were read and are not committed. */
  readonly inFlight: number;
  readonly runnerCount: number;
  readonly pipelines: readonly PipelineDiagnostics[];
  /** The tasks that this process owns, or had and has no more (`finished`, `ended`): position, lag, watermarks. */
  readonly tasks: readonly TaskStatus[];
}

/** A job that runs in this process, beside other processes of the same job. */
export interface RedisJobClient {
  readonly jobName: string;
  /** Name of this process, followed by a random part of its own. */
  readonly jobInstanceId: string;
  readonly state: JobState;
  /**
   * Ends this process's part: what is being processed is undone, partitions are given back, sinks are closed. Other processes go on, and
   * whoever owns the partitions next goes on where the last commit was. Within `timeout`, `closeTimeout` by default. Idempotent.
   *
   * @throws RsError `RS_INVALID_ARGUMENT`, `RS_INVALID_DURATION`
   */
  cancel(options?: CloseOptions): Promise<StopReport>;
  /** As `cancel`. */
  close(options?: CloseOptions): Promise<StopReport>;
  [Symbol.asyncDispose](): Promise<void>;
  /**
   * As `cancel`, after what has been read is processed and all results are delivered. When that takes longer than four fifths of
   * `timeout`, the rest is undone.
   *
   * A `signal` ends the waiting, and stopping goes on, also with one that is aborted already. Awaited in a function or a sink of the job itself, it
   * waits for its own end, so until the time is up.
   *
   * @throws RsError as `cancel`; the reason of the signal
   */
  stop(options?: StopOptions): Promise<StopReport>;
  /** Reads and fires nothing more until `resume`; partitions stay with this process. */
  pause(): void;
  resume(): void;
  /** Records that this process has read and not committed. */
  inFlight(): number;
  diagnostics(): JobDiagnostics;
  health(): JobHealth;
  /**
   * Waits until the job has ended in this process: it has finished, was cancelled or stopped. A job that has finished keeps a
   * connection, for `queryState`, until it is closed.
   *
   * @returns false when the time is up before
   * @throws RsError why the job failed; the reason of the signal; `RS_INVALID_ARGUMENT`, `RS_INVALID_DURATION`
   */
  awaitTermination(timeout?: Duration | AwaitOptions): Promise<boolean>;
  /**
   * Waits until each partition of the job has an owner somewhere, and this process works on those that it has.
   *
   * @throws RsError why the job failed; `RS_CLOSED` when it ends before; the reason of the signal
   */
  ready(options?: WaitOptions): Promise<void>;
  /**
   * Reads what is committed of one key, in whatever process its partition is: a value, or `undefined` where there is none; a collection;
   * the result of an aggregate. What has expired is not there.
   *
   * @param uid id of the operator that declares the state: of the `keyBy`, or of the `process` that declares it in `open`
   * @param state the descriptor by which the job declares it
   * @param key the key of the stream
   * @throws RsError `RS_INVALID_ARGUMENT` for a uid that the job has not, and a state of another kind; `RS_STATE_UNDECLARED`;
   *   `RS_INVALID_KEY`, `RS_INVALID_VALUE`; `RS_CLOSED`; what the client throws
   */
  queryState<D extends StateDescriptor>(
    uid: string,
    state: D,
    key: unknown,
    options?: WaitOptions,
  ): Promise<StoredStateOf<D>>;
}
