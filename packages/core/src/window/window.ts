/**
 * A span of time `[start, end)` in epoch milliseconds. The window without bounds, `[-Infinity, +Infinity)`, holds every
 * element of a key: none is late for it, and it closes when the input ends. Its `end − 1` is no time that a record can
 * have.
 */
export interface Window {
  /** First millisecond that belongs to the window; `-Infinity` for a window without bounds. */
  readonly start: number;
  /** First millisecond that no longer belongs to it; `+Infinity` for a window without bounds. */
  readonly end: number;
}
