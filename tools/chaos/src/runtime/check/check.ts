import type { History } from '../history/history.ts';
import { expectedOf } from '../model/model.ts';
import { checkCounts } from './check-counts.ts';
import { type Deliveries, checkDeliveries } from './check-deliveries.ts';
import { checkGivenUp } from './check-given-up.ts';
import { checkInput } from './check-input.ts';
import { checkLeftBehind } from './check-left-behind.ts';
import { type Ownership, checkOwnership } from './check-ownership.ts';
import { checkProcesses } from './check-processes.ts';
import { type Recovery, checkRecovery } from './check-recovery.ts';
import { type Stops, checkStops } from './check-stops.ts';
import { checkTimers } from './check-timers.ts';
import { checkTopics } from './check-topics.ts';
import { checkWindows } from './check-windows.ts';
import { PROMISES, type Violation } from './violation.ts';

export interface Verdict {
  readonly deliveries: Deliveries;
  readonly ownership: Ownership;
  readonly recovery: Recovery;
  readonly stops: Stops;
  /** In the order of the promises. */
  readonly violations: readonly Violation[];
}

/** Holds a run against everything that is promised. */
export function check(history: History): Verdict {
  const expected = expectedOf(history.seed, history.log);
  const deliveries = checkDeliveries(history, expected);
  const ownership = checkOwnership(history);
  const recovery = checkRecovery(history);
  const stops = checkStops(history);
  const violations: Violation[] = [
    ...checkProcesses(history),
    ...checkInput(history),
    ...checkCounts(history, expected),
    ...checkWindows(history, expected),
    ...checkTimers(history, expected),
    ...checkTopics(history, expected),
    ...deliveries.violations,
    ...ownership.violations,
    ...checkGivenUp(history),
    ...checkLeftBehind(history),
    ...recovery.violations,
    ...stops.violations,
  ];
  const place = ({ promise }: Violation): number => PROMISES.indexOf(promise);
  return {
    deliveries,
    ownership,
    recovery,
    stops,
    violations: violations.sort((a, b) => place(a) - place(b)),
  };
}
