import { partitionOf } from '@rs/core';
import type { History } from '../history/history.ts';
import { LOAD } from '../load/settings.ts';
import type { Expected } from '../model/model.ts';
import { differences } from './differences.ts';
import { recordEvidence } from './evidence.ts';
import type { Violation } from './violation.ts';

interface Keyed {
  readonly key: string;
}

/** Each result is in its topic once, in the partition of its key, those of one partition of the job in their order. */
export function checkTopics(history: History, expected: readonly Expected[]): Violation[] {
  const { countsTopic, windowsTopic } = history.results;
  return [
    ...inTopic(
      history,
      LOAD.counts,
      countsTopic,
      expected,
      ({ counts }) => counts,
      ({ n }) => n,
    ),
    ...inTopic(
      history,
      LOAD.windows,
      windowsTopic,
      expected,
      ({ windows }) => windows,
      ({ records }) => records.at(-1),
    ),
  ];
}

function inTopic<T extends Keyed>(
  history: History,
  { topic, partitions }: { readonly topic: string; readonly partitions: number },
  actual: readonly (readonly T[])[],
  expected: readonly Expected[],
  resultsOf: (expected: Expected) => readonly T[],
  recordOf: (result: T) => number | undefined,
): Violation[] {
  const violations: Violation[] = [];
  for (let target = 0; target < partitions; target++) {
    const got = actual[target] ?? [];
    for (const each of expected) {
      // All records of a key come from one partition, so that results tell where they are from.
      const ours = got.filter(({ key }) => partitionOf(key, LOAD.partitions) === each.partition);
      const right = resultsOf(each).filter(({ key }) => partitionOf(key, partitions) === target);
      for (const { what, of } of differences(ours, right, { ordered: true })) {
        violations.push({
          promise: 'topics get each result once, in order',
          what: `${topic}, partition ${target}, from partition ${each.partition}: ${what}`,
          evidence: recordEvidence(
            history,
            history.log.find(({ n }) => n === recordOf(of)),
          ),
        });
      }
    }
  }
  return violations;
}
