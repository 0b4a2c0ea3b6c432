import { MIN_TIMESTAMP } from '@rs/core';

/**
 * The watermark after records up to `maxTimestamp` have been seen: `maxTimestamp − outOfOrderness − 1`.
 *
 * A watermark `w` says that nothing with a timestamp ≤ `w` comes again; `maxTimestamp − outOfOrderness` itself still
 * may, hence the `− 1`. This is the only place of the formula, so that generators and engines cannot disagree on it.
 *
 * Both sentinels stay what they are, and a result below every timestamp is `-Infinity`.
 *
 * @param maxTimestamp highest event time so far, epoch milliseconds
 * @param outOfOrderness whole milliseconds ≥ 0 by which a record may come after a newer one
 */
export function watermarkFor(maxTimestamp: number, outOfOrderness: number): number {
  const watermark = maxTimestamp - outOfOrderness - 1;
  return watermark < Number.MIN_SAFE_INTEGER ? MIN_TIMESTAMP : watermark;
}
