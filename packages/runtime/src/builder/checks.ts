import { RsError } from '@rs/core';

/** Refuses at declaration what would otherwise fail at the first record. */
export function checkFunction(fn: unknown, operation: string, what = 'a function'): void {
  if (typeof fn === 'function') return;
  throw new RsError('RS_INVALID_ARGUMENT', `${operation} needs ${what}, got ${fn === null ? 'null' : typeof fn}`, {
    details: { operation },
  });
}

/** Refuses an object that lacks methods. */
export function checkMethods(object: unknown, methods: readonly string[], operation: string, what: string): void {
  const missing = methods.filter((name) => typeof (object as Record<string, unknown> | null | undefined)?.[name] !== 'function');
  if (missing.length === 0) return;
  throw new RsError('RS_INVALID_ARGUMENT', `${operation} needs ${what}, but it has no ${missing.join('(), no ')}()`, {
    details: { operation, missing },
  });
}
