/**
 * Orders ids of entries, `ms-seq` as Redis writes them: two numbers of up to 64 bits without leading zeros. As doubles they would
 * lose digits, and as text `5-10` would come after `12-1`; so each part is compared by its length, then as text.
 *
 * @returns less than 0 when `a` comes before `b`, 0 when they are the same
 */
export function compareIds(a: string, b: string): number {
  if (a === b) return 0;
  const dashA = a.indexOf('-');
  const dashB = b.indexOf('-');
  if (dashA !== dashB) return dashA - dashB;
  if (a.length === b.length) return a < b ? -1 : 1;
  // The milliseconds have the same number of digits, the sequence numbers have not.
  const msA = a.slice(0, dashA);
  const msB = b.slice(0, dashB);
  if (msA !== msB) return msA < msB ? -1 : 1;
  return a.length - b.length;
}

const LAST_SEQ = 2n ** 64n - 1n;

/**
 * The greatest id before any of a millisecond: what a group starts from that is to read all from that time on.
 *
 * @param ms an integer; at 0 and before, there is nothing to leave out
 */
export function idBefore(ms: number): string {
  return ms <= 0 ? '0-0' : `${ms - 1}-${LAST_SEQ}`;
}
