import { checkObject, positiveDurationToMillis, RsError } from '@rs/core';
import { checkChoice, checkPositiveInteger, refused } from '../../checks/checks.ts';
import { checkKnown } from '../../checks/known-options.ts';
import type { Pin } from '../assignment/pin.ts';
import { RETRY_DEFAULTS, type RetryPolicy, resolveRetry } from '../retry/retry-policy.ts';
import type { ConsumerSubscriptionOptions, Ordering } from '../subscription-options.ts';
import { resolveStart } from './start.ts';

/** {@link ConsumerSubscriptionOptions}, checked and complete. Times are in milliseconds. */
export interface ResolvedSubscription {
  readonly ordering: Ordering;
  readonly concurrency: number;
  readonly retry: RetryPolicy;
  readonly ack: 'auto' | 'manual';
  /** `undefined`: no limit. */
  readonly handlerTimeout: number | undefined;
  readonly maxInFlight: number;
  readonly maxInFlightBytes: number;
  readonly maxParked: number;
  readonly batchCount: number;
  /** The id after which a new group begins, or `$`. */
  readonly from: string;
  readonly pin: Pin | undefined;
}

export const SUBSCRIPTION_DEFAULTS = {
  ordering: 'partition',
  concurrency: 1,
  retry: RETRY_DEFAULTS,
  ack: 'auto',
  maxInFlight: 512,
  maxInFlightBytes: 8 * 1024 * 1024,
  maxParked: 1_000,
  batchCount: 256,
  from: 'earliest',
} as const satisfies ConsumerSubscriptionOptions;

const KNOWN = [...Object.keys(SUBSCRIPTION_DEFAULTS), 'handlerTimeout', 'pin'];

/** Longer reads would hold Redis up for longer than others should wait; and what is in flight is remembered, and handled again after a crash. */
const MOST = { batchCount: 1_000, maxInFlight: 100_000 } as const;

const COUNTS = ['concurrency', 'maxInFlight', 'maxInFlightBytes', 'maxParked', 'batchCount'] as const;

/**
 * Checks the options of a subscription and fills in what is missing.
 *
 * @param what names the call in messages, such as `subscribe 'orders'`
 * @throws RsError `RS_INVALID_ARGUMENT`, `RS_INVALID_DURATION`, `RS_INVALID_TIMESTAMP`
 */
export function resolveSubscription(
  options: ConsumerSubscriptionOptions = {},
  what = 'subscribe',
): ResolvedSubscription {
  checkObject(options, `${what}: options`);
  checkKnown(options, KNOWN, what);
  const counts = resolveCounts(options, what);
  const { ack = SUBSCRIPTION_DEFAULTS.ack, from = SUBSCRIPTION_DEFAULTS.from, handlerTimeout, pin } = options;
  checkChoice(ack, ['auto', 'manual'], `${what}: ack`);
  return {
    ...counts,
    ordering: resolveOrdering(options.ordering, counts.concurrency, what),
    retry: resolveRetry(options.retry, `${what}: retry`),
    ack,
    handlerTimeout:
      handlerTimeout === undefined
        ? undefined
        : positiveDurationToMillis(handlerTimeout, `${what}: handlerTimeout`),
    from: resolveStart(from, `${what}: from`),
    pin: pin === undefined ? undefined : resolvePin(pin, `${what}: pin`),
  };
}

function resolveCounts(
  options: ConsumerSubscriptionOptions,
  what: string,
): Pick<ResolvedSubscription, (typeof COUNTS)[number]> {
  const count = (name: (typeof COUNTS)[number]): number => {
    const { [name]: value = SUBSCRIPTION_DEFAULTS[name] } = options;
    checkPositiveInteger(value, `${what}: ${name}`);
    return value;
  };
  const bounded = (name: keyof typeof MOST): number => {
    const value = count(name);
    if (value > MOST[name]) throw refused(`${what}: ${name}`, `at most ${MOST[name]}`, value);
    return value;
  };
  return {
    concurrency: count('concurrency'),
    maxInFlight: bounded('maxInFlight'),
    maxInFlightBytes: count('maxInFlightBytes'),
    maxParked: count('maxParked'),
    batchCount: bounded('batchCount'),
  };
}

function resolveOrdering(ordering: Ordering | undefined, concurrency: number, what: string): Ordering {
  if (ordering === undefined) return concurrency > 1 ? 'key' : SUBSCRIPTION_DEFAULTS.ordering;
  checkChoice(ordering, ['partition', 'key', 'none'], `${what}: ordering`);
  if (ordering !== 'partition' || concurrency === 1) return ordering;
  throw new RsError(
    'RS_INVALID_ARGUMENT',
    `${what}: ordering 'partition' means one message at a time, but concurrency is ${concurrency}; take ordering 'key', or concurrency 1`,
    { details: { what, ordering, concurrency } },
  );
}

function resolvePin(pin: Pin, what: string): Pin {
  checkObject(pin, what);
  checkKnown(pin, ['modulo', 'remainder'], what);
  const { modulo, remainder } = pin;
  checkPositiveInteger(modulo, `${what}.modulo`);
  if (!Number.isSafeInteger(remainder) || remainder < 0 || remainder >= modulo) {
    throw refused(`${what}.remainder`, `an integer from 0 to ${modulo - 1} (below modulo)`, remainder);
  }
  return { modulo, remainder };
}
