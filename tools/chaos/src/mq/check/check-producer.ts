import { type History, placeOf } from '../history/history.ts';
import type { LogEntry } from '../redis/stored.ts';
import { compareIds } from '../../redis/compare-ids.ts';
import type { Violation } from './violation.ts';

const promise = 'the producer neither doubles nor reorders';

/**
 * One process sends each number of a key once and in order, so it stands in the log once and in order. What was not confirmed before the
 * process was killed, the next one may send again: that is another message.
 */
export function checkProducer({ log, refused }: History): Violation[] {
  const violations: Violation[] = [];
  const last = new Map<string, LogEntry>();
  const places = new Map<string, string>();
  for (const entry of [...log].sort((a, b) => compareIds(a.id, b.id))) {
    const { key, n, by } = entry;
    const message = `${by} ${key} ${n}`;
    const earlier = places.get(message);
    if (earlier !== undefined) {
      violations.push({
        promise,
        what: `message ${n} of ${key} from ${by} was written twice`,
        evidence: [earlier, placeOf(entry)],
      });
    }
    places.set(message, placeOf(entry));
    const before = last.get(`${by} ${key}`);
    if (before !== undefined && before.n > n) {
      violations.push({
        promise,
        what: `message ${n} of ${key} from ${by} stands behind message ${before.n}`,
        evidence: [placeOf(before), placeOf(entry)],
      });
    }
    last.set(`${by} ${key}`, entry);
  }
  // What is said not to have been written must not be there.
  for (const { incarnation, key, n, code, fate } of refused) {
    const place = places.get(`${incarnation} ${key} ${n}`);
    if (fate !== 'notWritten' || place === undefined) continue;
    violations.push({
      promise,
      what: `message ${n} of ${key} from ${incarnation} was refused as not written (${code}) and is there`,
      evidence: [place],
    });
  }
  return violations;
}
