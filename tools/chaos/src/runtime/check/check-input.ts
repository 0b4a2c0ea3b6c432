import type { History } from '../history/history.ts';
import type { Violation } from './violation.ts';

/** What was confirmed is in the log, and nothing is there twice: what is checked against the log is checked against what was sent. */
export function checkInput({ confirmed, log }: History): Violation[] {
  const promise = 'nothing is lost on the way in';
  const stored = new Map(log.map((entry) => [`${entry.partition}/${entry.id}`, entry.n]));
  const seen = new Map<number, string>();
  const violations: Violation[] = [];
  for (const { partition, id, n } of log) {
    const place = `${partition}/${id}`;
    const earlier = seen.get(n);
    if (earlier === undefined) seen.set(n, place);
    else violations.push({ promise, what: `record ${n} is at ${earlier} and at ${place}`, evidence: [] });
  }
  for (const { partition, id, n } of confirmed) {
    const found = stored.get(`${partition}/${id}`);
    if (found === n) continue;
    const what = `record ${n} was confirmed at ${partition}/${id}, where there is ${found ?? 'nothing'}`;
    violations.push({ promise, what, evidence: [] });
  }
  return violations;
}
