/** What the engine promises, in the order of the report. */
export const PROMISES = [
  'processes live',
  'nothing is lost on the way in',
  'the sum of counts is the number of records',
  'each window has its results once',
  'each timer fires once',
  'topics get each result once, in order',
  'functions get all results, repeats are the same',
  'only the owner changes anything',
  'no record is given up',
  'nothing is left behind',
  'recovery within the lease and 1 s',
  'stop within its budget and 0.5 s',
] as const;

export type Promised = (typeof PROMISES)[number];

/** A promise that was broken. */
export interface Violation {
  readonly promise: Promised;
  readonly what: string;
  /** What shows it: events in the order in which they happened. */
  readonly evidence: readonly string[];
}
