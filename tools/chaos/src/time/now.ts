/**
 * Milliseconds on the monotonic clock of the machine. All its processes read the same one, so that what several of them
 * wrote down can be put in order; the clock of the wall may jump.
 */
export function now(): number {
  return Number(process.hrtime.bigint() / 1000n) / 1000;
}
