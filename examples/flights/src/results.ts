import type { WindowDelays } from './job.ts';

export interface Results {
  /** Flights read. */
  readonly records: number;
  /** Flights that came too late for all of their windows. */
  readonly late: number;
  /** Ordered by start, origin, end. */
  readonly windows: readonly WindowDelays[];
}

/** Sorts in place. */
export function inOrder(windows: WindowDelays[]): WindowDelays[] {
  return windows.sort(byStartOriginEnd);
}

function byStartOriginEnd(a: WindowDelays, b: WindowDelays): number {
  return a.start - b.start || compareText(a.origin, b.origin) || a.end - b.end;
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
