import type { BoundEvents } from '../pattern/condition.ts';

/** Events that together are what the pattern describes. */
export interface Match<T, S extends object> {
  /** Every stage has a list; that of an optional stage that is absent is empty. */
  readonly events: BoundEvents<S>;
  /** The same events in the order in which they came. */
  readonly sequence: readonly T[];
  /** Time of the first event. */
  readonly start: number;
  /** Time of the last event. */
  readonly end: number;
  /** When it became certain: the time of the last event, or of what showed that nothing forbidden came behind it. */
  readonly timestamp: number;
}

/** What had begun to be a match when its time was over. */
export interface PartialMatch<T, S extends object> {
  readonly events: BoundEvents<S>;
  readonly sequence: readonly T[];
  readonly start: number;
  readonly end: number;
  /** When it was given up: the end of `within`; for a dropped one, the time of the event that led to it. */
  readonly timestamp: number;
}
