import { MAX_TIMESTAMP, MIN_TIMESTAMP, checkTimestamp } from '@rs/core';

/**
 * Checks a watermark where it enters the system.
 *
 * @param where names the caller in the error message
 * @returns the watermark, with `-0` turned into `0`
 * @throws RsError `RS_INVALID_TIMESTAMP` unless it is a timestamp, `-Infinity` (nothing known yet) or `+Infinity` (the input has ended)
 */
export function checkWatermark(watermark: number, where: string): number {
  if (watermark === MIN_TIMESTAMP || watermark === MAX_TIMESTAMP) return watermark;
  return checkTimestamp(watermark, where);
}
