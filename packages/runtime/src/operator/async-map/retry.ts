import type { Random } from '../../random.ts';

/** Whether and when a failed call is made again. Times are in milliseconds. */
export interface RetryPolicy {
  /** Calls in all. */
  readonly attempts: number;
  readonly delay: number;
  readonly maxDelay: number;
  readonly retryIf: (error: unknown) => boolean;
}

/**
 * How long to wait after `failed` failures: exponential backoff with full jitter. Calls that failed together, such as when
 * a service went down, must not come back together.
 */
export function retryDelay({ delay, maxDelay }: RetryPolicy, failed: number, random: Random): number {
  // The exponent is bounded since 0 times infinity is no number.
  const longest = Math.min(maxDelay, delay * 2 ** Math.min(failed - 1, 53));
  return Math.round(random() * longest);
}
