/**
 * Milliseconds to wait before attempt `attempt` + 1: exponential with full jitter over its upper half, so that clients which
 * lost the same server do not come back in step, and none comes back at once.
 *
 * @param attempt counts failed attempts, from 1
 * @param random from 0 up to, but not including, 1
 */
export function backoff(attempt: number, limits: BackoffLimits, random: () => number): number {
  const ceiling = Math.min(limits.max, limits.min * 2 ** Math.min(attempt - 1, 30));
  return Math.max(1, Math.round(ceiling / 2 + (random() * ceiling) / 2));
}

export interface BackoffLimits {
  readonly min: number;
  readonly max: number;
}
