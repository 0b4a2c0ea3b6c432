import type { History } from '../history/history.ts';
import type { Expected } from '../model/model.ts';
import { recordEvidence } from './evidence.ts';
import type { Violation } from './violation.ts';

/** The state of each key holds the number of its records. */
export function checkCounts(history: History, expected: readonly Expected[]): Violation[] {
  const violations: Violation[] = [];
  for (const { partition, counts } of expected) {
    const stored = history.results.partitions[partition]?.counts ?? {};
    const right = new Map(counts.map((each) => [each.key, each]));
    for (const key of new Set([...right.keys(), ...Object.keys(stored)])) {
      const last = right.get(key);
      if (stored[key] === (last?.count ?? 0)) continue;
      violations.push({
        promise: 'the sum of counts is the number of records',
        what: `partition ${partition}: the count of ${key} is ${stored[key] ?? 'not there'}, and it had ${last?.count ?? 0} records`,
        evidence: recordEvidence(
          history,
          history.log.find(({ n }) => n === last?.n),
        ),
      });
    }
  }
  return violations;
}
