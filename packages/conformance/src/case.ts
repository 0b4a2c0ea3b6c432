import type { DataStream, Duration, ErrorCode, LatenessMode, Message, StreamEnvironment } from '@rs/core';
import type { Outcome } from './outcome.ts';

/** What a case is about: the word that `--only` finds all cases of a kind by. */
export type Area =
  | 'stateless'
  | 'keyed'
  | 'state'
  | 'timers'
  | 'time'
  | 'windows'
  | 'triggers'
  | 'evictors'
  | 'lateness'
  | 'several inputs'
  | 'async'
  | 'exchange'
  | 'patterns'
  | 'random';

/** A message of the input. */
export interface InputMessage {
  readonly topic: string;
  readonly key?: string;
  readonly value: unknown;
  readonly timestamp: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: that of the key; without a key they take turns. */
  readonly partition?: number;
}

/** Ends a stream in the sink of this name, whose uid it is. */
export type SinkTo = <T>(name: string, stream: DataStream<T>) => void;

/** Values by name of sink. */
export type ExpectedSinks = Readonly<Record<string, readonly unknown[]>>;

/** Defaults of windows and topics that the engine is configured with. */
export interface Settings {
  readonly windowAllowedLateness?: Duration;
  readonly windowLatenessMode?: LatenessMode;
  readonly watermarkOutOfOrderness?: Duration;
}

/**
 * One partition, where the order of results is as fixed as their values; and four, where only that of the results of one
 * partition is. For cases in which no order between partitions makes a record late, or changes any other result.
 */
export const ANY_PARTITIONING: readonly number[] = [1, 4];

/**
 * A job, its input, and what must come out, on every engine.
 *
 * The job reads its topics with `until: 'now'`, so that it ends, and uses nothing else: no clock, no random number, no
 * state outside of the engine's. Processing time is that of the records.
 */
export interface ConformanceCase {
  readonly name: string;
  readonly area: Area;
  /** In the order in which it is sent. Topics are created as they are named here. */
  readonly input: readonly InputMessage[];
  /** Topics that are read and get no message, or that have as many partitions in every run. Default: see {@link partitions}. */
  readonly topics?: Readonly<Record<string, number | undefined>>;
  /** A run for each of these numbers: that of the partitions of every topic. Default: one. */
  readonly partitions?: readonly number[];
  /** Default: none. */
  readonly settings?: Settings;
  /** True for a job that needs an engine which can wait for promises. */
  readonly async?: boolean;
  readonly define: (env: StreamEnvironment, sink: SinkTo) => void;
  /**
   * What the sinks must get, derived by hand from the documented semantics, never copied from a run. With one partition in
   * all, in this order; with more, in any order but for {@link keyOf}. A function is a model that does without an engine.
   * `agreement`: too much for either, but all engines must agree.
   */
  readonly expected: ExpectedSinks | ((input: readonly Message<unknown>[]) => Outcome) | 'agreement';
  /** Late records by uid of their operator. Default: none. */
  readonly late?: Readonly<Record<string, number>>;
  /** True where the order of the results is the engine's matter, on one partition too. */
  readonly anyOrder?: boolean;
  /** Results with equal texts keep their order on any number of partitions. Default: none do. */
  readonly keyOf?: (result: unknown) => string;
  /** The job must fail with this code; then what it emitted before is not compared. */
  readonly fails?: ErrorCode;
}
