import {
  RsError,
  type StateDescriptor,
  type Trigger,
  type TriggerContext,
  type TriggerResult,
  type Window,
} from '@rs/core';
import { PartContext, type PartStates, partStates } from './part-context.ts';

/**
 * A trigger that takes elements of type `T`. Written as a property, `onElement` is compared by its parameter, so that a
 * trigger for all types and one for orders make one for orders; as a method it would make one for all types.
 */
type TriggerOf<T> = Trigger<never> & {
  readonly onElement: (element: T, timestamp: number, window: Window, ctx: TriggerContext) => TriggerResult;
};

interface Part<T> {
  readonly trigger: Trigger<T>;
  readonly states: PartStates;
}

/**
 * Several triggers on one window, which fires when any of them fires. Each is always asked, and its answer is not seen
 * by the others: a firing of one resets nothing in another, so a count goes on. One that fires and one that purges make
 * `FIRE_AND_PURGE`. Fits merging windows when all of its parts do.
 *
 * Each part has its own states, also where two are alike. They are stored under the part's position, so in a job that
 * has stored state add new parts at the end. Timers are shared: each part is asked at the times of all, and so decides
 * by the time or its state and not by the fact that it was asked (all triggers of this package do); and a part that
 * deletes a timer deletes it for all.
 *
 * ```ts
 * // batches of 100, and what there is of one after 5 s
 * PurgingTrigger.of(AnyTrigger.of(CountTrigger.of(100), ContinuousProcessingTimeTrigger.of('5s')));
 * ```
 */
export class AnyTrigger<T> implements Trigger<T> {
  readonly #parts: readonly Part<T>[];
  readonly states: readonly StateDescriptor[];
  // Present only where all parts can merge: an engine refuses merging windows by its absence.
  readonly onMerge?: (merged: Window, absorbed: readonly Window[], ctx: TriggerContext) => void;

  private constructor(triggers: readonly Trigger<T>[]) {
    this.#parts = triggers.map((trigger, i) => ({ trigger, states: partStates(trigger.states, i) }));
    this.states = this.#parts.flatMap(({ states }) => [...states.values()]);
    if (triggers.every((trigger) => trigger.onMerge !== undefined)) {
      this.onMerge = (merged, absorbed, ctx) => {
        for (const part of this.#parts) part.trigger.onMerge?.(merged, absorbed, contextOf(part, ctx));
      };
    }
  }

  /** @throws RsError `RS_INVALID_ARGUMENT` without any trigger */
  static of<T>(...triggers: readonly TriggerOf<T>[]): AnyTrigger<T> {
    if (triggers.length === 0) {
      throw new RsError(
        'RS_INVALID_ARGUMENT',
        'AnyTrigger.of needs at least one trigger; one that never fires is NeverTrigger',
      );
    }
    return new AnyTrigger(triggers);
  }

  onElement(element: T, timestamp: number, window: Window, ctx: TriggerContext): TriggerResult {
    let result: TriggerResult = 'CONTINUE';
    for (const part of this.#parts) {
      result = both(result, part.trigger.onElement(element, timestamp, window, contextOf(part, ctx)));
    }
    return result;
  }

  onEventTime(timestamp: number, window: Window, ctx: TriggerContext): TriggerResult {
    let result: TriggerResult = 'CONTINUE';
    for (const part of this.#parts) {
      result = both(result, part.trigger.onEventTime(timestamp, window, contextOf(part, ctx)));
    }
    return result;
  }

  onProcessingTime(timestamp: number, window: Window, ctx: TriggerContext): TriggerResult {
    let result: TriggerResult = 'CONTINUE';
    for (const part of this.#parts) {
      result = both(result, part.trigger.onProcessingTime(timestamp, window, contextOf(part, ctx)));
    }
    return result;
  }

  clear(window: Window, ctx: TriggerContext): void {
    for (const part of this.#parts) part.trigger.clear?.(window, contextOf(part, ctx));
  }
}

/** A part without states needs no view of its own. */
function contextOf(part: Part<never>, ctx: TriggerContext): TriggerContext {
  return part.states.size === 0 ? ctx : new PartContext(ctx, part.states);
}

/** Two different answers, neither of them `CONTINUE`, fire and purge between them. */
function both(a: TriggerResult, b: TriggerResult): TriggerResult {
  if (a === b || b === 'CONTINUE') return a;
  return a === 'CONTINUE' ? b : 'FIRE_AND_PURGE';
}
