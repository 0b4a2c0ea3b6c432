/** Milliseconds since some moment, never going back: only for how long something has taken. */
export const monotonic = (): number => performance.now();
