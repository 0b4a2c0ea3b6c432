/** Gives numbers from 0 up to, but not including, 1. Injected, so that a test can fix them. */
export type Random = () => number;

/** The randomness of the machine. */
export const systemRandom: Random = () => Math.random();
