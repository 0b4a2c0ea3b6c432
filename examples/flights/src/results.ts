import type { WindowDelays } from './job.ts';
import type { DelayAlert } from './rising-delays.ts';

export interface Results {
  /** Flights read. */
  readonly records: number;
  /** Flights that came too late for all of their windows. */
  readonly late: number;
  /** Ordered by start, origin, end. */
  readonly windows: readonly WindowDelays[];
  /** Ordered by origin and first time; absent when they were not asked for. */
  readonly alerts?: readonly DelayAlert[];
}

/** Sorts in place. */
export function inOrder(windows: WindowDelays[]): WindowDelays[] {
  return windows.sort(byStartOriginEnd);
}

/**
 * Sorts in place. Alerts of one airport that begin at the same time stay in the order in which they were found, which is that of
 * the flights.
 */
export function alertsInOrder(alerts: DelayAlert[]): DelayAlert[] {
  return alerts.sort((a, b) => compareText(a.origin, b.origin) || firstTime(a) - firstTime(b));
}

function firstTime({ times }: DelayAlert): number {
  return times[0] ?? NaN;
}

function byStartOriginEnd(a: WindowDelays, b: WindowDelays): number {
  return a.start - b.start || compareText(a.origin, b.origin) || a.end - b.end;
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
