import { type History, placeOf } from '../history/history.ts';
import { compareIds } from '../../redis/compare-ids.ts';
import { messageEvidence } from './evidence.ts';
import { type Ended, deathsOf, isSuccess, successesOf } from './successes.ts';
import type { Violation } from './violation.ts';

const promise = 'order per key';

/** A message is handled for the first time after those of its key that stand before it; and no owner goes back in a key. */
export function checkOrder(history: History): Violation[] {
  return [...checkFirst(history), ...checkTenures(history)];
}

function checkFirst(history: History): Violation[] {
  const successes = successesOf(history);
  const deaths = deathsOf(history);
  const last = new Map<string, Ended>();
  const violations: Violation[] = [];
  for (const entry of [...history.log].sort((a, b) => compareIds(a.id, b.id))) {
    const first = successes.get(placeOf(entry))?.[0] ?? deaths.get(placeOf(entry))?.[0];
    // That it was not handled at all is another promise's matter.
    if (first === undefined) continue;
    const before = last.get(entry.key);
    if (before !== undefined && first.start < before.end) {
      violations.push({
        promise,
        what: `${placeOf(first)} of ${entry.key} was handled before ${placeOf(before)}, which stands before it`,
        evidence: [...messageEvidence(history, before), '—', ...messageEvidence(history, first)],
      });
    }
    if (before === undefined || first.end > before.end) last.set(entry.key, first);
  }
  return violations;
}

/** Under one epoch a process succeeds with the messages of a key in rising order, and with none of them twice. */
function checkTenures(history: History): Violation[] {
  const keys = new Map(history.log.map((entry) => [placeOf(entry), entry.key]));
  const last = new Map<string, Ended>();
  const violations: Violation[] = [];
  const successes = history.handlings.filter(isSuccess).sort((a, b) => a.end - b.end);
  for (const success of successes) {
    const { incarnation, partition, epoch } = success;
    const tenure = `${incarnation} ${partition} ${epoch} ${keys.get(placeOf(success)) ?? ''}`;
    const before = last.get(tenure);
    if (before !== undefined && compareIds(success.id, before.id) <= 0) {
      violations.push({
        promise,
        what: `${incarnation} went back from ${placeOf(before)} to ${placeOf(success)} under epoch ${epoch}`,
        evidence: messageEvidence(history, success),
      });
    }
    last.set(tenure, success);
  }
  return violations;
}
