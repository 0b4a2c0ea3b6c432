export { Pattern } from './pattern.ts';
export { PatternBuilder } from './pattern-builder.ts';
export { PATTERN_CONFIG_DEFAULTS, type PatternConfig } from './pattern-config.ts';
export { DEFAULT_MAX_ACTIVE_SEQUENCES, PatternMatcher } from './pattern-matcher.ts';
export { EventSequence } from './event-sequence.ts';
export { PatternQuantifier } from './pattern-quantifier.ts';
export { PatternSequence, type PatternStep, type StepContiguity } from './pattern-sequence.ts';
export { CompleteMatch, type EventsByStep } from './complete-match.ts';
export type { PartialMatchState } from './partial-match.ts';
export { DEFAULT_MAX_RETAINED_MATCHES, PatternSequenceMatcher } from './pattern-sequence-matcher.ts';
export {
  DEFAULT_MAX_TRACKED_KEYS,
  PatternSequenceProcessFunction,
  type PatternSequenceProcessOptions,
} from './operator/pattern-sequence-process-function.ts';
export type { ReviveEvent } from './operator/state-document.ts';
