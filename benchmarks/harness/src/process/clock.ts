/** Milliseconds; the same clock in all processes of a machine. */
export function now(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
