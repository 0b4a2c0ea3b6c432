import { type Duration, checkObject, durationToMillis } from '@rs/core';
import { checkKnown } from './checks/known-options.ts';

export interface CloseOptions {
  /**
   * How long what is under way may take to end; what then happens to the rest is said where it is closed. Default 10 s, for a producer
   * alone 5 s.
   */
  readonly timeout?: Duration;
}

/** @param what the method, for messages. @returns milliseconds. @throws RsError `RS_INVALID_ARGUMENT`, `RS_INVALID_DURATION` */
export function closeTimeout(
  options: { readonly timeout?: Duration | undefined },
  otherwise: Duration,
  what = 'close',
): number {
  checkObject(options, `${what}: options`);
  checkKnown(options, ['timeout'], what);
  return durationToMillis(options.timeout ?? otherwise, `${what}: timeout`);
}
