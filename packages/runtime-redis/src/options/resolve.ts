import {
  checkName,
  checkObject,
  type Duration,
  durationToMillis,
  positiveDurationToMillis,
  RsError,
  systemClock,
} from '@rs/core';
import {
  checkChoice,
  checkFunction,
  checkKnown,
  checkLogger,
  checkPositiveInteger,
  codecsOf,
  guardedLogger,
  hostName,
  leaseTimes,
  refused,
  systemIds,
  systemTimers,
} from '@rs/mq';
import { checkPrefix } from '@rs/redis';
import { checkMethods, consoleLogger, systemRandom, systemScheduler } from '@rs/runtime';

import { type RedisRuntimeConfig, RUNTIME_DEFAULTS as DEFAULTS } from './config.ts';
import type { OnPoison, RuntimeSettings, SchemaMismatch } from './settings.ts';
import { LATER, REPLACED } from './unavailable.ts';

const WHERE = 'RedisStreamExecutionEnvironment';
/** Below it, ordinary pauses of a process would cost it its partitions. */
const MIN_LEASE = 500;
/** What one script call should carry at most: it is not interrupted while it runs. */
const MAX_RECORDS = 10_000;
const MAX_SHARDS = 1_024;
/** As long as a blocking read may take; what comes wakes it up. */
const BLOCK = 5_000;
const TIMER_PAGE = 10_000;

/** Members learn of each other, and of what has ended, within this time. */
const HEARTBEAT = 1_000;

/**
 * Checks the options and completes them.
 *
 * @throws RsError `RS_INVALID_ARGUMENT`, `RS_INVALID_NAME`, `RS_INVALID_DURATION`; `RS_UNSUPPORTED` for options that this
 *   version has not
 */
export function resolveSettings(config: RedisRuntimeConfig): RuntimeSettings {
  checkObject(config, `${WHERE}: config`);
  refuseUnavailable(config);
  checkKnown(config, KNOWN, WHERE);
  const options = { ...DEFAULTS, ...given(config) };
  refuseTimerLimit(options.eventTimeTimerMaxSize);
  const lease = leaseOf(options.lease);
  const logger = options.logger ?? consoleLogger();
  checkLogger(logger, `${WHERE}: logger`);
  const { clock = systemClock, ids = systemIds, random = systemRandom } = options;
  checkMethods(clock, ['now'], WHERE, 'a clock');
  checkFunction(ids, `${WHERE}: ids`);
  checkFunction(random, `${WHERE}: random`);
  return Object.freeze({
    jobName: checkName(options.jobName, `${WHERE}: jobName`),
    instance: checkName(options.jobInstanceId ?? hostName(), `${WHERE}: jobInstanceId`),
    prefix: checkPrefix(options.prefix),
    batch: batchOf(options.batch),
    cacheBytes: count(options.cacheBytes, 'cacheBytes'),
    retry: retryOf(options.retry),
    onPoison: onPoisonOf(config),
    maxDeliveries: count(options.maxDeliveries, 'maxDeliveries'),
    maxFires: count(options.windowMaxFiresPerRecord, 'windowMaxFiresPerRecord'),
    timerPage: TIMER_PAGE,
    outLog: outLogOf(options.outLog),
    deliverAfter: choice(options.deliverAfter, ['commit', 'replicated'], 'deliverAfter'),
    onRollback: choice(options.onRollback, ['halt', 'continue'], 'onRollback'),
    stateShards: between(options.keyedStateShardCount, MAX_SHARDS, 'keyedStateShardCount'),
    stateTtl: duration(options.stateTtl, 'stateTtl') || undefined,
    schemaMismatch: schemaMismatchOf(options),
    hotKeys: {
      everyWrites: natural(options.stateSizeReportEveryNStateWrites, 'stateSizeReportEveryNStateWrites'),
      fields: natural(options.keyedStateHotKeyFieldsWarnThreshold, 'keyedStateHotKeyFieldsWarnThreshold'),
      interval: duration(options.keyedStateHotKeyWarnInterval, 'keyedStateHotKeyWarnInterval'),
      policy: choice(
        options.keyedStateHotKeyPolicy,
        ['LOG_ONLY', 'THROTTLE', 'FAIL_FAST'],
        'keyedStateHotKeyPolicy',
      ),
      throttle: natural(options.keyedStateHotKeyThrottleMaxMs, 'keyedStateHotKeyThrottleMaxMs'),
    },
    watermark: {
      outOfOrderness: duration(options.watermarkOutOfOrderness, 'watermarkOutOfOrderness'),
      idleTimeout: duration(options.watermarkIdleTimeout, 'watermarkIdleTimeout') || undefined,
      idleMode: choice(options.watermarkIdleMode, ['advance', 'hold', 'flush'], 'watermarkIdleMode'),
      maxFutureSkew:
        options.maxFutureSkew === undefined
          ? undefined
          : positiveDurationToMillis(options.maxFutureSkew, `${WHERE}: maxFutureSkew`),
    },
    windowAllowedLateness: duration(options.windowAllowedLateness, 'windowAllowedLateness'),
    windowLatenessMode: choice(options.windowLatenessMode, ['refire', 'postpone'], 'windowLatenessMode'),
    lease,
    // Members are known to be alive by their meetings.
    heartbeat: Math.min(HEARTBEAT, Math.floor(lease.ttl / 3)),
    block: BLOCK,
    parallelism:
      options.pipelineParallelism === undefined
        ? Infinity
        : count(options.pipelineParallelism, 'pipelineParallelism'),
    maxPartitions:
      options.maxPartitions === undefined ? Infinity : count(options.maxPartitions, 'maxPartitions'),
    requireUids: choice(options.requireUids, [true, false], 'requireUids'),
    allowEviction: choice(options.allowEviction, [true, false], 'allowEviction'),
    closeTimeout: duration(options.closeTimeout, 'closeTimeout'),
    processingTime: choice(options.processingTime, ['clock', 'records'], 'processingTime'),
    clock,
    scheduler: systemScheduler,
    timers: systemTimers,
    random,
    ids,
    logger: guardedLogger(logger),
    codecs: codecsOf(options.codecs),
  });
}

const OTHERS = [
  'jobInstanceId',
  'codecs',
  'pipelineParallelism',
  'maxPartitions',
  'processingErrorResult',
  'maxFutureSkew',
  'logger',
  'clock',
  'ids',
  'random',
] as const satisfies readonly (keyof RedisRuntimeConfig)[];

const KNOWN: readonly string[] = [...Object.keys(DEFAULTS), ...OTHERS];

function refuseUnavailable(config: RedisRuntimeConfig): void {
  for (const [name, value] of Object.entries(config)) {
    if (value === undefined) continue;
    const replaced = Object.hasOwn(REPLACED, name) ? REPLACED[name] : undefined;
    const later = Object.hasOwn(LATER, name) ? LATER[name] : undefined;
    const why = replaced ?? later;
    if (why === undefined) continue;
    throw new RsError(
      replaced === undefined ? 'RS_UNSUPPORTED' : 'RS_INVALID_ARGUMENT',
      `${WHERE}: there is no option '${name}': ${why}`,
      { details: { what: WHERE, option: name } },
    );
  }
}

/** Timers are in Redis and read page by page: there is nothing that a limit would protect, and nobody counts them. */
function refuseTimerLimit(limit: number): void {
  if (natural(limit, 'eventTimeTimerMaxSize') === 0) return;
  throw new RsError(
    'RS_UNSUPPORTED',
    `${WHERE}: eventTimeTimerMaxSize can only be 0, for no limit: timers are kept in Redis, and only those that are due soon in memory`,
    { details: { what: WHERE, option: 'eventTimeTimerMaxSize', received: limit } },
  );
}

/** An option that is `undefined` counts as not given. */
function given(config: RedisRuntimeConfig): RedisRuntimeConfig {
  return Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined));
}

function batchOf(config: NonNullable<RedisRuntimeConfig['batch']>): RuntimeSettings['batch'] {
  const { records, bytes } = group(config, DEFAULTS.batch, 'batch');
  return { records: between(records, MAX_RECORDS, 'batch.records'), bytes: count(bytes, 'batch.bytes') };
}

function outLogOf(config: NonNullable<RedisRuntimeConfig['outLog']>): RuntimeSettings['outLog'] {
  return { maxBytes: count(group(config, DEFAULTS.outLog, 'outLog').maxBytes, 'outLog.maxBytes') };
}

function retryOf(config: NonNullable<RedisRuntimeConfig['retry']>): RuntimeSettings['retry'] {
  const { attempts, initialBackoff, maxBackoff } = group(config, DEFAULTS.retry, 'retry');
  const first = duration(initialBackoff, 'retry.initialBackoff');
  const longest = duration(maxBackoff, 'retry.maxBackoff');
  if (longest < first) {
    throw refused(
      `${WHERE}: retry.maxBackoff`,
      `at least retry.initialBackoff, which is ${first} ms`,
      maxBackoff,
    );
  }
  return { attempts: count(attempts, 'retry.attempts'), initialBackoff: first, maxBackoff: longest };
}

/** Options that belong together, each with its default. */
function group<T extends object>(
  config: object,
  defaults: T,
  name: string,
): { -readonly [K in keyof T]: T[K] } {
  checkObject(config, `${WHERE}: ${name}`);
  checkKnown(config, Object.keys(defaults), `${WHERE}: ${name}`);
  return { ...defaults, ...given(config) };
}

function onPoisonOf({ onPoison, processingErrorResult }: RedisRuntimeConfig): OnPoison {
  if (onPoison !== undefined) choice(onPoison, ['dlq', 'halt'], 'onPoison');
  if (processingErrorResult === undefined) return onPoison ?? DEFAULTS.onPoison;
  choice(processingErrorResult, ['RETRY', 'DEAD_LETTER', 'FAIL'], 'processingErrorResult');
  const result = processingErrorResult === 'RETRY' ? 'retry' : 'dlq';
  if (onPoison === undefined || onPoison === result) return result;
  throw new RsError(
    'RS_INVALID_ARGUMENT',
    `${WHERE}: processingErrorResult '${processingErrorResult}' and onPoison '${onPoison}' say different things about a record that ` +
      'fails to the end; give one of them',
    { details: { processingErrorResult, onPoison } },
  );
}

function schemaMismatchOf({
  stateSchemaEvolutionEnabled,
  stateSchemaMismatchPolicy,
}: Pick<
  Required<RedisRuntimeConfig>,
  'stateSchemaEvolutionEnabled' | 'stateSchemaMismatchPolicy'
>): SchemaMismatch {
  choice(stateSchemaEvolutionEnabled, [true, false], 'stateSchemaEvolutionEnabled');
  const policy = choice(stateSchemaMismatchPolicy, ['FAIL', 'CLEAR', 'IGNORE'], 'stateSchemaMismatchPolicy');
  if (!stateSchemaEvolutionEnabled) return 'ignore';
  return ({ FAIL: 'fail', CLEAR: 'clear', IGNORE: 'ignore' } as const)[policy];
}

function leaseOf(value: Duration): RuntimeSettings['lease'] {
  const ttl = positiveDurationToMillis(value, `${WHERE}: lease`);
  if (ttl < MIN_LEASE) throw refused(`${WHERE}: lease`, `at least ${MIN_LEASE} ms`, value);
  return leaseTimes(ttl);
}

function duration(value: Duration, name: string): number {
  return durationToMillis(value, `${WHERE}: ${name}`);
}

function choice<T>(value: T, choices: readonly NoInfer<T>[], name: string): T {
  checkChoice(value, choices, `${WHERE}: ${name}`);
  return value;
}

function count(value: number, name: string): number {
  checkPositiveInteger(value, `${WHERE}: ${name}`);
  return value;
}

function between(value: number, most: number, name: string): number {
  if (count(value, name) > most) throw refused(`${WHERE}: ${name}`, `an integer from 1 to ${most}`, value);
  return value;
}

function natural(value: number, name: string): number {
  if (!Number.isSafeInteger(value) || value < 0)
    throw refused(`${WHERE}: ${name}`, 'an integer of at least 0', value);
  return value;
}
