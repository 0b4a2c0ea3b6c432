export { TimeWindow } from './time-window.ts';
export { floorMod } from './floor-mod.ts';

export { TumblingWindow } from './assigner/tumbling-window.ts';
export { SlidingWindow } from './assigner/sliding-window.ts';
export { SessionWindow } from './assigner/session-window.ts';
export { GlobalWindow } from './assigner/global-window.ts';
export { CountWindow } from './assigner/count-window.ts';
export { WINDOW_DEFAULTS, type AlignedWindowOptions, type SessionWindowOptions } from './assigner/options.ts';
export { MAX_WINDOWS_PER_ELEMENT, MAX_WINDOW_SIZE } from './assigner/limits.ts';

export { EventTimeTrigger } from './trigger/event-time-trigger.ts';
export { ProcessingTimeTrigger } from './trigger/processing-time-trigger.ts';
export { ContinuousEventTimeTrigger } from './trigger/continuous-event-time-trigger.ts';
export { ContinuousProcessingTimeTrigger } from './trigger/continuous-processing-time-trigger.ts';
export { CountTrigger } from './trigger/count-trigger.ts';
export { DeltaTrigger } from './trigger/delta-trigger.ts';
export { NeverTrigger } from './trigger/never-trigger.ts';
export { PurgingTrigger } from './trigger/purging-trigger.ts';
export { AnyTrigger } from './trigger/any-trigger.ts';

export { CountEvictor } from './evictor/count-evictor.ts';
export { TimeEvictor } from './evictor/time-evictor.ts';
export { DeltaEvictor } from './evictor/delta-evictor.ts';
export { EVICTOR_DEFAULTS, type EvictorOptions } from './evictor/options.ts';
export type { DeltaFunction } from './delta.ts';

export { mergeSession, type SessionMerge, type Touching } from './session-merge.ts';
export { cleanupTime, closingTime, isWindowLate } from './lateness.ts';
