import type { Trigger, TriggerResult } from '@rs/core';

/**
 * Never fires. What a window holds when it is given up is dropped, except at the end of the input: there the engine
 * emits contents that no trigger has emitted. The default of {@link GlobalWindow}.
 */
export class NeverTrigger implements Trigger<unknown> {
  private constructor() {}

  static create(): NeverTrigger {
    return new NeverTrigger();
  }

  onElement(): TriggerResult {
    return 'CONTINUE';
  }

  onEventTime(): TriggerResult {
    return 'CONTINUE';
  }

  onProcessingTime(): TriggerResult {
    return 'CONTINUE';
  }

  onMerge(): void {
    // Nothing to carry over; without the method, engines would refuse it for sessions.
  }
}
