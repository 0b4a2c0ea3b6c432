/** What a run of a case has given. */
export interface Outcome {
  /** What each sink got, in order; a sink that got nothing may be missing. */
  readonly sinks: Readonly<Record<string, readonly unknown[]>>;
  /** Late records by id of their operator; without those that had none. */
  readonly late: Readonly<Record<string, number>>;
}
