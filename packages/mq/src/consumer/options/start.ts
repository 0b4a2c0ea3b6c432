import { RsError } from '@rs/core';
import { refused } from '../../checks/checks.ts';
import { idBefore } from '../position/entry-id.ts';
import type { StartPosition } from '../subscription-options.ts';

const ID = /^(\d{1,20})-(\d{1,20})$/;
const MAX_64_BITS = 2n ** 64n - 1n;

/**
 * What Redis calls the position after which a group begins.
 *
 * @throws RsError `RS_INVALID_ARGUMENT`, `RS_INVALID_TIMESTAMP` for a `Date` without a time
 */
export function resolveStart(from: StartPosition, what: string): string {
  if (from === 'earliest') return '0-0';
  if (from === 'latest') return '$';
  if (from instanceof Date) return idBefore(timeOf(from, what));
  const [, ms, seq] = (typeof from === 'string' ? ID.exec(from) : null) ?? [];
  if (ms !== undefined && seq !== undefined) {
    const [first, second] = [BigInt(ms), BigInt(seq)];
    if (first <= MAX_64_BITS && second <= MAX_64_BITS) return `${first}-${second}`; // without leading zeros
  }
  throw refused(what, `'earliest', 'latest', a Date or an id such as '1700000000000-0'`, from);
}

function timeOf(date: Date, what: string): number {
  const time = date.getTime();
  if (Number.isNaN(time)) {
    throw new RsError('RS_INVALID_TIMESTAMP', `${what} is a Date without a time (Invalid Date)`, {
      details: { what },
    });
  }
  return time;
}
