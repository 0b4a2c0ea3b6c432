import type { History } from '../history/history.ts';
import { recordEvidence } from './evidence.ts';
import type { Violation } from './violation.ts';

/** Records that throw once are tried again, and a process that dies is no record's fault. */
export function checkGivenUp(history: History): Violation[] {
  return history.deadLetters.map(({ partition, original, error }) => {
    const entry = history.log.find((each) => each.partition === partition && each.id === original);
    return {
      promise: 'no record is given up',
      what: `record ${entry?.n ?? 'unknown'} at ${partition}/${original} is a dead letter: ${error}`,
      evidence: recordEvidence(history, entry),
    };
  });
}
