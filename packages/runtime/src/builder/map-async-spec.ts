import {
  type AsyncMapFunction,
  type AsyncRetryOptions,
  checkObject,
  durationToMillis,
  type MapAsyncOptions,
  positiveDurationToMillis,
  RsError,
} from '@rs/core';
import type { MapAsyncSpec } from '../operator/async-map/map-async.ts';
import type { RetryPolicy } from '../operator/async-map/retry.ts';
import { checkChoice, checkFunction, checkPositiveInteger } from './checks.ts';

const DEFAULTS = {
  concurrency: 16,
  ordered: true,
  retry: { attempts: 1, delay: '100ms', maxDelay: '10s', retryIf: () => true },
} as const satisfies MapAsyncOptions;

/** Checks the arguments of `mapAsync`, and turns them into what its operator needs. */
export function mapAsyncSpec<T, R>(fn: AsyncMapFunction<T, R>, options: MapAsyncOptions): MapAsyncSpec<T, R> {
  checkFunction(fn, 'mapAsync');
  checkObject(options, 'mapAsync: options');
  const { concurrency = DEFAULTS.concurrency, ordered = DEFAULTS.ordered } = options;
  const { timeout, retry = DEFAULTS.retry } = options;
  checkPositiveInteger(concurrency, 'mapAsync: concurrency');
  checkChoice(ordered, [true, false], 'mapAsync: ordered');
  return {
    fn,
    concurrency,
    ordered,
    timeout: timeout === undefined ? undefined : positiveDurationToMillis(timeout, 'mapAsync: timeout'),
    retry: retryPolicy(retry),
  };
}

function retryPolicy(options: AsyncRetryOptions): RetryPolicy {
  checkObject(options, 'mapAsync: retry');
  const { attempts, retryIf = DEFAULTS.retry.retryIf } = options;
  checkPositiveInteger(attempts, 'mapAsync: retry.attempts');
  checkFunction(retryIf, 'mapAsync: retry.retryIf');
  const { delay, maxDelay: longest = DEFAULTS.retry.maxDelay } = options;
  const maxDelay = durationToMillis(longest, 'mapAsync: retry.maxDelay');
  const policy = {
    attempts,
    // Nobody who only shortens the longest wait means to be told about one that they did not ask for.
    delay:
      delay === undefined
        ? Math.min(durationToMillis(DEFAULTS.retry.delay), maxDelay)
        : durationToMillis(delay, 'mapAsync: retry.delay'),
    maxDelay,
    retryIf,
  };
  if (policy.delay > policy.maxDelay) {
    throw new RsError(
      'RS_INVALID_ARGUMENT',
      `mapAsync: retry.delay is ${policy.delay} ms, longer than retry.maxDelay of ${policy.maxDelay} ms; raise maxDelay`,
      { details: { delay: policy.delay, maxDelay: policy.maxDelay } },
    );
  }
  return policy;
}
