import type { Trigger, Window, WindowAssigner } from '@rs/core';
import { CountEvictor } from '../evictor/count-evictor.ts';
import { readPositiveInteger } from '../positive-integer.ts';
import { CountTrigger } from '../trigger/count-trigger.ts';
import { PurgingTrigger } from '../trigger/purging-trigger.ts';
import { GlobalWindow } from './global-window.ts';

const GLOBAL = GlobalWindow.create();

/**
 * Windows of a number of elements per key, in the order of their arrival; time plays no part and nothing is late. It is
 * a {@link GlobalWindow} with another default trigger and, in the sliding form, a default evictor; a trigger or evictor
 * that is set on the stream replaces the one here.
 *
 * - `of(size)`, tumbling: a result for every `size` elements, each element in exactly one.
 *   `PurgingTrigger.of(CountTrigger.of(size))`: an aggregate keeps one accumulator per key.
 * - `of(size, slide)`, sliding: after every `slide` elements a result over the last `size`, so the first results are
 *   over fewer while fewer have come. `CountTrigger.of(slide)` with `CountEvictor.of(size)`: a key keeps up to
 *   `size + slide − 1` elements, also for an aggregate. With `slide > size` the first `slide − size` elements between
 *   two firings are in none.
 *
 * At the end of the input elements that came after the last firing give one more result: in the tumbling form over
 * these alone, in the sliding form over the last `size`. Otherwise the semantics are those of Flink's `countWindow`,
 * which drops them.
 *
 * ```ts
 * readings.keyBy((r) => r.sensor).window(CountWindow.of(100)).aggregate(mean);
 * readings.keyBy((r) => r.sensor).window(CountWindow.of(100, 10)).aggregate(mean); // moving, every 10 readings
 * ```
 */
export class CountWindow implements WindowAssigner<unknown> {
  readonly timeDomain = 'event';
  readonly endless = true;
  readonly #size: number;
  readonly #slide: number | undefined;

  private constructor(size: number, slide: number | undefined) {
    this.#size = size;
    this.#slide = slide;
  }

  /**
   * @param size the number of elements of a window, an integer of at least 1
   * @param slide the number of elements from one result to the next, an integer of at least 1; without it windows
   *   tumble. `of(n, n)` gives the results of `of(n)` and keeps n elements per key for it
   * @throws RsError `RS_INVALID_ARGUMENT` for anything else
   */
  static of(size: number, slide?: number): CountWindow {
    const name = 'CountWindow.of';
    return new CountWindow(
      readPositiveInteger(size, `${name}: size`),
      slide === undefined ? undefined : readPositiveInteger(slide, `${name}: slide`),
    );
  }

  assignWindows(): readonly Window[] {
    return GLOBAL.assignWindows();
  }

  getDefaultTrigger(): Trigger<unknown> {
    return this.#slide === undefined
      ? PurgingTrigger.of(CountTrigger.of(this.#size))
      : CountTrigger.of(this.#slide);
  }

  getDefaultEvictor(): CountEvictor | undefined {
    return this.#slide === undefined ? undefined : CountEvictor.of(this.#size);
  }

  supportsWindowMerging(): boolean {
    return false;
  }

  /** Such as `count(100)` or `count(100, 10)`. */
  describe(): string {
    return this.#slide === undefined ? `count(${this.#size})` : `count(${this.#size}, ${this.#slide})`;
  }
}
