import { RsError } from '@rs/core';
import { shown } from './shown.ts';

/** Refuses everything but 1, 2, 3, … */
export function checkPositiveInteger(value: unknown, what: string): void {
  if (Number.isSafeInteger(value) && (value as number) >= 1) return;
  throw refused(what, 'an integer of at least 1', value);
}

/** Refuses a value that is none of those allowed. */
export function checkChoice(value: unknown, choices: readonly unknown[], what: string): void {
  if (choices.includes(value)) return;
  throw refused(what, choices.map(shown).join(' or '), value);
}

export function checkFunction(value: unknown, what: string): void {
  if (typeof value === 'function') return;
  throw refused(what, 'a function', value);
}

/** The error about an argument or option that is not what it must be. */
export function refused(what: string, needed: string, received: unknown): RsError {
  return new RsError('RS_INVALID_ARGUMENT', `${what} must be ${needed}, got ${shown(received)}`, {
    details: { what, received },
  });
}
