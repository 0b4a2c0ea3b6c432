import { type Evictor, RsError } from '@rs/core';
import { checkedDelta, type DeltaFunction } from '../delta.ts';
import { describeEvictor, type Evict, type EvictorOptions, readAfter } from './options.ts';

/**
 * Keeps the elements that are near to the one that arrived last: an element is removed when
 * `delta(element, last) >= threshold`. Semantics: Flink's `DeltaEvictor`.
 *
 * ```ts
 * DeltaEvictor.of(100, (older: Car, newer: Car) => newer.odometer - older.odometer); // the last 100 km
 * ```
 */
export class DeltaEvictor<T> implements Evictor<T> {
  // One of the two is present: engines tell by it when to evict.
  readonly evictBefore?: Evict<T>;
  readonly evictAfter?: Evict<T>;
  readonly #description: string;

  private constructor(threshold: number, delta: DeltaFunction<T>, after: boolean) {
    const keepNear: Evict<T> = (elements) => {
      const last = elements.at(-1);
      if (last === undefined) return elements;
      return elements.filter(({ value }) => delta(value, last.value) < threshold);
    };
    if (after) this.evictAfter = keepNear;
    else this.evictBefore = keepNear;
    this.#description = describeEvictor('delta', threshold, after);
  }

  /**
   * @param threshold a finite number above 0, in the unit of `delta`; with 0 the last element, which has no distance
   *   to itself, would be removed too
   * @param delta called with each element as the older and the last one as the newer. When it returns no number or
   *   `NaN`, the firing fails with `RS_INVALID_VALUE`
   * @throws RsError `RS_INVALID_ARGUMENT` when the threshold is anything else or `after` is no boolean
   */
  static of<T>(threshold: number, delta: DeltaFunction<T>, options: EvictorOptions = {}): DeltaEvictor<T> {
    const name = 'DeltaEvictor.of';
    if (!Number.isFinite(threshold) || threshold <= 0) {
      throw new RsError(
        'RS_INVALID_ARGUMENT',
        `${name}: threshold must be a finite number above 0, got ${String(threshold)}`,
        { details: { received: threshold } },
      );
    }
    return new DeltaEvictor(threshold, checkedDelta(delta, 'DeltaEvictor'), readAfter(options, name));
  }

  describe(): string {
    return this.#description;
  }
}
