import { rounded } from '../../report/broken.ts';
import { CAST } from '../load/cast.ts';
import { REASONS, type Reason } from '../check/check-duplicates.ts';
import { isSuccess } from '../check/successes.ts';
import type { Violation } from '../check/violation.ts';
import { placeOf } from '../history/history.ts';
import type { Run } from '../run/run-chaos.ts';
import type { FaultKind } from '../../schedule/fault.ts';

/** What `--json` prints. Times are in milliseconds. */
export interface Report {
  readonly seed: number;
  readonly seconds: number;
  readonly messages: {
    /** Handed to producers, by all of their processes. */
    readonly sent: number;
    readonly confirmed: number;
    /** Entries of the log: confirmed ones, and those that were written before their producer was killed. */
    readonly written: number;
    /** Messages that were handled successfully. */
    readonly handled: number;
    readonly deadLetters: number;
    /** Calls of handlers, with those that failed. */
    readonly handlings: number;
  };
  readonly faults: Readonly<Partial<Record<FaultKind, number>>> & { readonly skipped: number };
  readonly duplicates: { readonly total: number } & Readonly<Record<Reason, number>>;
  readonly recovery: {
    readonly limit: number;
    /** Partitions whose owner was lost while no other fault came into their recovery: `p50` and `max` are theirs. */
    readonly measured: number;
    readonly p50: number | null;
    readonly max: number | null;
    readonly hindered: number;
    /** The longest time in which a process did not get its turn on this machine during a recovery: allowed for on top. */
    readonly allowance: number;
  };
  readonly close: { readonly count: number; readonly max: number | null };
  /** From the end of the load until everything was settled; null when it was not. */
  readonly drained: number | null;
  readonly violations: readonly Violation[];
  /** Where the journals are, when they were kept. */
  readonly journals: string | null;
}

export function reportOf({ history, verdict, skipped, journals }: Run, seconds: number): Report {
  const { duplicates, recovery, closings, violations } = verdict;
  const faults: Partial<Record<FaultKind, number>> = {};
  for (const kind of CAST.kinds) {
    const count = history.disturbances.filter((each) => each.kind === kind).length;
    if (count > 0) faults[kind] = count;
  }
  const handled = new Set(history.handlings.filter(isSuccess).map(placeOf));
  const dead = new Set(
    history.deadLetters.map(({ partition, original }) => placeOf({ partition, id: original })),
  );
  return {
    seed: history.seed,
    seconds,
    messages: {
      sent: history.sent.length,
      confirmed: history.confirmed.length,
      written: history.log.length,
      handled: handled.size,
      deadLetters: dead.size,
      handlings: history.handlings.length,
    },
    faults: { ...faults, skipped },
    duplicates: {
      total: duplicates.total,
      ...(Object.fromEntries(REASONS.map((reason) => [reason, duplicates.byReason[reason]])) as Record<
        Reason,
        number
      >),
    },
    recovery: {
      limit: recovery.limit,
      measured: recovery.times.length,
      p50: rounded(recovery.times[Math.floor(recovery.times.length / 2)]),
      max: rounded(recovery.times.at(-1)),
      hindered: recovery.hindered,
      allowance: Math.round(recovery.allowance),
    },
    close: { count: closings.times.length, max: rounded(closings.times.at(-1)) },
    drained: rounded(history.drained),
    violations,
    journals: journals ?? null,
  };
}
