import type { Clock } from '@rs/core';
import type { Timers } from '@rs/mq';

/**
 * Processing time: the server's, counted on by the monotonic clock. So all processes have the same one, and a clock of a machine that
 * jumps changes nothing.
 *
 * @param now the server's time, in epoch milliseconds, when the timers showed `at`
 */
export function serverClock(timers: Pick<Timers, 'monotonic'>, now: number, at: number): Clock {
  return { now: () => Math.floor(now + (timers.monotonic() - at)) };
}
