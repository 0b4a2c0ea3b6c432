import type { Clock, IdleMode, LatenessMode, Logger } from '@rs/core';
import type { Codecs, Ids, LeaseTimes, Timers } from '@rs/mq';
import type { ProcessingTimeMode, Random, Scheduler } from '@rs/runtime';

/** What becomes of a record that still fails after its attempts. `retry`: it is tried for ever, and the partition waits. */
export type OnPoison = 'dlq' | 'halt' | 'retry';

/** What reading a value of another schema version does when nothing can turn it into the present form. */
export type SchemaMismatch = 'fail' | 'clear' | 'ignore';

export interface RetrySettings {
  /** How often a record is tried in one place, the first time included. */
  readonly attempts: number;
  readonly initialBackoff: number;
  readonly maxBackoff: number;
}

/** What is done about a hash of keyed state that has grown large. */
export interface HotKeySettings {
  /** Writes to a hash after which its size is looked at; 0: never. */
  readonly everyWrites: number;
  /** Fields of a hash from which it counts as too large; 0: none does. */
  readonly fields: number;
  /** Milliseconds between two warnings about one hash, and for which the policy applies after one. */
  readonly interval: number;
  readonly policy: 'LOG_ONLY' | 'THROTTLE' | 'FAIL_FAST';
  /** Milliseconds that `THROTTLE` waits before each batch of records. */
  readonly throttle: number;
}

/** How time passes where a topic's own watermarks are used, and where a strategy says nothing. In milliseconds. */
export interface WatermarkSettings {
  readonly outOfOrderness: number;
  /** `undefined`: a quiet partition is waited for. */
  readonly idleTimeout: number | undefined;
  readonly idleMode: IdleMode;
  /** How far the time of a message may be ahead of the clock; `undefined`: as far as it likes. */
  readonly maxFutureSkew: number | undefined;
}

/** `RedisRuntimeConfig`, checked and complete. Times are in milliseconds, sizes in bytes. */
export interface RuntimeSettings {
  readonly jobName: string;
  /** Name of this process among those of the job, for people. */
  readonly instance: string;
  readonly prefix: string;

  readonly batch: { readonly records: number; readonly bytes: number };
  /** Of one task. */
  readonly cacheBytes: number;
  readonly retry: RetrySettings;
  readonly onPoison: OnPoison;
  /** How often a record may have been under way when its process died before it counts as poison. */
  readonly maxDeliveries: number;
  /** Timers and windows that fire in one commit. */
  readonly maxFires: number;
  /** Timers of a queue that are read at once. */
  readonly timerPage: number;
  /** Of one sink of a task: what may wait to be delivered before the task waits for it. */
  readonly outLog: { readonly maxBytes: number };
  /** What has to have a commit before its results leave the slot. */
  readonly deliverAfter: 'commit' | 'replicated';
  /** What is done when a target has results that the task does not remember. */
  readonly onRollback: 'halt' | 'continue';

  readonly stateShards: number;
  /** Time to live of states that declare none. */
  readonly stateTtl: number | undefined;
  readonly schemaMismatch: SchemaMismatch;
  readonly hotKeys: HotKeySettings;

  readonly watermark: WatermarkSettings;
  readonly windowAllowedLateness: number;
  readonly windowLatenessMode: LatenessMode;

  readonly lease: LeaseTimes;
  /** Milliseconds between two looks at the other members. */
  readonly heartbeat: number;
  /** Milliseconds that a read blocks which waits for new entries. */
  readonly block: number;
  /** Partitions of a topic that this process works on at the same moment; `Infinity`: all that it owns. */
  readonly parallelism: number;
  /** Partitions of a topic that this process owns at most. */
  readonly maxPartitions: number;
  readonly requireUids: boolean;
  readonly allowEviction: boolean;
  readonly closeTimeout: number;

  readonly processingTime: ProcessingTimeMode;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly timers: Timers;
  readonly random: Random;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly codecs: Codecs;
}
