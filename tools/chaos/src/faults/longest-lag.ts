import { type Lag, PARENT, REDIS } from '../time/lag.ts';
import { type Disturbance, isOfServer, isStop } from './disturbance.ts';

export interface Unrest {
  readonly lags: readonly Lag[];
  readonly disturbances: readonly Disturbance[];
}

/**
 * The longest time in which a process did not get its turn on this machine, or Redis took for an answer: what the library cannot answer for.
 * One that a fault held up measures that fault, which counts as such.
 */
export function longestLag(unrest: Unrest, from: number, until: number): number {
  return lagsIn(unrest, from, until).reduce((longest, { millis }) => Math.max(longest, millis), 0);
}

/** All such times of one process, and of Redis and the way to it, together: what work that consists of many steps loses. */
export function totalLag(unrest: Unrest, process: string, from: number, until: number): number {
  return lagsIn(unrest, from, until)
    .filter(({ incarnation }) => [process, PARENT, REDIS].includes(incarnation))
    .reduce((sum, { millis }) => sum + millis, 0);
}

function lagsIn({ lags, disturbances }: Unrest, from: number, until: number): Lag[] {
  return lags.filter(({ at, incarnation, millis }) => {
    if (at < from || at > until) return false;
    const holds = (fault: Disturbance): boolean =>
      incarnation === REDIS ? isOfServer(fault) : isStop(fault) && fault.incarnation === incarnation;
    return !disturbances.some((each) => holds(each) && at - millis <= each.until && at >= each.from);
  });
}
