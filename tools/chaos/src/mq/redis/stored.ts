/** What Redis holds of one partition, for the group. */
export interface PartitionState {
  readonly partition: number;
  /** Id that the stream gave out last. */
  readonly last: string;
  /** Up to where the group was given entries; `undefined` when there is no group. */
  readonly delivered: string | undefined;
  readonly pending: number;
  /** Low watermark of the group. */
  readonly low: string;
  /** What retention has to keep for the group. */
  readonly held: string;
  readonly epoch: number;
  /** The lease is held by somebody. */
  readonly owned: boolean;
  readonly retries: readonly string[];
  readonly attempts: readonly string[];
}

/** An entry of the log, as its producer described it. */
export interface LogEntry {
  readonly partition: number;
  readonly id: string;
  readonly key: string;
  readonly n: number;
  readonly by: string;
}

export interface DeadLetter {
  readonly partition: number;
  /** Id of the message. */
  readonly original: string;
  readonly group: string;
  readonly reason: string;
  readonly attempts: number;
  /** It has the very bytes of the entry it was made of. */
  readonly intact: boolean;
}

/** Everything settled, up to the last message. */
export function isDrained({ last, delivered, pending, low }: PartitionState): boolean {
  return delivered === last && pending === 0 && low === last;
}
