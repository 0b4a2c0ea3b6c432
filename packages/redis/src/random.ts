/** The randomness of the machine: jitter only, never ids or tokens. */
export const systemRandom = (): number => Math.random();
