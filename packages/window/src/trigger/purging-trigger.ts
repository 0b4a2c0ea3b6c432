import {
  RsError,
  type StateDescriptor,
  type Trigger,
  type TriggerContext,
  type TriggerResult,
  type Window,
} from '@rs/core';

/**
 * Another trigger whose firings also give up the contents: each result then holds only what came since the last one.
 * Everything else is passed on, so it fits the windows that the inner trigger fits.
 *
 * ```ts
 * PurgingTrigger.of(CountTrigger.of(100)); // batches of 100
 * ```
 */
export class PurgingTrigger<T> implements Trigger<T> {
  readonly #inner: Trigger<T>;
  readonly states: readonly StateDescriptor[];
  // Present only where the inner trigger has them: an engine refuses merging windows by the absence of onMerge.
  readonly onMerge?: (merged: Window, absorbed: readonly Window[], ctx: TriggerContext) => void;
  readonly clear?: (window: Window, ctx: TriggerContext) => void;

  private constructor(inner: Trigger<T>) {
    this.#inner = inner;
    this.states = inner.states ?? [];
    if (inner.onMerge !== undefined) this.onMerge = inner.onMerge.bind(inner);
    if (inner.clear !== undefined) this.clear = inner.clear.bind(inner);
  }

  /** @throws RsError `RS_INVALID_ARGUMENT` when `inner` is no trigger */
  static of<T>(inner: Trigger<T>): PurgingTrigger<T> {
    if (typeof (inner as Partial<Trigger<T>> | null | undefined)?.onElement !== 'function') {
      throw new RsError(
        'RS_INVALID_ARGUMENT',
        'PurgingTrigger.of needs the trigger whose firings shall purge',
      );
    }
    return new PurgingTrigger(inner);
  }

  onElement(element: T, timestamp: number, window: Window, ctx: TriggerContext): TriggerResult {
    return purging(this.#inner.onElement(element, timestamp, window, ctx));
  }

  onEventTime(timestamp: number, window: Window, ctx: TriggerContext): TriggerResult {
    return purging(this.#inner.onEventTime(timestamp, window, ctx));
  }

  onProcessingTime(timestamp: number, window: Window, ctx: TriggerContext): TriggerResult {
    return purging(this.#inner.onProcessingTime(timestamp, window, ctx));
  }
}

function purging(result: TriggerResult): TriggerResult {
  return result === 'FIRE' ? 'FIRE_AND_PURGE' : result;
}
