import { rounded } from '../../report/broken.ts';
import type { FaultKind } from '../../schedule/fault.ts';
import type { Violation } from '../check/violation.ts';
import { CAST } from '../load/cast.ts';
import type { Place } from '../load/fates.ts';
import type { Run } from '../run/run-runtime.ts';

/** What `--json` prints. Times are in milliseconds. */
export interface Report {
  readonly seed: number;
  readonly seconds: number;
  readonly records: {
    readonly sent: number;
    readonly confirmed: number;
    /** In the log. */
    readonly written: number;
    /** The sum of all counts. */
    readonly counted: number;
  };
  readonly results: {
    readonly windows: number;
    readonly late: number;
    readonly sessions: number;
    readonly timers: number;
    /** Records whose timers of processing time fired. */
    readonly clocked: number;
    /** Sent to topics. */
    readonly sent: number;
  };
  readonly faults: Readonly<Partial<Record<FaultKind, number>>> & { readonly skipped: number };
  /** Where processes killed themselves, and how often. */
  readonly diedAt: Readonly<Record<string, number>>;
  /** Planned failures of user code. */
  readonly threw: Readonly<Record<Place, number>>;
  readonly commits: { readonly made: number; readonly fenced: number; readonly repeated: number };
  readonly deliveries: { readonly total: number; readonly repeats: number };
  readonly recovery: {
    readonly limit: number;
    /** Partitions whose owner was lost while no other fault came into their recovery: `p50` and `max` are theirs. */
    readonly measured: number;
    readonly p50: number | null;
    readonly max: number | null;
    readonly hindered: number;
    /** What was allowed for on top since processes or Redis did not get their turn on this machine, at most. */
    readonly allowance: number;
  };
  readonly stop: { readonly count: number; readonly max: number | null };
  /** From the end of the load until everything was there; null when it was not. */
  readonly drained: number | null;
  readonly violations: readonly Violation[];
  /** Where the journals are, when they were kept. */
  readonly journals: string | null;
}

export function reportOf({ history, verdict, skipped, journals }: Run, seconds: number): Report {
  const { deliveries, ownership, recovery, stops, violations } = verdict;
  const { partitions, countsTopic, windowsTopic } = history.results;
  const total = (size: (each: (typeof partitions)[0]) => number): number =>
    partitions.reduce((sum, each) => sum + size(each), 0);
  const diedAt: Record<string, number> = {};
  for (const { kind, point } of history.disturbances) {
    if (kind === 'dieAt' && point !== undefined) diedAt[point] = (diedAt[point] ?? 0) + 1;
  }
  return {
    seed: history.seed,
    seconds,
    records: {
      sent: history.sent,
      confirmed: history.confirmed.length,
      written: history.log.length,
      counted: total(({ counts }) => Object.values(counts).reduce((sum, count) => sum + count, 0)),
    },
    results: {
      windows: windowsTopic.flat().length,
      late: total(({ late }) => late.length),
      sessions: total(({ sessions }) => sessions.length),
      timers: total(({ timers }) => timers.length),
      clocked: total(({ clockTimers }) => clockTimers.reduce((sum, { records }) => sum + records.length, 0)),
      sent: countsTopic.flat().length + windowsTopic.flat().length,
    },
    faults: { ...faultsOf(history.disturbances.map(({ kind }) => kind)), skipped },
    diedAt,
    threw: history.threw,
    commits: { made: ownership.commits, fenced: ownership.fenced, repeated: ownership.repeated },
    deliveries: { total: deliveries.total, repeats: deliveries.repeats },
    recovery: {
      limit: recovery.limit,
      measured: recovery.times.length,
      p50: rounded(recovery.times[Math.floor(recovery.times.length / 2)]),
      max: rounded(recovery.times.at(-1)),
      hindered: recovery.hindered,
      allowance: Math.round(recovery.allowance),
    },
    stop: { count: stops.times.length, max: rounded(stops.times.at(-1)) },
    drained: rounded(history.drained),
    violations,
    journals: journals ?? null,
  };
}

function faultsOf(happened: readonly FaultKind[]): Partial<Record<FaultKind, number>> {
  const faults: Partial<Record<FaultKind, number>> = {};
  for (const kind of CAST.kinds) {
    const count = happened.filter((each) => each === kind).length;
    if (count > 0) faults[kind] = count;
  }
  return faults;
}
