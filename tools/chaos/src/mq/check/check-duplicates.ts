import { affects } from '../../faults/disturbance.ts';
import { type History, type Tenure, placeOf } from '../history/history.ts';
import { messageEvidence } from './evidence.ts';
import { type Ended, successesOf } from './successes.ts';
import type { Violation } from './violation.ts';

/**
 * Why a message was handled successfully once more: the process had died before its outcome was stored, had lost its lease, had
 * given up in `close`, or the group was destroyed and with it what was settled above its low watermark.
 */
export const REASONS = ['crash', 'lease', 'stop', 'group'] as const;
export type Reason = (typeof REASONS)[number];

export interface Duplicates {
  readonly total: number;
  readonly byReason: Readonly<Record<Reason, number>>;
  readonly violations: readonly Violation[];
}

/** Without a fault, an outcome is stored this many milliseconds after its handler's end. */
const STORED_WITHIN = 1_000;
/** After a fault, until a connection stands again and what waits is sent again. */
const BACK_WITHIN = 5_000;

/**
 * One success of a message counts, and each other needs a reason why it did not. A cut connection or a server that was away is none:
 * an outcome is sent again until it is stored or the lease is lost.
 */
export function checkDuplicates(history: History): Duplicates {
  const byReason: Record<Reason, number> = { crash: 0, lease: 0, stop: 0, group: 0 };
  const violations: Violation[] = [];
  let total = 0;
  for (const successes of successesOf(history).values()) {
    if (successes.length === 1) continue;
    total += successes.length - 1;
    const reasons = successes.map((success) => reasonFor(history, success));
    // The one that counts needs no reason, though it may have one too: its process may have died right after.
    const counted = Math.max(reasons.indexOf(undefined), 0);
    for (const [at, success] of successes.entries()) {
      const first = successes[counted];
      if (at === counted || first === undefined) continue;
      const reason = reasons[at] ?? (groupVanished(history, first, success) ? 'group' : undefined);
      if (reason === undefined) {
        violations.push({
          promise: 'every duplicate is explained',
          what: `${placeOf(first)} was handled by ${first.incarnation} and again by ${success.incarnation}, without a reason`,
          evidence: messageEvidence(history, first),
        });
      } else byReason[reason]++;
    }
  }
  return { total, byReason, violations };
}

/** Why the outcome of a handling may not have been stored. */
function reasonFor(history: History, success: Ended): Reason | undefined {
  const { incarnation, partition, epoch } = success;
  const tenure = history.tenures.find(
    (each) => each.incarnation === incarnation && each.partition === partition && each.epoch === epoch,
  );
  if (tenure?.until === undefined || tenure.until > storedBy(history, success)) return undefined;
  return reasonOf(history, tenure, success);
}

/** Between the two the group was destroyed, and made again at its low watermark. */
function groupVanished({ disturbances }: History, a: Ended, b: Ended): boolean {
  const [first, last] = a.start < b.start ? [a, b] : [b, a];
  return disturbances.some(
    ({ kind, partition, from }) =>
      kind === 'destroyGroup' && partition === first.partition && from >= first.start && from <= last.start,
  );
}

function reasonOf(
  history: History,
  { how, until = Infinity, incarnation }: Tenure,
  first: Ended,
): Reason | undefined {
  switch (how) {
    case 'killed':
      return 'crash';
    case 'lost':
      return 'lease';
    case 'ungrouped':
      return 'group';
    case 'ended': {
      const closing = history.closings.find((each) => each.incarnation === incarnation);
      return closing === undefined ? undefined : 'stop';
    }
    case 'released':
      // It stores everything that has ended before it gives a partition back.
      return first.end > until ? 'stop' : undefined;
    case undefined:
      return undefined;
  }
}

/** The time by which the outcome of a handling is stored, if its process lives and keeps its lease. */
function storedBy({ disturbances }: History, { incarnation, end }: Ended): number {
  let by = end + STORED_WITHIN;
  for (const fault of [...disturbances].sort((a, b) => a.from - b.from)) {
    if (fault.until + BACK_WITHIN < end || fault.from > by || !affects(fault, incarnation)) continue;
    by = Math.max(by, fault.until + BACK_WITHIN);
  }
  return by;
}
