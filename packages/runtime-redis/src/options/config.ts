import type { Clock, Duration, IdleMode, LatenessMode, Logger } from '@rs/core';
import type { Ids, MessageCodec } from '@rs/mq';
import type { ProcessingTimeMode, Random } from '@rs/runtime';

export interface RetryConfig {
  /** How often a record is tried, the first time included. Default 5. */
  readonly attempts?: number;
  /** Waiting before the second attempt; each further one waits twice as long, a random part of it taken off. Default 1 s. */
  readonly initialBackoff?: Duration;
  /** Longest wait between two attempts. Default 1 min. */
  readonly maxBackoff?: Duration;
}

export interface BatchConfig {
  /** Records of one commit at most, from 1 to 10,000. More make fewer round trips and take longer to be undone. Default 500. */
  readonly records?: number;
  /** Bytes of messages that are read for one commit; a single message may have more. Default 1 MiB. */
  readonly bytes?: number;
}

export interface OutLogConfig {
  /**
   * Bytes of results of one task that may wait for one sink. Beyond it the task reads nothing more until the sink has caught up.
   * Default 16 MiB.
   */
  readonly maxBytes?: number;
}

/** Options of {@link RedisStreamExecutionEnvironment}. What an option leaves out has the default that `RUNTIME_DEFAULTS` shows. */
export interface RedisRuntimeConfig {
  /**
   * Name of the job, `[A-Za-z0-9._-]{1,128}`: its state, positions and members are kept under it. Processes with the same name
   * share one job; another name is another job, which starts from nothing. Default `redis-streaming-job`.
   */
  readonly jobName?: string;
  /** Name of this process, shown as the owner of partitions; it need not be unique. Default: the host's name. */
  readonly jobInstanceId?: string;
  /** What all keys begin with: that of the topics. Default `rs`. */
  readonly prefix?: string;
  /** Codecs besides those of `@rs/mq`, by which messages are read and sent. */
  readonly codecs?: readonly MessageCodec[];

  /** What a task takes on at once. */
  readonly batch?: BatchConfig;
  /** Bytes of state that a task keeps in memory between batches. More spare reads. Default 32 MiB. */
  readonly cacheBytes?: number;
  /**
   * Partitions of a topic that this process works on at the same moment: they are dealt out to as many lines, p modulo n, and
   * those of one line take turns. Default: no limit, since partitions mostly wait for Redis, and functions that wait for something
   * else would hold up the partitions behind them. A limit is for functions that put load on something that bears only so much.
   */
  readonly pipelineParallelism?: number;
  /**
   * Partitions of a topic that this process owns at most. With fewer in all processes together than the topic has, the rest is
   * read by nobody, and `health` says so. Default: its fair share, however many that is.
   */
  readonly maxPartitions?: number;
  /**
   * How long this process may be out of touch (a blocked event loop, a cut network, Redis away) and keep its partitions. A crash is
   * noticed after this time and at most 750 ms more. Default 15 s, from 500 ms.
   */
  readonly lease?: Duration;

  /** What is done about a record whose processing fails: it is tried again in its place, and the partition waits for it. */
  readonly retry?: RetryConfig;
  /**
   * What follows after the retries. `RETRY`: they go on, and the partition waits. `DEAD_LETTER` and `FAIL`: the record becomes a
   * dead letter. Default: what `onPoison` says.
   */
  readonly processingErrorResult?: 'RETRY' | 'DEAD_LETTER' | 'FAIL';
  /**
   * What becomes of a record that fails to the end. `dlq`: it goes to the dead letters of its topic, and the partition goes on.
   * `halt`: the job stops with its error, in every process that comes to it. Default `dlq`.
   */
  readonly onPoison?: 'dlq' | 'halt';
  /**
   * How often a record may be under way when its process dies before it counts as failed to the end. Only records are found out: a timer that ends
   * its process goes on doing so. Default 5.
   */
  readonly maxDeliveries?: number;

  /** Time to live of keyed states that declare no `ttl`, counted for each key from its last write. 0: they live until cleared. Default 0. */
  readonly stateTtl?: Duration;
  /** Hashes that a state of a task is spread over, from 1 to 1024. Fixed when the job starts for the first time. Default 16. */
  readonly keyedStateShardCount?: number;
  /** Writes to a state's hash after which its number of fields is looked at. 0: never. Default 0. */
  readonly stateSizeReportEveryNStateWrites?: number;
  /** Fields of a hash from which it counts as too large. 0: none does. Default 0. */
  readonly keyedStateHotKeyFieldsWarnThreshold?: number;
  /** Time between two warnings about one hash, and for which the policy applies after one. Default 1 min. */
  readonly keyedStateHotKeyWarnInterval?: Duration;
  /**
   * What is done about a hash that is too large, besides a warning. `LOG_ONLY`: nothing. `THROTTLE`: its task waits before
   * each batch of records. `FAIL_FAST`: records that write to it fail. Default `LOG_ONLY`.
   */
  readonly keyedStateHotKeyPolicy?: 'LOG_ONLY' | 'THROTTLE' | 'FAIL_FAST';
  /** How long `THROTTLE` lets a task wait before each batch of records, in milliseconds. Default 200. */
  readonly keyedStateHotKeyThrottleMaxMs?: number;
  /** False: the `schemaVersion` of stored values is not looked at. Default true. */
  readonly stateSchemaEvolutionEnabled?: boolean;
  /**
   * What is done about values of another `schemaVersion` when their state has no `migrate`. `FAIL`: the job does not start; where a
   * state is only known once it runs, since it is declared in `open`, it stops at the first such value. `CLEAR`: there is no value.
   * `IGNORE`: it is read as if it had the present version. Default `FAIL`.
   */
  readonly stateSchemaMismatchPolicy?: 'FAIL' | 'CLEAR' | 'IGNORE';
  /** Only 0, for no limit: timers are kept in Redis, and only those that are due soon in memory. Default 0. */
  readonly eventTimeTimerMaxSize?: number;

  /** How far a message may be behind the newest of its partition without being late, where no strategy says otherwise. Default 0. */
  readonly watermarkOutOfOrderness?: Duration;
  /**
   * Time without a message after which a partition counts as idle, unless a strategy says otherwise. It counts while the job waits at the
   * end of the partition. 0: never does. Default 0.
   */
  readonly watermarkIdleTimeout?: Duration;
  /**
   * What happens then. `advance`: the watermark follows the clock. `hold`: it stays. `flush`: it jumps to the end of time, and the
   * next message begins anew. Default `advance`.
   */
  readonly watermarkIdleMode?: IdleMode;
  /** A message whose time is further ahead of the clock than this does not move the watermark. Default: every message does. */
  readonly maxFutureSkew?: Duration;
  /** How long windows that set nothing themselves are kept after they closed. Default 0. */
  readonly windowAllowedLateness?: Duration;
  /** How those windows fire for late records. Default `refire`. */
  readonly windowLatenessMode?: LatenessMode;
  /** Windows and timers that fire in one commit; what else is due follows in the next ones, before further records. Default 1,000. */
  readonly windowMaxFiresPerRecord?: number;

  /** Results that wait for sinks. */
  readonly outLog?: OutLogConfig;
  /**
   * When results leave for functions and topics; sinks in Redis are written by the commit either way. Default `commit`.
   *
   * `commit`: once the commit that made them is answered. State and topics are exactly once for what the replica that takes over, or the AOF, has
   * got: a failover takes back the rest, also where somebody outside has seen results of it, and what is made of it again may turn out otherwise.
   *
   * `replicated`: once a replica has confirmed that commit as well, so that a failover to it takes back nothing that was delivered. Commits do not
   * wait. Results come later by a round trip to the replica, and the process has one more connection to each server, on a cluster to each
   * slot that it works in. While no replica confirms, results wait, the task goes on until `outLog.maxBytes`, and `health` says so. One replica is enough;
   * where there are several, it has to be the one that takes over. A start without any is refused with `RS_REDIS_CONFIG`.
   */
  readonly deliverAfter?: 'commit' | 'replicated';
  /**
   * What happens when a target topic does not fit the task, since Redis has lost the end of one of them (a failover or a restart): it has
   * results that the task knows nothing of, or lacks some that can no longer be given again. `halt`: the job stops with `RS_LOG_ROLLED_BACK`.
   * `continue`: it goes on, and results may be there twice, or be missing. Default `halt`.
   */
  readonly onRollback?: 'halt' | 'continue';

  /** Refuses to start when an operator that keeps state has no `uid`. Default false: a warning. */
  readonly requireUids?: boolean;
  /**
   * Works also on a Redis that removes keys when its memory is full (`maxmemory-policy` other than `noeviction`), though state
   * can then vanish silently. Default false: refused with `RS_REDIS_CONFIG`.
   */
  readonly allowEviction?: boolean;
  /** How long `close` and `stop` may take unless they are told. Default 10 s. */
  readonly closeTimeout?: Duration;
  /** Where `print`, warnings and what happens to partitions go. Default: warnings and above, and what `print` writes, as lines on stderr. */
  readonly logger?: Logger;
  /**
   * What processing time is. `clock`: the time of Redis, counted on by the monotonic clock of the process; times to live count on it as
   * well, and timers fire when it reaches them. `records`: simulated, each operator's clock follows the timestamps of its records and never goes back, so that a run
   * can be repeated. In both, the timers that are left when a bounded input has ended fire then. Default `clock`.
   */
  readonly processingTime?: ProcessingTimeMode;
  /** What runs with `processingTime: 'records'` begin with, for tests; with `clock` it is not looked at. Default: the machine's. */
  readonly clock?: Clock;
  /** Ids of processes, leases and histories, never the same twice. Default: random ones. */
  readonly ids?: Ids;
  /** Jitter. Default: the machine's randomness. */
  readonly random?: Random;
}

/** Every default of `RedisRuntimeConfig`. */
export const RUNTIME_DEFAULTS = {
  jobName: 'redis-streaming-job',
  prefix: 'rs',
  batch: { records: 500, bytes: 1_048_576 },
  cacheBytes: 33_554_432,
  lease: '15s',
  retry: { attempts: 5, initialBackoff: '1s', maxBackoff: '1m' },
  onPoison: 'dlq',
  maxDeliveries: 5,
  stateTtl: 0,
  keyedStateShardCount: 16,
  stateSizeReportEveryNStateWrites: 0,
  keyedStateHotKeyFieldsWarnThreshold: 0,
  keyedStateHotKeyWarnInterval: '1m',
  keyedStateHotKeyPolicy: 'LOG_ONLY',
  keyedStateHotKeyThrottleMaxMs: 200,
  stateSchemaEvolutionEnabled: true,
  stateSchemaMismatchPolicy: 'FAIL',
  eventTimeTimerMaxSize: 0,
  watermarkOutOfOrderness: 0,
  watermarkIdleTimeout: 0,
  watermarkIdleMode: 'advance',
  windowAllowedLateness: 0,
  windowLatenessMode: 'refire',
  windowMaxFiresPerRecord: 1_000,
  outLog: { maxBytes: 16_777_216 },
  deliverAfter: 'commit',
  onRollback: 'halt',
  processingTime: 'clock',
  requireUids: false,
  allowEviction: false,
  closeTimeout: '10s',
} as const satisfies RedisRuntimeConfig;
