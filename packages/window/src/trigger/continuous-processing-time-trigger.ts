import {
  type Duration,
  type Trigger,
  type TriggerContext,
  type TriggerResult,
  valueState,
  type Window,
} from '@rs/core';
import { readLength } from '../assigner/limits.ts';
import { nextMultiple } from './next-multiple.ts';

/** The multiple of the interval for which a timer is set. */
const NEXT = valueState<number>('next-firing');

/**
 * Results by the clock: fires whenever the engine's clock reaches a multiple of the interval, as long as the window
 * exists, and when it reaches `end − 1`. The first multiple is the one after the arrival of the window's first element.
 * It fires whether or not elements have come since the last firing. Multiples that the clock passes in one step, as after
 * a pause of the process, are one firing where the engine shows a trigger the current time, and one each where it shows
 * the time of the timer.
 *
 * The watermark does not fire it. On event-time windows compose it with the trigger for their closing:
 * `AnyTrigger.of(EventTimeTrigger.create(), ContinuousProcessingTimeTrigger.of('10s'))`. Once the watermark is
 * `+Infinity`, as at the end of the input, multiples no longer fire: windows close then, and the engine emits contents
 * that no trigger has emitted.
 *
 * When sessions merge, the earliest of their next firings stays. Semantics: Flink's `ContinuousProcessingTimeTrigger`.
 */
export class ContinuousProcessingTimeTrigger implements Trigger<unknown> {
  readonly states = [NEXT] as const;
  readonly #interval: number;

  private constructor(interval: number) {
    this.#interval = interval;
  }

  /**
   * @param interval at least 1 ms
   * @throws RsError `RS_INVALID_DURATION` when it is malformed, below 1 ms or above {@link MAX_WINDOW_SIZE}
   */
  static of(interval: Duration): ContinuousProcessingTimeTrigger {
    return new ContinuousProcessingTimeTrigger(
      readLength(interval, 'ContinuousProcessingTimeTrigger.of: interval'),
    );
  }

  onElement(_element: unknown, _timestamp: number, window: Window, ctx: TriggerContext): TriggerResult {
    registerEnd(window, ctx);
    if (ctx.state(NEXT).value() === undefined) this.#setNext(ctx.currentProcessingTime(), ctx);
    return 'CONTINUE';
  }

  onEventTime(): TriggerResult {
    return 'CONTINUE';
  }

  onProcessingTime(timestamp: number, window: Window, ctx: TriggerContext): TriggerResult {
    const atEnd = timestamp === window.end - 1;
    // Composed with others it is asked at their times too.
    if (timestamp !== ctx.state(NEXT).value()) return atEnd ? 'FIRE' : 'CONTINUE';
    // When the input has ended, every timer is due at once, so setting the next would never end.
    const inputEnded = ctx.currentWatermark() === Infinity;
    if (inputEnded) ctx.state(NEXT).clear();
    else this.#setNext(Math.max(timestamp, ctx.currentProcessingTime()), ctx);
    return atEnd || !inputEnded ? 'FIRE' : 'CONTINUE';
  }

  onMerge(merged: Window, _absorbed: readonly Window[], ctx: TriggerContext): void {
    registerEnd(merged, ctx);
    ctx.mergeState(NEXT, (a, b) => Math.min(a, b));
    const next = ctx.state(NEXT).value();
    if (next !== undefined) ctx.registerProcessingTimeTimer(next);
  }

  #setNext(now: number, ctx: TriggerContext): void {
    const next = nextMultiple(now, this.#interval);
    if (next === Infinity) return ctx.state(NEXT).clear();
    ctx.state(NEXT).update(next);
    ctx.registerProcessingTimeTimer(next);
  }
}

/** An end that the clock has passed, as in a replay of event-time windows, would be due at once for each element. */
function registerEnd({ end }: Window, ctx: TriggerContext): void {
  if (ctx.currentProcessingTime() < end && end < Infinity) ctx.registerProcessingTimeTimer(end - 1);
}
