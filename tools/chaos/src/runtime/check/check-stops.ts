import { longestLag } from '../../faults/longest-lag.ts';
import type { History } from '../history/history.ts';
import type { Violation } from './violation.ts';

const BEYOND_BUDGET = 500;

export interface Stops {
  /** Milliseconds that each `stop` took, rising. */
  readonly times: readonly number[];
  readonly violations: readonly Violation[];
}

/** `stop` ends in its time, whatever the job and Redis do. */
export function checkStops(history: History): Stops {
  const violations: Violation[] = [];
  const times: number[] = [];
  for (const { incarnation, at, budget, took } of history.stops) {
    if (took === undefined) continue;
    times.push(took);
    const lag = longestLag(history, at, at + took + BEYOND_BUDGET);
    if (took <= budget + BEYOND_BUDGET + lag) continue;
    violations.push({
      promise: 'stop within its budget and 0.5 s',
      what: `stop of ${incarnation} took ${Math.round(took)} ms with a budget of ${budget} ms`,
      evidence: [`lag ${Math.round(lag)} ms`],
    });
  }
  return { times: times.sort((a, b) => a - b), violations };
}
