import { checkObject } from '@rs/core';
import { refused } from './checks.ts';
import { checkKnown } from './known-options.ts';

/** Options of calls that do nothing but wait. */
export interface WaitOptions {
  /** Ends the waiting: the promise is rejected with the signal's reason. What was begun goes on. */
  readonly signal?: AbortSignal | undefined;
}

/** Refuses what is no `AbortSignal`; `undefined` counts as none. */
export function checkSignal(signal: unknown, what: string): void {
  if (signal === undefined) return;
  const { addEventListener } = Object(signal) as Partial<AbortSignal>;
  if (typeof addEventListener === 'function') return;
  throw refused(`${what}: signal`, 'an AbortSignal', signal);
}

/** @throws RsError `RS_INVALID_ARGUMENT`; the reason of a signal that is aborted already */
export function waitSignal(options: WaitOptions, what: string): AbortSignal | undefined {
  checkObject(options, `${what}: options`);
  checkKnown(options, ['signal'], what);
  checkSignal(options.signal, what);
  options.signal?.throwIfAborted();
  return options.signal;
}
