import type { Trigger, Window, WindowAssigner } from '@rs/core';
import { NeverTrigger } from '../trigger/never-trigger.ts';

const EVERYTHING: readonly Window[] = Object.freeze([Object.freeze({ start: -Infinity, end: Infinity })]);

/**
 * One window per key that holds all of its elements: `[-Infinity, +Infinity)`. No element is late for it, and it closes
 * only at the end of the input. Give it a trigger; the default never fires, so that there is one result per key, when
 * the input has ended. Contents, timers and states of a key that is never purged stay for ever.
 *
 * A window that is cut by elements and not by time is a global window with a trigger of its own: see
 * {@link CountWindow}. Semantics: Flink's `GlobalWindows`, which emits nothing at the end of the input.
 *
 * ```ts
 * // every 10 s the latest total of each account
 * payments.keyBy((p) => p.account)
 *   .window(GlobalWindow.create())
 *   .trigger(ContinuousProcessingTimeTrigger.of('10s'))
 *   .sum((p) => p.amount);
 * ```
 */
export class GlobalWindow implements WindowAssigner<unknown> {
  // Triggers and evictors then see the elements' own timestamps.
  readonly timeDomain = 'event';
  readonly endless = true;

  private constructor() {}

  static create(): GlobalWindow {
    return new GlobalWindow();
  }

  assignWindows(): readonly Window[] {
    return EVERYTHING;
  }

  getDefaultTrigger(): Trigger<unknown> {
    return NeverTrigger.create();
  }

  supportsWindowMerging(): boolean {
    return false;
  }

  describe(): string {
    return 'global';
  }
}
