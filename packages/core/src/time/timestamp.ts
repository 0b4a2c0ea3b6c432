import { RsError } from '../errors/rs-error.ts';

/** Earlier than every timestamp: the watermark before anything is known. Written `-inf` outside the process. */
export const MIN_TIMESTAMP = -Infinity;

/** Later than every timestamp: the watermark once the input has ended. Written `+inf` outside the process. */
export const MAX_TIMESTAMP = Infinity;

/**
 * Checks an event time where it enters the system.
 *
 * @returns the timestamp, with `-0` turned into `0`
 * @throws RsError `RS_INVALID_TIMESTAMP` unless it is an integer of milliseconds strictly between ±2^53
 */
export function checkTimestamp(timestamp: number, where: string): number {
  if (!Number.isSafeInteger(timestamp)) {
    throw new RsError(
      'RS_INVALID_TIMESTAMP',
      `${where}: a timestamp must be a finite integer of epoch milliseconds, got ${describe(timestamp)}`,
      { details: { where, received: timestamp } },
    );
  }
  return timestamp + 0;
}

function describe(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return `the text '${value}' (convert it with Number or Date.parse first)`;
  return value instanceof Date ? 'a Date (use .getTime())' : typeof value;
}
