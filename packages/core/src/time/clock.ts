/** The only source of time. Engines take one as an option, so that tests can move it by hand. */
export interface Clock {
  /** Current time in epoch milliseconds, an integer. */
  now(): number;
}

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
};
