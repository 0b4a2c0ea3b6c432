import { RsError } from '@rs/core';

/** What is wrong with a pattern, where, and what to do. */
export function invalidPattern(message: string, details: Readonly<Record<string, unknown>> = {}): RsError {
  return new RsError('RS_INVALID_PATTERN', `pattern: ${message}`, { details });
}
