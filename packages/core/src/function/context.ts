import type { OutputTag } from '../output-tag.ts';
import type { StateDescriptor, StateOf } from '../state/descriptor.ts';

/** Takes the results of a function. Valid until the call it was given to is settled, then `RS_CONTEXT_CLOSED`. */
export interface Collector<T> {
  collect(value: T): void;
}

/** What a function can ask about time. */
export interface TimeContext {
  /** Event time of the record, or the time of the timer, in epoch milliseconds. */
  currentEventTime(): number;
  currentProcessingTime(): number;
  /** `-Infinity` before the first watermark, `+Infinity` once the input has ended. */
  currentWatermark(): number;
}

/**
 * What a keyed function can see and do; about one key and one record or timer. Valid until the call it was given to is
 * settled (for an async function: until its promise is), then every use throws `RS_CONTEXT_CLOSED`.
 */
export interface ProcessContext<K> extends TimeContext {
  readonly key: K;
  /**
   * Asks for `onEventTime` at `timestamp`; one timer per key and time. A time already passed is due at once.
   *
   * @throws RsError `RS_TIMER_UNHEARD` when the function has no `onEventTime`, `RS_INVALID_TIMESTAMP`
   */
  registerEventTimeTimer(timestamp: number): void;
  /**
   * Asks for `onProcessingTime` at `timestamp`; one timer per key and time.
   *
   * @throws RsError `RS_TIMER_UNHEARD` when the function has no `onProcessingTime`, `RS_INVALID_TIMESTAMP`
   */
  registerProcessingTimeTimer(timestamp: number): void;
  deleteEventTimeTimer(timestamp: number): void;
  deleteProcessingTimeTimer(timestamp: number): void;
  /** State of this key. Declared by `keyed.getState(…)` or in `open`, else `RS_STATE_UNDECLARED`. */
  state<D extends StateDescriptor>(descriptor: D): StateOf<D>;
  /** Sends a value to a side output, which `stream.getSideOutput(tag)` reads. */
  output<X>(tag: OutputTag<X>, value: NoInfer<X>): void;
  /**
   * Says that a record came too late to be taken into account: it is counted where late records of windows are, under the
   * operator's `uid`. Whether it also goes to a side output is the function's matter.
   */
  reportLate(value: unknown): void;
}

/** What a window function can see and do. */
export interface WindowContext<K> extends TimeContext {
  readonly key: K;
  output<X>(tag: OutputTag<X>, value: NoInfer<X>): void;
}

/** Given to `open`. */
export interface OpenContext {
  /** Declares a state and returns its handle, which is valid in the synchronous part of this function's callbacks. */
  state<D extends StateDescriptor>(descriptor: D): StateOf<D>;
}
