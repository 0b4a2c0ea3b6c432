/** Time that only runs forward, and calls after a time. Leases and waits go by it, never by the clock of the wall. */
export interface Timers {
  /** Milliseconds since some moment, never going back, whatever happens to the machine's clock. */
  monotonic(): number;
  /** Calls once after `ms` milliseconds; the result takes the call back. It keeps the process alive: `close` waits by it. */
  after(ms: number, run: () => void): () => void;
  /** Calls after what waits in the event loop has had its turn. */
  soon(run: () => void): void;
}

/** The longest time that Node.js takes for a timer; a longer one would run at once. */
const MAX_TIMEOUT = 2 ** 31 - 1;

export const systemTimers: Timers = {
  monotonic: () => performance.now(),
  after: (ms, run) => {
    const timer = setTimeout(run, Math.min(Math.max(0, Math.ceil(ms)), MAX_TIMEOUT));
    return () => {
      clearTimeout(timer);
    };
  },
  soon: (run) => {
    setImmediate(run);
  },
};
