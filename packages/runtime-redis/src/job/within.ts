import type { Timers } from '@rs/mq';

/** Waits for work, at most so many milliseconds. Returns whether it has ended; it goes on all the same. Never rejected. */
export function within(timers: Timers, ms: number, work: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve) => {
    const cancel = timers.after(ms, () => resolve(false));
    const ended = (): void => {
      cancel();
      resolve(true);
    };
    work.then(ended, ended);
  });
}
