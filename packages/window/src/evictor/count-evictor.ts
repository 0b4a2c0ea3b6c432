import type { Evictor } from '@rs/core';
import { readPositiveInteger } from '../positive-integer.ts';
import { describeEvictor, type EvictAny, type EvictorOptions, readAfter } from './options.ts';

/**
 * Keeps the last n elements, in the order of their arrival; what came before is removed from the window for good.
 * Semantics: Flink's `CountEvictor`.
 */
export class CountEvictor implements Evictor<unknown> {
  // One of the two is present: engines tell by it when to evict.
  readonly evictBefore?: EvictAny;
  readonly evictAfter?: EvictAny;
  readonly #description: string;

  private constructor(n: number, after: boolean) {
    const keepLast: EvictAny = (elements) =>
      elements.length <= n ? elements : elements.slice(elements.length - n);
    if (after) this.evictAfter = keepLast;
    else this.evictBefore = keepLast;
    this.#description = describeEvictor('count', n, after);
  }

  /**
   * @param n how many elements stay, an integer of at least 1
   * @throws RsError `RS_INVALID_ARGUMENT` when `n` is anything else or `after` is no boolean
   */
  static of(n: number, options: EvictorOptions = {}): CountEvictor {
    const name = 'CountEvictor.of';
    return new CountEvictor(readPositiveInteger(n, `${name}: n`), readAfter(options, name));
  }

  describe(): string {
    return this.#description;
  }
}
