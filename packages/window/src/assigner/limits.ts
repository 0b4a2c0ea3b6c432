import { type Duration, positiveDurationToMillis, RsError } from '@rs/core';

/**
 * The most windows one element may belong to, so `size / slide` of sliding windows. Beyond it the ratio is taken for
 * a mistake in a unit: each element would be written that many times.
 */
export const MAX_WINDOWS_PER_ELEMENT = 10_000;

/**
 * The longest size, slide and gap in milliseconds, 2^50 (about 35,000 years). It leaves so much room up to 2^53 that
 * window bounds are exact for every time a JavaScript `Date` can hold, up to sizes of some thousand years.
 */
export const MAX_WINDOW_SIZE = 2 ** 50;

/** @throws RsError `RS_INVALID_DURATION` when it is malformed, below 1 ms or above {@link MAX_WINDOW_SIZE} */
export function readLength(length: Duration, what: string): number {
  const millis = positiveDurationToMillis(length, what);
  if (millis > MAX_WINDOW_SIZE) {
    throw new RsError(
      'RS_INVALID_DURATION',
      `${what} must be at most ${MAX_WINDOW_SIZE} ms, got ${millis}; was another unit meant?`,
      { details: { what, received: length } },
    );
  }
  return millis;
}

/** The error for a time whose windows would have bounds that are no exact numbers. */
export function timestampOutOfRange(timestamp: number, assigner: string): RsError {
  return new RsError(
    'RS_INVALID_TIMESTAMP',
    `${assigner} has no exact window for timestamp ${String(timestamp)}; timestamps are integers of epoch milliseconds ` +
      `not too near to ±2^53, so check the unit of the timestamp assigner`,
    { details: { assigner, received: timestamp } },
  );
}
