import { type ErrorCode, RsError } from '@rs/core';
import { errorReason } from './error-reason.ts';

/**
 * The error for what a user's function, source or sink threw. An error of ours keeps its code and is told where it
 * happened, unless it says so already; anything else becomes the cause of an error with `code`.
 */
export function failureOf(code: ErrorCode, operator: string, error: unknown): RsError {
  if (!(error instanceof RsError)) {
    return new RsError(code, `${operator} failed: ${errorReason(error)}`, {
      cause: error,
      details: { operator },
    });
  }
  if ('operator' in error.details) return error;
  const message = error.message.startsWith(operator) ? error.message : `${operator}: ${error.message}`;
  const { retriable, details } = error;
  return new RsError(error.code, message, { cause: error, retriable, details: { ...details, operator } });
}
