import type { History } from '../history/history.ts';
import type { TimerResult } from '../load/results.ts';
import { timerOf } from '../load/timers.ts';
import type { Expected } from '../model/model.ts';
import { differences } from './differences.ts';
import { recordEvidence } from './evidence.ts';
import type { Promised, Violation } from './violation.ts';

/** Timers of event time fire as the log says, and each record's timer of processing time fires once. */
export function checkTimers(history: History, expected: readonly Expected[]): Violation[] {
  const promise: Promised = 'each timer fires once';
  return expected.flatMap(({ partition, timers, clocked }) => {
    const results = history.results.partitions[partition];
    const byEvents = differences(results?.timers ?? [], timers, { ordered: true });
    const fired = (results?.clockTimers ?? []).flatMap(({ records }) => records.map((n) => ({ n })));
    const byClock = differences(
      fired,
      clocked.map((n) => ({ n })),
      { ordered: false },
    );
    return [
      ...byEvents.map(({ what, of }) => ({
        promise,
        what: `timers of partition ${partition}: ${what}`,
        evidence: recordEvidence(history, askerOf(history, of)),
      })),
      ...byClock.map(({ what, of }) => ({
        promise,
        what: `timers of processing time of partition ${partition}, by record: ${what}`,
        evidence: recordEvidence(
          history,
          history.log.find(({ n }) => n === of.n),
        ),
      })),
    ];
  });
}

function askerOf({ seed, log }: History, { key, time }: TimerResult): History['log'][number] | undefined {
  return log.find((entry) => entry.key === key && timerOf(seed, entry) === time);
}
