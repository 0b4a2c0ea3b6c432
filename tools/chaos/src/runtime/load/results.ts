/** How many records of a key there were with the n-th record. */
export interface Count {
  readonly key: string;
  readonly n: number;
  readonly count: number;
}

/** The records of a window, by their numbers in the order of their arrival; of a session in rising order. */
export interface WindowResult {
  readonly key: string;
  readonly start: number;
  readonly end: number;
  readonly records: readonly number[];
}

export interface LateRecord {
  readonly key: string;
  readonly n: number;
}

/** A timer of event time. */
export interface TimerResult {
  readonly key: string;
  readonly time: number;
  /** How many timers of the key there were with this one. */
  readonly nth: number;
}

/** A timer of processing time, with the records that asked for it. */
export interface ClockTimerResult {
  readonly key: string;
  readonly time: number;
  readonly records: readonly number[];
}
