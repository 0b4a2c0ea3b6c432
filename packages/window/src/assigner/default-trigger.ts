import type { TimeDomain, Trigger } from '@rs/core';
import { EventTimeTrigger } from '../trigger/event-time-trigger.ts';
import { ProcessingTimeTrigger } from '../trigger/processing-time-trigger.ts';

/** The trigger that fires a window at its end, by the clock the window is cut by. */
export function defaultTrigger(time: TimeDomain): Trigger<unknown> {
  return time === 'event' ? EventTimeTrigger.create() : ProcessingTimeTrigger.create();
}
