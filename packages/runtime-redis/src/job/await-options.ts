import { checkObject, type Duration, durationToMillis } from '@rs/core';
import { checkKnown, waitSignal } from '@rs/mq';
import type { AwaitOptions } from './client.ts';

/** What `awaitTermination` takes, checked. @throws RsError `RS_INVALID_ARGUMENT`, `RS_INVALID_DURATION` */
export function awaitOptions(options: Duration | AwaitOptions): {
  timeout: number | undefined;
  signal: AbortSignal | undefined;
} {
  if (typeof options !== 'object')
    return { timeout: durationToMillis(options, 'awaitTermination: timeout'), signal: undefined };
  checkObject(options, 'awaitTermination: options');
  checkKnown(options, ['timeout', 'signal'], 'awaitTermination');
  const { timeout, signal } = options;
  return {
    timeout: timeout === undefined ? undefined : durationToMillis(timeout, 'awaitTermination: timeout'),
    signal: waitSignal(signal === undefined ? {} : { signal }, 'awaitTermination'),
  };
}
