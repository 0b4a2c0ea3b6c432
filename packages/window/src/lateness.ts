import type { LatenessMode } from '@rs/core';

/**
 * When a window's contents are given up: `end − 1 + lateness`. From then on it takes no element and never fires again.
 *
 * Sums beyond 2^53 lose their last bit, which changes no comparison: the only watermark up there is `+Infinity`.
 *
 * @param lateness allowed lateness in milliseconds, at least 0
 */
export function cleanupTime(end: number, lateness: number): number {
  return end - 1 + lateness;
}

/**
 * When a window fires on time: `end − 1` in mode `refire`, where late elements fire it again until its cleanup time;
 * the cleanup time itself in mode `postpone`, where that is the only firing.
 *
 * @param lateness allowed lateness in milliseconds, at least 0
 */
export function closingTime(end: number, lateness: number, mode: LatenessMode): number {
  return mode === 'postpone' ? cleanupTime(end, lateness) : end - 1;
}

/**
 * True when an element comes too late for the window that ends at `end`. This is the one place that decides it; an
 * element is late as a whole when it is late for each of its windows (for sessions: after merging).
 *
 * @param watermark `-Infinity` before the first one, then nothing is late; `+Infinity` at the end of the input, then
 *   everything is
 * @param lateness allowed lateness in milliseconds, at least 0
 */
export function isWindowLate(watermark: number, end: number, lateness: number): boolean {
  return watermark >= cleanupTime(end, lateness);
}
