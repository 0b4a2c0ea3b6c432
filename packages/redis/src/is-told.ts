/** Whether to warn of what has failed for so many times in a row: an outage of an hour shall not fill the log, so of the 1st, 2nd, 4th, 8th … */
export function isTold(times: number): boolean {
  return Number.isInteger(Math.log2(times));
}
