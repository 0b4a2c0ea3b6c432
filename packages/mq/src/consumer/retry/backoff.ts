import { wholeDelay } from '../outcome.ts';

/** How long to wait between attempts. Times are in milliseconds. */
export interface Backoff {
  readonly initialBackoff: number;
  readonly maxBackoff: number;
  readonly multiplier: number;
  readonly jitter: 'full' | 'none';
}

/**
 * How long to wait after an attempt that failed: the first wait, multiplied after each further failure, up to the longest one.
 * With jitter, a random part of that: what failed together must not come back together.
 *
 * @param attempt the one that failed, from 1
 * @param random from 0 to below 1
 * @returns whole milliseconds
 */
export function backoffDelay(backoff: Backoff, attempt: number, random: () => number): number {
  const { initialBackoff, maxBackoff, multiplier, jitter } = backoff;
  const first = Math.max(0, initialBackoff);
  // Bounded, since no wait at all times infinity is no number.
  const growth = Math.min(multiplier ** Math.max(0, attempt - 1), Number.MAX_VALUE);
  const longest = Math.min(Math.max(first, maxBackoff), first * growth);
  return wholeDelay(Math.round(jitter === 'full' ? random() * longest : longest));
}
