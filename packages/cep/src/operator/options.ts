import { type Codec, type OutputTag, RsError, checkCodec, checkObject } from '@rs/core';
import type { Match, PartialMatch } from '../matcher/match.ts';
import { type LimitPolicy, type Limits, MATCHER_DEFAULTS, limitsOf } from '../matcher/options.ts';

/** A match of the events of one key. */
export interface KeyedMatch<K, T, S extends object> extends Match<T, S> {
  readonly key: K;
}

/** What had begun to be a match of one key. */
export interface KeyedPartialMatch<K, T, S extends object> extends PartialMatch<T, S> {
  readonly key: K;
}

/** What state of another pattern does: see {@link PatternProcessOptions.onPatternChange}. */
export type PatternChangePolicy = 'fail' | 'clear' | 'ignore';

export interface PatternProcessOptions<K, T, S extends object> {
  /**
   * `event` (default): events wait for the watermark and are processed in the order of their event times. `processing`: each is
   * processed at once, its time is that of the clock, and none is late.
   */
  readonly time?: 'event' | 'processing';
  /** Orders the events of a key that have the same event time; equal ones stay in the order of their arrival. */
  readonly order?: (a: T, b: T) => number;
  /** Where late events go, those whose time the watermark has reached. Without it they are only counted. */
  readonly lateOutput?: OutputTag<T>;
  /**
   * Where goes what had begun when the time of `within` was over before it was a match, with the end of that time as its
   * timestamp. Once per run, and not for one that was a match itself.
   */
  readonly timedOutOutput?: OutputTag<KeyedPartialMatch<K, T, S>>;
  /** Where events go that failed by themselves, of a condition or a limit, when the engine has given up their timer. */
  readonly failedOutput?: OutputTag<T>;
  /** Where the runs go that `onLimit: 'drop-oldest'` gives up. */
  readonly droppedOutput?: OutputTag<KeyedPartialMatch<K, T, S>>;
  /** How events are stored. Default: `jsonCodec()`. */
  readonly codec?: Codec<T>;
  /** Runs of a key that can go on at the same time, and matches that wait for them. Default 100,000. */
  readonly maxRuns?: number;
  /** Events of one match. Default 10,000. */
  readonly maxEventsPerRun?: number;
  /**
   * `fail` (default): the event that exceeds a limit fails with `RS_PATTERN_LIMIT`. `drop-oldest`: the runs that began first
   * are given up until the rest fits.
   */
  readonly onLimit?: LimitPolicy;
  /**
   * Keys whose matchers stay in memory ready for use, the ones used last. Others are made again from their state when an event of
   * theirs is processed: nothing is lost, it only takes longer. Default 10,000.
   */
  readonly maxTrackedKeys?: number;
  /**
   * What is done with what has begun when the structure of the pattern has changed since: stages, names, order, quantifiers, negations,
   * `within`, what is skipped after a match. `fail` (default): the event fails with `RS_PATTERN_MISMATCH`. `clear`: it is
   * given up. `ignore`: it goes on as if the pattern were the same, which needs the same stages in the same order.
   */
  readonly onPatternChange?: PatternChangePolicy;
}

/** Defaults of {@link PatternProcessOptions}, besides those of the matcher. */
export const PATTERN_PROCESS_DEFAULTS = {
  ...MATCHER_DEFAULTS,
  time: 'event',
  maxTrackedKeys: 10_000,
  onPatternChange: 'fail',
} as const;

/** {@link PatternProcessOptions}, checked and whole. */
export interface ProcessSettings<T> {
  readonly time: 'event' | 'processing';
  readonly order: ((a: T, b: T) => number) | undefined;
  readonly late: OutputTag<T> | undefined;
  readonly timedOut: OutputTag<unknown> | undefined;
  readonly dropped: OutputTag<unknown> | undefined;
  readonly failed: OutputTag<T> | undefined;
  readonly codec: Codec<T> | undefined;
  readonly limits: Limits;
  readonly maxTrackedKeys: number;
  readonly onPatternChange: PatternChangePolicy;
}

/** @throws RsError `RS_INVALID_ARGUMENT` for an option that cannot be */
export function settingsOf<K, T, S extends object>(
  options: PatternProcessOptions<K, T, S>,
  where: string,
): ProcessSettings<T> {
  checkObject(options, `${where}: options`);
  const { time, maxTrackedKeys, onPatternChange } = PATTERN_PROCESS_DEFAULTS;
  const settings = {
    time: options.time ?? time,
    order: options.order,
    late: options.lateOutput,
    timedOut: options.timedOutOutput,
    dropped: options.droppedOutput,
    failed: options.failedOutput,
    codec: options.codec,
    limits: limitsOf(options, where),
    maxTrackedKeys: options.maxTrackedKeys ?? maxTrackedKeys,
    onPatternChange: options.onPatternChange ?? onPatternChange,
  };
  oneOf(settings.time, ['event', 'processing'], 'time', where);
  oneOf(settings.onPatternChange, ['fail', 'clear', 'ignore'], 'onPatternChange', where);
  checkCodec(settings.codec, `${where}: codec`);
  if (settings.order !== undefined && typeof settings.order !== 'function') {
    throw invalid(where, 'order', 'a function (a, b) => number', settings.order);
  }
  if (!(settings.maxTrackedKeys === Infinity || isCount(settings.maxTrackedKeys))) {
    throw invalid(where, 'maxTrackedKeys', 'a whole number of 1 or more', settings.maxTrackedKeys);
  }
  for (const what of ['lateOutput', 'timedOutOutput', 'droppedOutput', 'failedOutput'] as const) {
    const tag: unknown = options[what];
    if (tag !== undefined && !isTag(tag)) {
      throw invalid(where, what, 'a tag made by outputTag(name)', tag);
    }
  }
  if (settings.time === 'processing' && (settings.late ?? settings.order ?? settings.failed) !== undefined) {
    throw new RsError(
      'RS_INVALID_ARGUMENT',
      `${where}: lateOutput, order and failedOutput are for event time; in processing time each event is processed as it comes`,
      { details: { time: settings.time } },
    );
  }
  return settings;
}

function isTag(tag: unknown): boolean {
  return typeof tag === 'object' && tag !== null && 'name' in tag && typeof tag.name === 'string';
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 1;
}

function oneOf(value: string, allowed: readonly string[], what: string, where: string): void {
  if (!allowed.includes(value))
    throw invalid(where, what, allowed.map((one) => `'${one}'`).join(' or '), value);
}

function invalid(where: string, what: string, wanted: string, received: unknown): RsError {
  return new RsError('RS_INVALID_ARGUMENT', `${where}: ${what} must be ${wanted}, got ${String(received)}`, {
    details: { what, received },
  });
}
