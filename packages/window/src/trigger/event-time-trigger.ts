import type { Trigger, TriggerContext, TriggerResult, Window } from '@rs/core';

/**
 * Fires when the watermark reaches the window's closing time, `end − 1`, and again for each late element until the
 * allowed lateness is over. With lateness in mode `postpone` the closing time is `end − 1 + lateness`, so there is one
 * firing. The default of event-time assigners.
 *
 * It only fires; the engine gives the contents up at the window's cleanup time. Semantics: Flink's `EventTimeTrigger`.
 */
export class EventTimeTrigger implements Trigger<unknown> {
  private constructor() {}

  static create(): EventTimeTrigger {
    return new EventTimeTrigger();
  }

  // Called for every element of every window: nothing is allocated here.
  onElement(_element: unknown, _timestamp: number, _window: Window, ctx: TriggerContext): TriggerResult {
    // A closed window that still takes elements is refined at once; a timer would be due at once as well.
    if (ctx.currentWatermark() >= ctx.closingTime) return 'FIRE';
    ctx.registerEventTimeTimer(ctx.closingTime);
    return 'CONTINUE';
  }

  onEventTime(timestamp: number, _window: Window, ctx: TriggerContext): TriggerResult {
    return timestamp >= ctx.closingTime ? 'FIRE' : 'CONTINUE';
  }

  onProcessingTime(): TriggerResult {
    return 'CONTINUE';
  }

  onMerge(_merged: Window, _absorbed: readonly Window[], ctx: TriggerContext): void {
    // When the merged window is closed already, onElement for the merging element fires it.
    if (ctx.currentWatermark() < ctx.closingTime) ctx.registerEventTimeTimer(ctx.closingTime);
  }
}
