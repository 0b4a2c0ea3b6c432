import { checkObject, durationToMillis, isRsError, RsError } from '@rs/core';
import { checkChoice, checkFunction, checkPositiveInteger, refused } from '../../checks/checks.ts';
import { checkKnown } from '../../checks/known-options.ts';
import { shown } from '../../checks/shown.ts';
import { type Outcome, wholeDelay } from '../outcome.ts';
import type { RetryOptions } from '../subscription-options.ts';
import { type Backoff, backoffDelay } from './backoff.ts';

type UserPolicy = NonNullable<RetryOptions['policy']>;

/** {@link RetryOptions}, checked and complete. */
export interface RetryPolicy extends Backoff {
  /** The first attempt included. */
  readonly maxAttempts: number;
  readonly policy: UserPolicy | undefined;
}

/** What becomes of a message whose attempt has failed. */
export type RetryDecision =
  | {
      readonly type: 'retry';
      readonly delay: number;
      /** What the user's policy threw, or an error about what it returned: to be reported, it changes nothing. */
      readonly policyError?: unknown;
    }
  | {
      readonly type: 'deadLetter';
      /** Its attempts are used up, or its error is not worth another one. */
      readonly reason: 'attempts' | 'policy';
    };

export const RETRY_DEFAULTS = {
  maxAttempts: 5,
  initialBackoff: '1s',
  maxBackoff: '1m',
  multiplier: 2,
  jitter: 'full',
} as const satisfies RetryOptions;

const KNOWN = [...Object.keys(RETRY_DEFAULTS), 'policy'];

/**
 * @param what names the options in messages, such as `subscribe 'orders': retry`
 * @throws RsError `RS_INVALID_ARGUMENT`, `RS_INVALID_DURATION`
 */
export function resolveRetry(options: RetryOptions = {}, what = 'retry'): RetryPolicy {
  checkObject(options, what);
  checkKnown(options, KNOWN, what);
  const { maxAttempts = RETRY_DEFAULTS.maxAttempts, multiplier = RETRY_DEFAULTS.multiplier } = options;
  const { jitter = RETRY_DEFAULTS.jitter, policy } = options;
  checkPositiveInteger(maxAttempts, `${what}.maxAttempts`);
  checkMultiplier(multiplier, `${what}.multiplier`);
  checkChoice(jitter, ['full', 'none'], `${what}.jitter`);
  if (policy !== undefined) checkFunction(policy, `${what}.policy`);
  return { maxAttempts, ...backoffTimes(options, what), multiplier, jitter, policy };
}

function backoffTimes(
  options: RetryOptions,
  what: string,
): Pick<RetryPolicy, 'initialBackoff' | 'maxBackoff'> {
  const { initialBackoff = RETRY_DEFAULTS.initialBackoff, maxBackoff = RETRY_DEFAULTS.maxBackoff } = options;
  const first = durationToMillis(initialBackoff, `${what}.initialBackoff`);
  const longest = durationToMillis(maxBackoff, `${what}.maxBackoff`);
  if (first <= longest) return { initialBackoff: first, maxBackoff: longest };
  // Who sets only one of them need not know the default of the other.
  if (options.initialBackoff === undefined) return { initialBackoff: longest, maxBackoff: longest };
  if (options.maxBackoff === undefined) return { initialBackoff: first, maxBackoff: first };
  throw new RsError(
    'RS_INVALID_ARGUMENT',
    `${what}.initialBackoff is ${first} ms, longer than ${what}.maxBackoff of ${longest} ms; raise maxBackoff`,
    { details: { initialBackoff: first, maxBackoff: longest } },
  );
}

function checkMultiplier(value: unknown, what: string): void {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 1) return;
  throw refused(what, 'a number of at least 1', value);
}

/**
 * What becomes of a message whose handler has thrown. Never throws.
 *
 * @param attempt the one that failed, from 1
 */
export function decide(
  policy: RetryPolicy,
  error: unknown,
  attempt: number,
  random: () => number,
): RetryDecision {
  if (attempt >= policy.maxAttempts) return USED_UP;
  const byRules = (): RetryDecision => ({ type: 'retry', delay: backoffDelay(policy, attempt, random) });
  if (policy.policy === undefined) return isAboutMessage(error) ? BY_POLICY : byRules();
  try {
    const said = readPolicy(policy.policy(error, attempt));
    if (said === 'retry') return byRules();
    return said === 'deadLetter' ? BY_POLICY : { type: 'retry', delay: wholeDelay(said) };
  } catch (policyError) {
    return { type: 'retry', delay: backoffDelay(policy, attempt, random), policyError };
  }
}

/** What becomes of a message whose handler asked for another attempt: the policy for errors has no say in it. */
export function decideRetry(
  policy: RetryPolicy,
  { delay }: Extract<Outcome, { type: 'retry' }>,
  attempt: number,
  random: () => number,
): RetryDecision {
  if (attempt >= policy.maxAttempts) return USED_UP;
  return {
    type: 'retry',
    delay: delay === undefined ? backoffDelay(policy, attempt, random) : wholeDelay(delay),
  };
}

const USED_UP: RetryDecision = { type: 'deadLetter', reason: 'attempts' };
const BY_POLICY: RetryDecision = { type: 'deadLetter', reason: 'policy' };

function isAboutMessage(error: unknown): boolean {
  try {
    return isRsError(error, 'RS_INVALID_VALUE') && !error.retriable;
  } catch {
    return false; // what was thrown may be a proxy that throws itself
  }
}

/** @throws RsError `RS_INVALID_VALUE`, `RS_INVALID_DURATION` */
function readPolicy(said: unknown): 'retry' | 'deadLetter' | number {
  if (said === 'retry' || said === 'deadLetter') return said;
  // Nobody waits for it; a rejection that nobody handles would end the process.
  if (said instanceof Promise) said.catch(() => undefined);
  else if (typeof said === 'object' && said !== null && 'delay' in said) {
    return durationToMillis(said.delay as number, 'retry.policy: delay');
  }
  throw new RsError(
    'RS_INVALID_VALUE',
    `retry.policy must return 'retry', 'deadLetter' or { delay }, got ${shown(said)}`,
    { details: { received: said } },
  );
}
