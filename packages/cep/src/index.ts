export { Pattern, type PatternLike, type PatternStart, type SkipOptions } from './pattern/pattern.ts';
export type { BoundEvents, Condition, ConditionContext, Guard } from './pattern/condition.ts';
// Declarations of patterns that are exported name them.
export type { NoStages, WithStage, WithStages } from './pattern/stage-types.ts';
export type { WithinScope } from './pattern/spec.ts';
export { PatternMatcher, type MatcherCounters, type RestoreOptions } from './matcher/pattern-matcher.ts';
export type { Match, PartialMatch } from './matcher/match.ts';
export type { EventEntry, HeldEntry, MatcherDocument, RunEntry } from './matcher/document.ts';
export { MATCHER_DEFAULTS, type LimitPolicy, type PatternMatcherOptions } from './matcher/options.ts';
export { match, type MatchOptions } from './match-stream.ts';
export { CEP, type PatternStream } from './operator/cep.ts';
export { PatternProcessFunction } from './operator/pattern-process-function.ts';
export {
  PATTERN_PROCESS_DEFAULTS,
  type KeyedMatch,
  type KeyedPartialMatch,
  type PatternChangePolicy,
  type PatternProcessOptions,
} from './operator/options.ts';
