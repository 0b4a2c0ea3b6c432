import type { Evictor } from './evictor.ts';
import type { Trigger } from './trigger.ts';
import type { Window } from './window.ts';

/** Which clock a window is cut by. */
export type TimeDomain = 'event' | 'processing';

/**
 * Windows on a regular grid, in a form that needs no allocation: an element belongs to the windows
 * `[s, s + size)` for `s = lastStart(ts), lastStart(ts) − slide, …` while `s > ts − size`.
 */
export interface AlignedWindows {
  readonly size: number;
  readonly slide: number;
  /** The newest start that is not after `timestamp`. */
  lastStart(timestamp: number): number;
}

/** Says which windows an element belongs to. Stateless. */
export interface WindowAssigner<T> {
  /** The windows of one element, newest start first. May be empty, where windows leave gaps. */
  assignWindows(element: T, timestamp: number): readonly Window[];
  /** The trigger used when the stream sets none. */
  getDefaultTrigger(): Trigger<T>;
  /**
   * The evictor used when the stream sets none; absent or `undefined`: no element is removed. Windows with an evictor
   * keep all of their elements, so an assigner has one only where its windows mean nothing without.
   *
   * @typeParam E the elements of the stream; an assigner for a type also serves streams of its subtypes
   */
  getDefaultEvictor?<E extends T>(): Evictor<E> | undefined;
  /** True when windows of one key that overlap become one window, as sessions do. */
  supportsWindowMerging(): boolean;
  readonly timeDomain: TimeDomain;
  /** True when the windows never close by time: then no element is late, and options about lateness are refused. */
  readonly endless?: boolean;
  /** Set when the windows lie on a regular grid; engines then never call `assignWindows`. */
  readonly aligned?: AlignedWindows;
  /** For merging windows: `separate` keeps windows apart that only touch (the default), `merge` joins them. */
  readonly touching?: 'separate' | 'merge';
  /** Short text for graphs and messages, such as `tumbling(60000)`. */
  describe(): string;
}
