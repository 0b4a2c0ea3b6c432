import type { Scheduler } from '../time/scheduler.ts';

/** Turns of the event loop without any progress after which work is taken to wait for something that may never come. */
const TURNS = 100;

/**
 * Waits until work is over, or waits itself: for the clock, or for a promise that only somebody else can settle. Counts turns
 * of the event loop, not time, so that what takes a few of them is not taken for that.
 *
 * @param progress grows, or changes, whenever anything happens
 * @returns false when it is over
 */
export async function becomesQuiet(
  scheduler: Pick<Scheduler, 'breathe'>,
  progress: () => number,
  over: () => boolean,
): Promise<boolean> {
  let seen = progress();
  for (let quiet = 0; quiet < TURNS; quiet++) {
    await scheduler.breathe();
    if (over()) return false;
    const now = progress();
    if (now !== seen) quiet = 0;
    seen = now;
  }
  return true;
}
