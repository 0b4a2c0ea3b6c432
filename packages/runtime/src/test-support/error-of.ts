import { RsError } from '@rs/core';

/** The error that a step throws; fails when it throws none, or another one than an `RsError`. */
export function errorOf(step: () => unknown): RsError {
  try {
    step();
  } catch (error) {
    if (error instanceof RsError) return error;
    throw error;
  }
  throw new Error('expected an error');
}
