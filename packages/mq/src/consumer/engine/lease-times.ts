/** The times around a lease, in milliseconds. */
export interface LeaseTimes {
  /** How long a process may be out of touch and keep its partitions. */
  readonly ttl: number;
  readonly renewEvery: number;
  /**
   * What Redis is told: a pause may begin right before a renewal and still be as long as `ttl`. This is also how long a crashed owner is
   * waited for.
   */
  readonly stored: number;
}

const MAX_RENEW_EVERY = 750;

export function leaseTimes(ttl: number): LeaseTimes {
  const renewEvery = Math.max(1, Math.min(Math.floor(ttl / 5), MAX_RENEW_EVERY));
  return { ttl, renewEvery, stored: ttl + renewEvery };
}
