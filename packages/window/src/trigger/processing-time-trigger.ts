import type { Trigger, TriggerContext, TriggerResult, Window } from '@rs/core';

/**
 * Fires when the engine's clock reaches `end − 1`. The default of processing-time assigners. On an event-time window
 * whose end the clock has passed, as in a replay of old data, its timer is due at once after each element.
 */
export class ProcessingTimeTrigger implements Trigger<unknown> {
  private constructor() {}

  static create(): ProcessingTimeTrigger {
    return new ProcessingTimeTrigger();
  }

  onElement(_element: unknown, _timestamp: number, window: Window, ctx: TriggerContext): TriggerResult {
    // The clock never reaches the end of a global window.
    if (window.end < Infinity) ctx.registerProcessingTimeTimer(window.end - 1);
    return 'CONTINUE';
  }

  onEventTime(): TriggerResult {
    return 'CONTINUE';
  }

  onProcessingTime(timestamp: number, window: Window): TriggerResult {
    return timestamp >= window.end - 1 ? 'FIRE' : 'CONTINUE';
  }

  onMerge(merged: Window, _absorbed: readonly Window[], ctx: TriggerContext): void {
    ctx.registerProcessingTimeTimer(merged.end - 1);
  }
}
