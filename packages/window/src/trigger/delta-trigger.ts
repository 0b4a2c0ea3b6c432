import {
  RsError,
  type StateDescriptor,
  type StateOptions,
  type Trigger,
  type TriggerContext,
  type TriggerResult,
  valueState,
  type ValueStateDescriptor,
  type Window,
} from '@rs/core';
import { checkedDelta, type DeltaFunction } from '../delta.ts';

/**
 * Fires when an element is further than the threshold away from the last element that fired: `delta(last, element) >
 * threshold`; then that element is the last. The first element of a window only becomes the last. The end of the window
 * fires nothing. `null` and `undefined` cannot be the last: the element after such a one starts anew.
 *
 * When sessions merge, the last element of the one that starts latest stays. Semantics: Flink's `DeltaTrigger`, which
 * cannot merge.
 *
 * ```ts
 * DeltaTrigger.of(0.5, (last: Quote, now: Quote) => Math.abs(now.price - last.price));
 * ```
 */
export class DeltaTrigger<T> implements Trigger<T> {
  readonly states: readonly StateDescriptor[];
  readonly #threshold: number;
  readonly #delta: DeltaFunction<T>;
  readonly #last: ValueStateDescriptor<T | undefined>;

  private constructor(threshold: number, delta: DeltaFunction<T>, last: ValueStateDescriptor<T | undefined>) {
    this.#threshold = threshold;
    this.#delta = delta;
    this.#last = last;
    this.states = [last];
  }

  /**
   * @param threshold a finite number of at least 0, in the unit of `delta`
   * @param delta the distance from the last element that fired to the current one. When it returns no number or `NaN`,
   *   the element fails with `RS_INVALID_VALUE`
   * @param stored how the last element is stored. Default: as any state, see `jsonCodec`
   * @throws RsError `RS_INVALID_ARGUMENT` when the threshold is anything else, and what `valueState` throws
   */
  static of<T>(threshold: number, delta: DeltaFunction<T>, stored: StateOptions<T> = {}): DeltaTrigger<T> {
    if (!Number.isFinite(threshold) || threshold < 0) {
      throw new RsError(
        'RS_INVALID_ARGUMENT',
        `DeltaTrigger.of: threshold must be a finite number of at least 0, got ${String(threshold)}`,
        { details: { received: threshold } },
      );
    }
    return new DeltaTrigger(threshold, checkedDelta(delta, 'DeltaTrigger'), valueState<T>('last', stored));
  }

  onElement(element: T, _timestamp: number, _window: Window, ctx: TriggerContext): TriggerResult {
    const state = ctx.state(this.#last);
    const last = state.value();
    if (last === undefined) {
      state.update(element);
      return 'CONTINUE';
    }
    if (this.#delta(last, element) <= this.#threshold) return 'CONTINUE';
    state.update(element);
    return 'FIRE';
  }

  onEventTime(): TriggerResult {
    return 'CONTINUE';
  }

  onProcessingTime(): TriggerResult {
    return 'CONTINUE';
  }

  onMerge(_merged: Window, _absorbed: readonly Window[], ctx: TriggerContext): void {
    ctx.mergeState(this.#last, (_earlier, later) => later);
  }
}
