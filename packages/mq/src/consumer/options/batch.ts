import { checkObject, durationToMillis, RsError } from '@rs/core';
import { checkPositiveInteger } from '../../checks/checks.ts';
import { checkKnown } from '../../checks/known-options.ts';
import type { BatchOptions } from '../subscription-options.ts';
import type { ResolvedSubscription } from './subscription.ts';

/** {@link BatchOptions}, checked and complete. */
export interface ResolvedBatch {
  readonly max: number;
  /** Milliseconds. */
  readonly maxWait: number;
}

export const BATCH_DEFAULTS = { max: 100, maxWait: 0 } as const satisfies BatchOptions;

/**
 * Checks the options of a batch handler, alone and against those of its subscription, and fills in what is missing.
 *
 * @param what names them in messages, such as `subscribe 'orders': batch`
 * @throws RsError `RS_INVALID_ARGUMENT`, `RS_INVALID_DURATION`
 */
export function resolveBatch(
  options: BatchOptions = {},
  { concurrency, maxInFlight, ack }: Pick<ResolvedSubscription, 'concurrency' | 'maxInFlight' | 'ack'>,
  what = 'batch',
): ResolvedBatch {
  checkObject(options, what);
  checkKnown(options, Object.keys(BATCH_DEFAULTS), what);
  // Who lowers maxInFlight need not know the default of max.
  const { max = Math.min(BATCH_DEFAULTS.max, maxInFlight), maxWait = BATCH_DEFAULTS.maxWait } = options;
  checkPositiveInteger(max, `${what}.max`);
  if (max > maxInFlight) {
    throw contradiction(
      `${what}.max is ${max}, but no more than maxInFlight, ${maxInFlight}, are read; raise maxInFlight`,
      { max, maxInFlight },
    );
  }
  if (concurrency > 1) {
    throw contradiction(
      `${what}: a batch handler gets one batch at a time, but concurrency is ${concurrency}; leave it out`,
      { concurrency },
    );
  }
  if (ack === 'manual') {
    throw contradiction(
      `${what}: a batch handler returns the results of its messages, there is no manual acknowledgement; leave ack out`,
      { ack },
    );
  }
  return { max, maxWait: durationToMillis(maxWait, `${what}.maxWait`) };
}

function contradiction(message: string, details: Readonly<Record<string, unknown>>): RsError {
  return new RsError('RS_INVALID_ARGUMENT', message, { details });
}
