import { expect } from '@jest/globals';
import { type ErrorCode, isRsError, type RsError } from '@rs/core';

/** Matches an `RsError` by its code and, where given, other fields such as `details`. */
export function coded(
  code: ErrorCode,
  fields: Partial<Pick<RsError, 'cause' | 'details' | 'message'>> = {},
): unknown {
  return expect.objectContaining({ code, ...fields });
}

/** The `RsError` that `call` throws. */
export function thrownBy(call: () => unknown, code: ErrorCode): RsError {
  try {
    call();
  } catch (error) {
    if (isRsError(error, code)) return error;
    throw error;
  }
  throw new Error(`nothing was thrown, expected ${code}`);
}

/** The `RsError` with which a promise is rejected. */
export async function rejectionOf(promise: PromiseLike<unknown>, code: ErrorCode): Promise<RsError> {
  try {
    await promise;
  } catch (error) {
    if (isRsError(error, code)) return error;
    throw error;
  }
  throw new Error(`the promise was fulfilled, expected ${code}`);
}
