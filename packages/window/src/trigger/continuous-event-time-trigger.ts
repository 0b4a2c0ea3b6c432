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

/**
 * The first multiple that has not fired, from the first element until the closing time. One that is not before the
 * closing time has no timer, but it may come before that of the session into which this one grows.
 */
const NEXT = valueState<number>('next-firing');

/**
 * Early results: fires whenever the watermark reaches a multiple of the interval before the window's closing time, then
 * as {@link EventTimeTrigger} does: at the closing time and for each late element. On a {@link GlobalWindow} it goes on
 * until the input ends, for each key that ever had an element.
 *
 * The first multiple is the one after the earliest timestamp in the window and after the watermark. It fires whether or
 * not elements have come since the last firing, but a step of the watermark over several multiples, or over the closing
 * time, fires once, as nothing can have come in between. When sessions merge, the earliest of their next firings stays.
 *
 * Semantics: Flink's `ContinuousEventTimeTrigger`, which fires for each multiple within a step.
 */
export class ContinuousEventTimeTrigger implements Trigger<unknown> {
  readonly states = [NEXT] as const;
  readonly #interval: number;

  private constructor(interval: number) {
    this.#interval = interval;
  }

  /**
   * @param interval at least 1 ms
   * @throws RsError `RS_INVALID_DURATION` when it is malformed, below 1 ms or above {@link MAX_WINDOW_SIZE}
   */
  static of(interval: Duration): ContinuousEventTimeTrigger {
    return new ContinuousEventTimeTrigger(readLength(interval, 'ContinuousEventTimeTrigger.of: interval'));
  }

  onElement(_element: unknown, timestamp: number, _window: Window, ctx: TriggerContext): TriggerResult {
    if (ctx.currentWatermark() >= ctx.closingTime) return 'FIRE';
    ctx.registerEventTimeTimer(ctx.closingTime);
    // An element out of order may ask for an earlier firing; the timer of the later one is then of use in its turn.
    const next = this.#after(timestamp, ctx);
    if (next < (ctx.state(NEXT).value() ?? Infinity)) setNext(next, ctx);
    return 'CONTINUE';
  }

  onEventTime(timestamp: number, _window: Window, ctx: TriggerContext): TriggerResult {
    if (timestamp >= ctx.closingTime) {
      ctx.state(NEXT).clear();
      return 'FIRE';
    }
    // Composed with others it is asked at their times too.
    if (timestamp !== ctx.state(NEXT).value()) return 'CONTINUE';
    setNext(this.#after(timestamp, ctx), ctx);
    // Where the watermark has reached the closing time as well, that one fires.
    return ctx.currentWatermark() < ctx.closingTime ? 'FIRE' : 'CONTINUE';
  }

  onProcessingTime(): TriggerResult {
    return 'CONTINUE';
  }

  onMerge(_merged: Window, _absorbed: readonly Window[], ctx: TriggerContext): void {
    ctx.mergeState(NEXT, (a, b) => Math.min(a, b));
    // When the merged window is closed already, onElement for the merging element fires it.
    if (ctx.currentWatermark() >= ctx.closingTime) return;
    ctx.registerEventTimeTimer(ctx.closingTime);
    const next = ctx.state(NEXT).value();
    if (next !== undefined && next < ctx.closingTime) ctx.registerEventTimeTimer(next);
  }

  #after(timestamp: number, ctx: TriggerContext): number {
    return nextMultiple(Math.max(timestamp, ctx.currentWatermark()), this.#interval);
  }
}

function setNext(next: number, ctx: TriggerContext): void {
  ctx.state(NEXT).update(next);
  if (next < ctx.closingTime) ctx.registerEventTimeTimer(next);
}
