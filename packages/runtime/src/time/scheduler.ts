/** Wakes a driver later; injected so that tests need not wait. */
export interface Scheduler {
  /** Calls back after `delay` milliseconds; the returned function cancels. */
  after(delay: number, callback: () => void): () => void;
  /** Lets timers, I/O and signals of the process have their turn. */
  breathe(): Promise<void>;
}

/** setTimeout fires at once for delays above this; longer waits are taken in steps. */
export const MAX_DELAY = 2 ** 31 - 1;

export const systemScheduler: Scheduler = {
  after: (delay, callback) => {
    const timer = setTimeout(callback, Math.min(Math.max(0, delay), MAX_DELAY));
    return () => clearTimeout(timer);
  },
  breathe: () => new Promise((resolve) => setImmediate(resolve)),
};

/** As `scheduler.after`, also for waits above {@link MAX_DELAY}. */
export function longTimer(scheduler: Scheduler, delay: number, callback: () => void): () => void {
  const step = Math.min(delay, MAX_DELAY);
  let cancel = scheduler.after(step, () => {
    if (delay > step) cancel = longTimer(scheduler, delay - step, callback);
    else callback();
  });
  return () => cancel();
}
