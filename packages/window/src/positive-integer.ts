import { RsError } from '@rs/core';

/** @throws RsError `RS_INVALID_ARGUMENT` unless it is an integer of at least 1, below 2^53 */
export function readPositiveInteger(received: number, what: string): number {
  if (!Number.isSafeInteger(received) || received < 1) {
    throw new RsError(
      'RS_INVALID_ARGUMENT',
      `${what} must be an integer of at least 1, got ${String(received)}`,
      { details: { what, received } },
    );
  }
  return received;
}
