import { type Disturbance, hindersTakeover } from '../../faults/disturbance.ts';
import type { Handling, History, Tenure } from '../history/history.ts';
import { partitionEvidence } from './evidence.ts';
import { longestLag } from '../../faults/longest-lag.ts';
import type { Violation } from './violation.ts';

/** How long after the loss of its owner a partition may be without one that handles messages, beyond the lease. */
const BEYOND_LEASE = 1_000;

export interface Recovery {
  readonly limit: number;
  /** Milliseconds from the loss of an owner to the first message that the next one handles, rising; without other faults meanwhile. */
  readonly times: readonly number[];
  /** Partitions that had another fault come into their recovery: their limit counts from its end. */
  readonly hindered: number;
  /** What was added for the processes' own lags, at most. */
  readonly allowance: number;
  readonly violations: readonly Violation[];
}

/** After a kill, or a stop longer than the lease, each partition of the process is handled by another within the lease and 1 s. */
export function checkRecovery(history: History): Recovery {
  const limit = history.lease + BEYOND_LEASE;
  const times: number[] = [];
  const violations: Violation[] = [];
  let hindered = 0;
  let allowance = 0;
  for (const outage of history.disturbances) {
    if (outage.kind !== 'killConsumer' && outage.kind !== 'freeze') continue;
    for (const tenure of heldAt(history, outage)) {
      const deadline = deadlineFor(history, outage, limit);
      const next = nextHandling(history, tenure);
      // Without a message to handle, nobody can be seen to handle one.
      const arrival = next === undefined ? -Infinity : arrivalOf(next, history);
      const lag = longestLag(history, outage.from, Math.max(deadline, arrival) + BEYOND_LEASE);
      const due = Math.max(deadline, arrival + BEYOND_LEASE) + lag;
      allowance = Math.max(allowance, lag);
      if (deadline > outage.from + limit) hindered++;
      else if (next !== undefined && arrival < deadline) times.push(next.start - outage.from);
      if (next === undefined ? !hasMore(history, tenure, outage.from) : next.start <= due) continue;
      const { partition, incarnation, epoch } = tenure;
      const took = next === undefined ? 'never' : `after ${Math.round(next.start - outage.from)} ms`;
      violations.push({
        promise: 'recovery within the lease and 1 s',
        what:
          `partition ${partition} of ${incarnation}, epoch ${epoch}, was handled by the next owner ${took}; ` +
          `it was due after ${Math.round(due - outage.from)} ms, ${Math.round(lag)} ms of that for lags of the processes`,
        evidence: partitionEvidence(history, partition, outage.from - 1_000, (next?.start ?? due) + 1_000),
      });
    }
  }
  return { limit, times: times.sort((a, b) => a - b), hindered, allowance, violations };
}

function heldAt({ tenures }: History, { incarnation, from }: Disturbance): Tenure[] {
  return tenures.filter(
    (each) => each.incarnation === incarnation && each.from <= from && (each.until ?? Infinity) >= from,
  );
}

/** Starts anew with the end of each fault that comes into it. */
function deadlineFor({ disturbances }: History, outage: Disturbance, limit: number): number {
  let deadline = outage.from + limit;
  for (const fault of [...disturbances].sort((a, b) => a.from - b.from)) {
    if (fault === outage || !hindersTakeover(fault)) continue;
    if (fault.until < outage.from || fault.from > deadline) continue;
    deadline = Math.max(deadline, fault.until + limit);
  }
  return deadline;
}

function nextHandling({ handlings }: History, { partition, epoch }: Tenure): Handling | undefined {
  return handlings.find((each) => each.partition === partition && each.epoch > epoch);
}

/** When a message was written, on the monotonic clock: its id has the time of the server. */
function arrivalOf({ id }: Handling, { wallOffset }: History): number {
  return Number(id.split('-')[0]) - wallOffset;
}

function hasMore({ log, wallOffset }: History, { partition }: Tenure, at: number): boolean {
  return log.some(
    (entry) => entry.partition === partition && Number(entry.id.split('-')[0]) - wallOffset > at,
  );
}
