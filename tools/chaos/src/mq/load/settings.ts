/** What runs. Times are in milliseconds. */
export const LOAD = {
  topic: 'chaos',
  group: 'workers',
  partitions: 8,
  keys: 48,
  consumers: 3,
  lease: 1_800,
  /** Messages that are under way at once; then the producer waits. */
  maxUnconfirmed: 2_000,
  /** Between two portions of the producer. */
  tick: 20,
  /** For `close` of a worker. */
  closeBudget: 1_500,
  retry: { maxAttempts: 20, initialBackoff: 40, maxBackoff: 200 },
} as const;
