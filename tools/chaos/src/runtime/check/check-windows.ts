import type { History } from '../history/history.ts';
import type { LateRecord, WindowResult } from '../load/results.ts';
import type { Expected } from '../model/model.ts';
import { differences } from './differences.ts';
import { recordEvidence } from './evidence.ts';
import type { Violation } from './violation.ts';

/** Sessions, late records, and the last results of windows are what the log makes of them. The other results of windows go to a topic. */
export function checkWindows(history: History, expected: readonly Expected[]): Violation[] {
  return expected.flatMap(({ partition, windows, sessions, late }) => {
    const results = history.results.partitions[partition];
    const about = ({ records }: WindowResult): number | undefined => records.at(-1);
    return [
      ...compared(history, `sessions of partition ${partition}`, results?.sessions ?? [], sessions, about),
      ...compared(
        history,
        `late records of partition ${partition}`,
        results?.late ?? [],
        late,
        ({ n }: LateRecord) => n,
      ),
      ...lastWindows(history, partition, results?.windows ?? {}, windows),
    ];
  });
}

function compared<T extends object>(
  history: History,
  where: string,
  actual: readonly T[],
  expected: readonly T[],
  recordOf: (result: T) => number | undefined,
): Violation[] {
  return differences(actual, expected, { ordered: true }).map(({ what, of }) =>
    violation(history, `${where}: ${what}`, recordOf(of)),
  );
}

/** The newest result of each window, which its field has. */
function lastWindows(
  history: History,
  partition: number,
  stored: Readonly<Record<string, WindowResult>>,
  results: readonly WindowResult[],
): Violation[] {
  const last = new Map(results.map((each) => [`${each.key} ${each.start}`, each]));
  return [...new Set([...last.keys(), ...Object.keys(stored)])].flatMap((field) => {
    const [is, should] = [JSON.stringify(stored[field]), JSON.stringify(last.get(field))];
    if (is === should) return [];
    const what = `partition ${partition}: the window ${field} has ${is ?? 'no result'} instead of ${should ?? 'none'}`;
    return [violation(history, what, (last.get(field) ?? stored[field])?.records.at(-1))];
  });
}

function violation(history: History, what: string, record: number | undefined): Violation {
  const entry = history.log.find(({ n }) => n === record);
  return { promise: 'each window has its results once', what, evidence: recordEvidence(history, entry) };
}
