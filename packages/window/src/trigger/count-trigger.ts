import { type Trigger, type TriggerContext, type TriggerResult, valueState, type Window } from '@rs/core';
import { readPositiveInteger } from '../positive-integer.ts';

const COUNT = valueState('count', { default: () => 0 });

/**
 * Fires at every n-th element of a window and counts from 0 again; the contents stay (see {@link PurgingTrigger}). The
 * end of the window fires nothing: elements after the last full n go with the window, unemitted. Only at the end of the
 * input, engines emit a window whose contents have changed since its last firing.
 *
 * When sessions merge, their counts are added. A sum of n or more fires with the element that caused the merge: one
 * firing for all of them, after which the count is 0, not the surplus.
 */
export class CountTrigger implements Trigger<unknown> {
  readonly states = [COUNT] as const;
  readonly #n: number;

  private constructor(n: number) {
    this.#n = n;
  }

  /**
   * @param n an integer of at least 1
   * @throws RsError `RS_INVALID_ARGUMENT` for anything else
   */
  static of(n: number): CountTrigger {
    return new CountTrigger(readPositiveInteger(n, 'CountTrigger.of: n'));
  }

  onElement(_element: unknown, _timestamp: number, _window: Window, ctx: TriggerContext): TriggerResult {
    const count = ctx.state(COUNT);
    const next = count.value() + 1;
    if (next >= this.#n) {
      count.clear();
      return 'FIRE';
    }
    count.update(next);
    return 'CONTINUE';
  }

  onEventTime(): TriggerResult {
    return 'CONTINUE';
  }

  onProcessingTime(): TriggerResult {
    return 'CONTINUE';
  }

  onMerge(_merged: Window, _absorbed: readonly Window[], ctx: TriggerContext): void {
    ctx.mergeState(COUNT, (a, b) => a + b);
  }
}
