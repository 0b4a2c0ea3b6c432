import type { History } from '../history/history.ts';
import { type Closings, checkClosing } from './check-closing.ts';
import { type Duplicates, checkDuplicates } from './check-duplicates.ts';
import { checkLoss } from './check-loss.ts';
import { checkNaps } from './check-naps.ts';
import { checkOrder } from './check-order.ts';
import { checkOwnership } from './check-ownership.ts';
import { checkProcesses } from './check-processes.ts';
import { checkProducer } from './check-producer.ts';
import { type Recovery, checkRecovery } from './check-recovery.ts';
import { PROMISES, type Violation } from './violation.ts';

export interface Verdict {
  readonly duplicates: Duplicates;
  readonly recovery: Recovery;
  readonly closings: Closings;
  /** In the order of the promises. */
  readonly violations: readonly Violation[];
}

/** Holds a run against everything that is promised. */
export function check(history: History): Verdict {
  const duplicates = checkDuplicates(history);
  const recovery = checkRecovery(history);
  const closings = checkClosing(history);
  const violations = [
    ...checkProcesses(history),
    ...checkLoss(history),
    ...checkProducer(history),
    ...checkOrder(history),
    ...duplicates.violations,
    ...checkOwnership(history),
    ...checkNaps(history),
    ...recovery.violations,
    ...closings.violations,
    ...history.sightings.map(({ promise, what }): Violation => ({ promise, what, evidence: [] })),
  ];
  const place = ({ promise }: Violation): number => PROMISES.indexOf(promise);
  return { duplicates, recovery, closings, violations: violations.sort((a, b) => place(a) - place(b)) };
}
