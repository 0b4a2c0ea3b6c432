/** Time that only runs forward, and calls after a time. Leases and waits go by it, never by the clock of the wall. */
export interface Timers {
  /** Milliseconds since some moment, never going back, whatever happens to the machine's clock. */
  monotonic(): number;
  /** Calls once after `ms` milliseconds; the result takes the call back. It keeps the process alive: `close` waits by it. */
  after(ms: number, run: () => void): () => void;
  /** Calls after what waits in the event loop has had its turn. */
  soon(run: () => void): void;
}

/** The longest time that Node.js takes for a timer; a longer one would run at once, so it is waited for in steps. */
const MAX_TIMEOUT = 2 ** 31 - 1;

export const systemTimers: Timers = {
  monotonic: () => performance.now(),
  after: (ms, run) => {
    let timer: NodeJS.Timeout;
    const wait = (left: number): void => {
      timer = setTimeout(
        left > MAX_TIMEOUT ? () => wait(left - MAX_TIMEOUT) : run,
        Math.min(left, MAX_TIMEOUT),
      );
    };
    wait(Math.max(0, Math.ceil(ms)));
    return () => {
      clearTimeout(timer);
    };
  },
  soon: (run) => {
    setImmediate(run);
  },
};
