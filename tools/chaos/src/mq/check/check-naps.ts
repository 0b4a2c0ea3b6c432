import { affects } from '../../faults/disturbance.ts';
import type { History } from '../history/history.ts';
import { partitionEvidence } from './evidence.ts';
import { longestLag } from '../../faults/longest-lag.ts';
import type { Violation } from './violation.ts';

/** A process that stood still for less than its lease loses nothing by that. */
export function checkNaps(history: History): Violation[] {
  const { disturbances, tenures, lease } = history;
  return disturbances.flatMap((nap) => {
    const { kind, incarnation = '', from, until } = nap;
    if (kind !== 'nap') return [];
    // What another fault or a crowded machine costs is not the nap's doing.
    const [early, late] = [from - lease, until + lease];
    const isAlone = !disturbances.some(
      (each) => each !== nap && affects(each, incarnation) && each.until >= early && each.from <= late,
    );
    if (!isAlone || until - from + longestLag(history, early, late) >= lease) return [];
    return tenures
      .filter((each) => each.incarnation === incarnation && each.from <= from && each.how === 'lost')
      .filter((each) => each.until !== undefined && each.until >= from && each.until <= late)
      .map(({ partition, epoch }): Violation => ({
        promise: 'a stop within the lease costs nothing',
        what: `${incarnation} lost partition ${partition}, epoch ${epoch}, by standing still for ${Math.round(until - from)} ms`,
        evidence: partitionEvidence(history, partition, early, late),
      }));
  });
}
