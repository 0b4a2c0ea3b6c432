/** What runs. Times are in milliseconds; those of events are of a clock that no machine has. */
export const LOAD = {
  job: 'chaos',
  topic: 'chaos',
  group: 'workers',
  /** Id of its source, under which its tasks are kept. */
  source: 'records',
  partitions: 8,
  workers: 3,
  keys: 48,
  lease: 1_800,
  /** Topics that results go to, with another number of partitions. */
  counts: { topic: 'chaos-counts', partitions: 3 },
  windows: { topic: 'chaos-windows', partitions: 5 },
  /** Event time of the first record. */
  begin: 1_700_000_000_000,
  /** Event time from one record to the next, over all keys. */
  step: 10,
  /** How far records of a partition may be behind its newest one. */
  outOfOrderness: 200,
  window: 1_000,
  /** How long windows are kept after they have closed. */
  lateness: 500,
  /** Between two sessions of a key. */
  gap: 400,
  /** From a record to its timer at most: of event time, of processing time. */
  timers: { event: 1_500, processing: 1_200 },
  /** Records that are under way at once; then the producer waits. */
  maxUnconfirmed: 1_000,
  /** Between two portions of the producer. */
  tick: 20,
  /** For `stop` of a worker. */
  stopBudget: 3_000,
} as const;

/** What the job is run with: small enough for many commits, for reads in the middle of a batch, and for what is due in several steps. */
export const ENGINE = {
  batch: { records: 40 },
  cacheBytes: 16_384,
  windowMaxFiresPerRecord: 9,
  keyedStateShardCount: 4,
  watermarkOutOfOrderness: LOAD.outOfOrderness,
  lease: LOAD.lease,
  retry: { attempts: 5, initialBackoff: 20, maxBackoff: 100 },
  /** Processes die all the time here, and none of it is a record's fault. */
  maxDeliveries: 50,
} as const;
