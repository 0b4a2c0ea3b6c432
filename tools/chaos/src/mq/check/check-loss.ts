import { type History, placeOf } from '../history/history.ts';
import { LOAD } from '../load/settings.ts';
import { planOf } from '../load/plan.ts';
import { messageEvidence } from './evidence.ts';
import { deathsOf, successesOf } from './successes.ts';
import type { Violation } from './violation.ts';

const promise = 'nothing is lost';

/**
 * What was confirmed is in the log; everything in the log was handled successfully or is among the dead letters, and there only what its
 * handler put there, with the bytes it had.
 */
export function checkLoss(history: History): Violation[] {
  return [...checkConfirmed(history), ...checkLog(history), ...checkDeadLetters(history)];
}

function checkConfirmed({ confirmed, log }: History): Violation[] {
  const written = new Map(log.map((entry) => [placeOf(entry), entry]));
  return confirmed.flatMap((sent) => {
    const entry = written.get(placeOf(sent));
    const { incarnation, key, n } = sent;
    if (entry?.by === incarnation && entry.key === key && entry.n === n) return [];
    const what = `message ${n} of ${key} was confirmed to ${incarnation} as ${placeOf(sent)}`;
    const found = entry === undefined ? 'nothing' : `message ${entry.n} of ${entry.key} from ${entry.by}`;
    return [{ promise, what: `${what}, where there is ${found}`, evidence: [] }];
  });
}

function checkLog(history: History): Violation[] {
  const handled = successesOf(history);
  const dead = new Set(
    history.deadLetters
      .filter(({ group }) => group === LOAD.group)
      .map(({ partition, original }) => placeOf({ partition, id: original })),
  );
  return history.log.flatMap((entry) => {
    const place = placeOf(entry);
    const planned = planOf(history.seed, entry).dead;
    if (planned ? dead.has(place) : handled.has(place)) return [];
    // A needless dead letter is told as such.
    if (!planned && dead.has(place)) return [];
    const what = planned
      ? `${place} is not among the dead letters, where its handler put it`
      : `${place} was neither handled successfully nor is it among the dead letters`;
    const { n, key, by } = entry;
    return [
      {
        promise,
        what: `${what}: message ${n} of ${key} from ${by}`,
        evidence: messageEvidence(history, entry),
      },
    ];
  });
}

function checkDeadLetters(history: History): Violation[] {
  const decided = deathsOf(history);
  const seen = new Set<string>();
  return history.deadLetters.flatMap(({ partition, original, reason, attempts, intact }) => {
    const position = { partition, id: original };
    const place = placeOf(position);
    const problems: string[] = [];
    if (reason !== 'handler' || !decided.has(place)) {
      problems.push(`${place} is a dead letter for the reason '${reason}' after ${attempts} attempts`);
    }
    if (!intact) problems.push(`the dead letter of ${place} has other bytes than its message`);
    if (seen.has(place) && !hasGroupVanished(history, partition))
      problems.push(`${place} is a dead letter twice`);
    seen.add(place);
    return problems.map((what) => ({ promise, what, evidence: messageEvidence(history, position) }));
  });
}

/** With it goes the knowledge of what was settled above the low watermark. */
function hasGroupVanished({ disturbances }: History, partition: number): boolean {
  return disturbances.some((each) => each.kind === 'destroyGroup' && each.partition === partition);
}
