/** A span of time `[start, end)` in epoch milliseconds. */
export interface Window {
  /** First millisecond that belongs to the window. */
  readonly start: number;
  /** First millisecond that no longer belongs to it. */
  readonly end: number;
}
