import type { Expected } from '../model/model.ts';
import type { Results, TaskState } from '../redis/stored.ts';

/**
 * How much of what there will be is not there yet, one line for each place; empty when all is there. It only counts: whether results
 * are right is for the checks.
 *
 * @param delivered results that a function was given at least once
 */
export function missing(
  expected: readonly Expected[],
  results: Results,
  tasks: readonly TaskState[],
  delivered: number,
): string[] {
  const total = (size: (each: Expected) => number): number =>
    expected.reduce((sum, each) => sum + size(each), 0);
  const lines: string[] = [];
  const compare = (what: string, have: number, want: number): void => {
    if (have < want) lines.push(`${what}: ${have} of ${want}`);
  };
  for (const each of expected) {
    const has = results.partitions[each.partition];
    const where = (what: string): string => `${what} of partition ${each.partition}`;
    const counted = Object.values(has?.counts ?? {}).reduce((sum, count) => sum + count, 0);
    const clocked = (has?.clockTimers ?? []).reduce((sum, { records }) => sum + records.length, 0);
    compare(where('records counted'), counted, each.counts.length);
    compare(where('late records'), has?.late.length ?? 0, each.late.length);
    compare(where('sessions'), has?.sessions.length ?? 0, each.sessions.length);
    compare(where('timers'), has?.timers.length ?? 0, each.timers.length);
    compare(where('records whose timers of processing time fired'), clocked, each.clocked.length);
  }
  for (const { partition, last, delivered: at = 'no place' } of tasks) {
    if (at !== last) lines.push(`the group of partition ${partition}: at ${at} of ${last}`);
  }
  compare(
    'counts in their topic',
    results.countsTopic.flat().length,
    total(({ counts }) => counts.length),
  );
  compare(
    'windows in their topic',
    results.windowsTopic.flat().length,
    total(({ windows }) => windows.length),
  );
  compare(
    'results given to the function',
    delivered,
    total(({ counts }) => counts.length),
  );
  return lines;
}
