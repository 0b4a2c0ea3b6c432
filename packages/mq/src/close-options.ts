import { type Duration, checkObject, durationToMillis } from '@rs/core';
import { checkKnown } from './checks/known-options.ts';

export interface CloseOptions {
  /**
   * How long what is under way may take to end; what then happens to the rest is said where it is closed. Default 10 s, for a producer
   * alone 5 s.
   */
  readonly timeout?: Duration;
}

/** @returns milliseconds. @throws RsError `RS_INVALID_ARGUMENT`, `RS_INVALID_DURATION` */
export function closeTimeout(options: CloseOptions, otherwise: Duration): number {
  checkObject(options, 'close: options');
  checkKnown(options, ['timeout'], 'close');
  return durationToMillis(options.timeout ?? otherwise, 'close: timeout');
}
