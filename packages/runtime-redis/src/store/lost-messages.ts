/** Messages that were removed from the log of a partition before the job had read them: trimmed, or deleted. */
export interface LostMessages {
  /** Id after which they stood: up to there nothing is missing. */
  readonly after: string;
  /** Id before which they stood; `undefined`: they were the last ones of the log. */
  readonly before: string | undefined;
  /** `undefined`: nobody knows how many, or whether there were any; only that the log was deleted. */
  readonly count: number | undefined;
  /** The whole log was deleted, or set back by a failover. */
  readonly deleted: boolean;
}
