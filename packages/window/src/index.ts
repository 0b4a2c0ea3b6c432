export { TimeWindow } from './time-window.ts';
export { floorMod } from './floor-mod.ts';

export { TumblingWindow } from './assigner/tumbling-window.ts';
export { SlidingWindow } from './assigner/sliding-window.ts';
export { SessionWindow } from './assigner/session-window.ts';
export { WINDOW_DEFAULTS, type AlignedWindowOptions, type SessionWindowOptions } from './assigner/options.ts';
export { MAX_WINDOWS_PER_ELEMENT, MAX_WINDOW_SIZE } from './assigner/limits.ts';

export { EventTimeTrigger } from './trigger/event-time-trigger.ts';
export { ProcessingTimeTrigger } from './trigger/processing-time-trigger.ts';
export { CountTrigger } from './trigger/count-trigger.ts';
export { PurgingTrigger } from './trigger/purging-trigger.ts';

export { mergeSession, type SessionMerge, type Touching } from './session-merge.ts';
export { cleanupTime, closingTime, isWindowLate } from './lateness.ts';
