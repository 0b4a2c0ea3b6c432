import { type Duration, checkObject, positiveDurationToMillis } from '@rs/core';
import { checkCount } from './check.ts';
import { type Pattern, checkPattern } from './pattern.ts';

/** What a {@link PatternMatcher} looks for. Checked when a matcher is made of it. */
export interface PatternConfig<T> {
  readonly pattern: Pattern<T>;
  /** How long an active sequence may still grow after its first event. At least 1 ms; default 1 minute. */
  readonly timeWindow?: Duration;
  /** Whether an event that does not meet the condition ends all active sequences. Default `false`. */
  readonly contiguous?: boolean;
  /** Events of an active sequence, ≥ 1; default 100. A longer one does not grow. */
  readonly maxSequenceLength?: number;
  /** Whether events are tracked as active sequences at all. Default `false`. */
  readonly allowEventReuse?: boolean;
}

/** Defaults of {@link PatternConfig}; `timeWindow` in milliseconds. */
export const PATTERN_CONFIG_DEFAULTS = {
  timeWindow: 60_000,
  contiguous: false,
  maxSequenceLength: 100,
  allowEventReuse: false,
} as const;

/** With defaults, and the time window in milliseconds. */
export interface ResolvedConfig<T> {
  readonly pattern: Pattern<T>;
  readonly timeWindow: number;
  readonly contiguous: boolean;
  readonly maxSequenceLength: number;
  readonly allowEventReuse: boolean;
}

/** @throws RsError `RS_INVALID_ARGUMENT`, `RS_INVALID_DURATION` */
export function resolveConfig<T>(config: PatternConfig<T>): ResolvedConfig<T> {
  checkObject(config, 'PatternMatcher: config');
  const { pattern, timeWindow, contiguous, maxSequenceLength, allowEventReuse } = {
    ...PATTERN_CONFIG_DEFAULTS,
    ...config,
  };
  checkPattern(pattern, 'PatternMatcher: config.pattern');
  return {
    pattern,
    timeWindow: positiveDurationToMillis(timeWindow, 'PatternMatcher: config.timeWindow'),
    contiguous,
    maxSequenceLength: checkCount(maxSequenceLength, 1, 'PatternMatcher: config.maxSequenceLength'),
    allowEventReuse,
  };
}
