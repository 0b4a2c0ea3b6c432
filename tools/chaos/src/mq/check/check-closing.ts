import type { History } from '../history/history.ts';
import type { Violation } from './violation.ts';

const BEYOND_BUDGET = 500;

export interface Closings {
  /** Milliseconds that each `close` took, rising. */
  readonly times: readonly number[];
  readonly violations: readonly Violation[];
}

/** `close` ends in its time, whatever handlers and Redis do. */
export function checkClosing({ closings, lags }: History): Closings {
  const violations: Violation[] = [];
  const times: number[] = [];
  for (const { incarnation, at, budget, took, abandoned, unreleased } of closings) {
    if (took === undefined) continue;
    times.push(took);
    const lag = lags
      .filter(
        (each) => each.incarnation === incarnation && each.at >= at && each.at <= at + took + BEYOND_BUDGET,
      )
      .reduce((longest, { millis }) => Math.max(longest, millis), 0);
    if (took <= budget + BEYOND_BUDGET + lag) continue;
    violations.push({
      promise: 'close within its budget and 0.5 s',
      what: `close of ${incarnation} took ${Math.round(took)} ms with a budget of ${budget} ms`,
      evidence: [
        `${abandoned} handlers abandoned, ${unreleased} leases not given back, lag ${Math.round(lag)} ms`,
      ],
    });
  }
  return { times: times.sort((a, b) => a - b), violations };
}
