import { type Disturbance, hindersTakeover } from '../../faults/disturbance.ts';
import { longestLag, totalLag } from '../../faults/longest-lag.ts';
import type { Commit, History, Tenure } from '../history/history.ts';
import { partitionEvidence } from './evidence.ts';
import { timeOfId } from './time-of-id.ts';
import type { Violation } from './violation.ts';

/** How long after the loss of its owner a partition may be without a commit of the next one, beyond the lease. */
const BEYOND_LEASE = 1_000;

export interface Recovery {
  readonly limit: number;
  /** Milliseconds from the loss of an owner to the first commit of the next one, rising; without other faults meanwhile. */
  readonly times: readonly number[];
  /** Partitions that had another fault come into their recovery: their limit counts from its end. */
  readonly hindered: number;
  /** What was added for lags of processes and of Redis, at most. */
  readonly allowance: number;
  readonly violations: readonly Violation[];
}

/** After a kill, or a stop longer than the lease, each partition of the process is worked on by another within the lease and 1 s. */
export function checkRecovery(history: History): Recovery {
  const limit = history.lease + BEYOND_LEASE;
  const times: number[] = [];
  const violations: Violation[] = [];
  let hindered = 0;
  let allowance = 0;
  for (const outage of history.disturbances) {
    if (!['killWorker', 'dieAt', 'freeze'].includes(outage.kind)) continue;
    for (const tenure of heldAt(history, outage)) {
      const deadline = deadlineFor(history, outage, limit);
      const next = nextCommit(history, tenure);
      // Without a record to work on, nobody can be seen to work.
      const arrival = next === undefined ? -Infinity : timeOfId(next.offset, history);
      const until = Math.max(deadline, arrival) + BEYOND_LEASE;
      // Who takes over makes many calls one after the other before its first commit: each of them has to wait for its turn.
      const lag =
        next === undefined
          ? longestLag(history, outage.from, until)
          : Math.max(
              longestLag(history, outage.from, until),
              totalLag(history, next.incarnation, outage.from, Math.min(until, next.at)),
            );
      const due = Math.max(deadline, arrival + BEYOND_LEASE) + lag;
      allowance = Math.max(allowance, lag);
      if (deadline > outage.from + limit) hindered++;
      else if (next !== undefined && arrival < deadline) times.push(next.at - outage.from);
      if (next === undefined ? !hasMore(history, tenure) : next.at <= due) continue;
      const { partition, incarnation, epoch } = tenure;
      const took = next === undefined ? 'never' : `after ${Math.round(next.at - outage.from)} ms`;
      violations.push({
        promise: 'recovery within the lease and 1 s',
        what:
          `partition ${partition} of ${incarnation}, epoch ${epoch}, saw a commit of the next owner ${took}; ` +
          `it was due after ${Math.round(due - outage.from)} ms, ${Math.round(lag)} ms of that for lags of the processes`,
        evidence: partitionEvidence(history, partition, outage.from - 1_000, (next?.at ?? due) + 1_000),
      });
    }
  }
  return { limit, times: times.sort((a, b) => a - b), hindered, allowance, violations };
}

/** What the process held, and nobody had taken over yet. */
function heldAt({ tenures }: History, { incarnation, from }: Disturbance): Tenure[] {
  return tenures.filter(
    (each) =>
      each.incarnation === incarnation &&
      each.from <= from &&
      (each.until ?? Infinity) >= from &&
      !tenures.some(
        (next) => next.partition === each.partition && next.epoch > each.epoch && next.from <= from,
      ),
  );
}

/** Starts anew with the end of each fault that comes into it, and when somebody is there who could take over. */
function deadlineFor(history: History, outage: Disturbance, limit: number): number {
  const undisturbed = undisturbedDeadline(history, outage, limit);
  return Math.max(undisturbed, someoneElse(history, outage, undisturbed - limit) + limit);
}

/** The first time from then on at which another process takes part in the job. */
function someoneElse({ ready, incarnations }: History, outage: Disturbance, from: number): number {
  const times = ready.flatMap(({ incarnation, at }) => {
    if (incarnation === outage.incarnation) return [];
    const life = incarnations.find((each) => each.incarnation === incarnation);
    const end = life?.killedAt ?? life?.endedAt ?? Infinity;
    return end <= from ? [] : [Math.max(from, at)];
  });
  return Math.min(...times, Infinity);
}

function undisturbedDeadline({ disturbances }: History, outage: Disturbance, limit: number): number {
  let deadline = outage.from + limit;
  for (const fault of [...disturbances].sort((a, b) => a.from - b.from)) {
    if (fault === outage || !hindersTakeover(fault)) continue;
    if (fault.until < outage.from || fault.from > deadline) continue;
    deadline = Math.max(deadline, fault.until + limit);
  }
  return deadline;
}

function nextCommit({ commits, tenures }: History, { partition, epoch }: Tenure): Commit | undefined {
  const later = new Set(
    tenures.filter((each) => each.partition === partition && each.epoch > epoch).map(({ token }) => token),
  );
  return commits.find((each) => each.partition === partition && later.has(each.token) && each.reply === 'OK');
}

/** The log went on behind what was committed. */
function hasMore({ log, commits }: History, { partition, token, offset }: Tenure): boolean {
  const own = commits.filter((each) => each.token === token && each.reply === 'OK');
  const settled = own.at(-1)?.offset ?? offset;
  return log.filter((entry) => entry.partition === partition).at(-1)?.id !== settled;
}
