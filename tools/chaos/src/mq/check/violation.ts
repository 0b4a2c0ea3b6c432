/** What the library promises, in the order of the report. */
export const PROMISES = [
  'processes live',
  'nothing is lost',
  'the producer neither doubles nor reorders',
  'order per key',
  'every duplicate is explained',
  'only the owner changes state',
  'a stop within the lease costs nothing',
  'recovery within the lease and 1 s',
  'close within its budget and 0.5 s',
] as const;

export type Promised = (typeof PROMISES)[number];

/** A promise that was broken. */
export interface Violation {
  readonly promise: Promised;
  readonly what: string;
  /** What shows it: events in the order in which they happened. */
  readonly evidence: readonly string[];
}
