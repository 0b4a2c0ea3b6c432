import { type Disturbance, isOfServer, isStop } from '../faults/disturbance.ts';
import { type History, REDIS } from '../history/history.ts';

/**
 * The longest time in which a process did not get its turn on this machine, or Redis took for an answer: what the library cannot answer for.
 * One that a fault held up measures that fault, which counts as such.
 */
export function longestLag({ lags, disturbances }: History, from: number, until: number): number {
  return lags
    .filter(({ at }) => at >= from && at <= until)
    .filter(({ at, incarnation, millis }) => {
      const holds = (fault: Disturbance): boolean =>
        incarnation === REDIS ? isOfServer(fault) : isStop(fault) && fault.incarnation === incarnation;
      return !disturbances.some((each) => holds(each) && at - millis <= each.until && at >= each.from);
    })
    .reduce((longest, { millis }) => Math.max(longest, millis), 0);
}
