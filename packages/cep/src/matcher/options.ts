import { RsError, checkObject } from '@rs/core';
import type { PartialMatch } from './match.ts';

/** What happens when a limit is reached: `fail` refuses the event, `drop-oldest` gives up what began first. */
export type LimitPolicy = 'fail' | 'drop-oldest';

/** Defaults of {@link PatternMatcherOptions}. */
export const MATCHER_DEFAULTS = {
  maxRuns: 100_000,
  maxEventsPerRun: 10_000,
  onLimit: 'fail',
} as const satisfies { maxRuns: number; maxEventsPerRun: number; onLimit: LimitPolicy };

export interface PatternMatcherOptions<T, S extends object> {
  /**
   * Called with what had begun when the time of `within` was over before it was a match. Once per run, and not for one
   * that was a match itself and waited for more.
   */
  readonly onTimeout?: (partial: PartialMatch<T, S>) => void;
  /** Called with an event that takes no part because time had passed it: see `process`. */
  readonly onLate?: (event: T, timestamp: number) => void;
  /** Called with each run that `onLimit: 'drop-oldest'` gives up. */
  readonly onDropped?: (partial: PartialMatch<T, S>) => void;
  /** Runs that can go on at the same time, and matches that wait for them. Default 100,000. A pattern with `within` needs fewer. */
  readonly maxRuns?: number;
  /** Events of one match. Default 10,000. */
  readonly maxEventsPerRun?: number;
  /**
   * `fail` (default): `process` throws `RS_PATTERN_LIMIT`, and the event takes no part. `drop-oldest`: the runs that began
   * first are given up until the rest fits, and a run that would get too long ends; matches are missed, and `onDropped`
   * tells which.
   */
  readonly onLimit?: LimitPolicy;
}

export interface Limits {
  readonly maxRuns: number;
  readonly maxEventsPerRun: number;
  readonly onLimit: LimitPolicy;
}

export function limitsOf(options: Partial<Limits>, where = 'PatternMatcher'): Limits {
  checkObject(options, `${where}: options`);
  const { maxRuns, maxEventsPerRun, onLimit } = { ...MATCHER_DEFAULTS, ...defined(options) };
  if (onLimit !== 'fail' && onLimit !== 'drop-oldest') {
    throw new RsError(
      'RS_INVALID_ARGUMENT',
      `${where}: onLimit must be 'fail' or 'drop-oldest', got ${String(onLimit)}`,
      { details: { what: 'onLimit', received: onLimit } },
    );
  }
  return {
    maxRuns: limit(maxRuns, `${where}: maxRuns`),
    maxEventsPerRun: limit(maxEventsPerRun, `${where}: maxEventsPerRun`),
    onLimit,
  };
}

function defined(options: Partial<Limits>): Partial<Limits> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

function limit(value: number, what: string): number {
  if (value === Infinity || (Number.isSafeInteger(value) && value >= 1)) return value;
  throw new RsError(
    'RS_INVALID_ARGUMENT',
    `${what} must be a whole number of 1 or more, or Infinity, got ${String(value)}`,
    { details: { what, received: value } },
  );
}
