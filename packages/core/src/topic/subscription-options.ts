/** How a job reads a topic. */
export interface SubscriptionOptions {
  /**
   * Where reading ends. `'now'`: at what the topic holds when the run starts, the same moment for all partitions. Ids by
   * number of partition: after the message with this id, or before the first one with a higher id; a partition without an
   * id ends at once, so `{}` reads nothing. Default: never, the source waits for further messages until the run is cancelled.
   */
  readonly until?: 'now' | Readonly<Record<number, string>>;
  /**
   * Messages that are read at once, from 1: more need fewer round trips and more memory. Default: the engine's. The
   * in-memory engine has them at hand and does not look at it.
   */
  readonly batchCount?: number;
}
