import { RsError } from '@rs/core';

/**
 * Checks a count or a limit.
 *
 * @throws RsError `RS_INVALID_ARGUMENT` unless it is an integer of at least `min`
 */
export function checkCount(value: number, min: number, what: string): number {
  if (Number.isSafeInteger(value) && value >= min) return value;
  throw invalidArgument(`${what} must be an integer ≥ ${min}, got ${String(value)}`, what, value);
}

/**
 * Checks that something has a method, and so is what it is taken for. Not by `instanceof`: two copies of this package may
 * be loaded, one as ES module and one as CommonJS.
 *
 * @throws RsError `RS_INVALID_ARGUMENT`
 */
export function checkHas(value: unknown, method: string, what: string, expected: string): void {
  const members = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof members[method] === 'function') return;
  throw invalidArgument(`${what} must be ${expected}`, what, value);
}

export function invalidArgument(message: string, what: string, received: unknown): RsError {
  return new RsError('RS_INVALID_ARGUMENT', message, { details: { what, received } });
}
