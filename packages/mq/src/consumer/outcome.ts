import { type Duration, RsError, durationToMillis } from '@rs/core';

/** What a handler may return in words: `FAIL` and `DEAD_LETTER` are the same. */
export type MessageResult = 'SUCCESS' | 'RETRY' | 'FAIL' | 'DEAD_LETTER';

/**
 * How a message ended. `success` settles it; `retry` runs it again after `delay` milliseconds, rounded up to whole ones
 * (without one: after the backoff of the retry policy), until its attempts are used up; `deadLetter` moves it to the dead letters at once.
 */
export type Outcome =
  | { readonly type: 'success' }
  | { readonly type: 'retry'; readonly delay?: number; readonly error?: unknown }
  | { readonly type: 'deadLetter'; readonly reason: string; readonly error?: unknown };

/** What a handler may return: nothing stands for success. */
export type HandlerResult = MessageResult | Outcome | undefined | void;

const SUCCESS: Outcome = Object.freeze({ type: 'success' });

/** Outcomes to return from a handler. */
export const outcome = {
  success: (): Outcome => SUCCESS,
  /** @throws RsError `RS_INVALID_DURATION` */
  retry: (options: { readonly delay?: Duration; readonly error?: unknown } = {}): Outcome => ({
    type: 'retry',
    ...(options.delay === undefined
      ? {}
      : { delay: durationToMillis(options.delay, 'outcome.retry: delay') }),
    ...(options.error === undefined ? {} : { error: options.error }),
  }),
  deadLetter: (reason: string, error?: unknown): Outcome => ({
    type: 'deadLetter',
    reason,
    ...(error === undefined ? {} : { error }),
  }),
} as const;

/**
 * Makes one outcome of everything that a handler may return.
 *
 * @throws RsError `RS_INVALID_VALUE` for anything else: a handler that returns by mistake must not lose its message
 */
export function toOutcome(result: unknown): Outcome {
  if (result === undefined || result === 'SUCCESS') return SUCCESS;
  if (result === 'RETRY') return { type: 'retry' };
  if (result === 'FAIL' || result === 'DEAD_LETTER') {
    return { type: 'deadLetter', reason: `the handler returned ${result}` };
  }
  if (isOutcome(result)) return result;
  throw new RsError(
    'RS_INVALID_VALUE',
    `a handler must return nothing, 'SUCCESS', 'RETRY', 'FAIL', 'DEAD_LETTER' or an outcome, got ${shown(result)}`,
    { details: { received: result } },
  );
}

/** Longer than anybody waits, and a time that Redis can still write down. */
const MAX_DELAY = 100 * 365 * 24 * 60 * 60 * 1_000;

/** Milliseconds as Redis takes them: whole ones, never less than what was asked for. */
export function wholeDelay(delay: number): number {
  return Math.min(Math.ceil(delay), MAX_DELAY);
}

function isOutcome(value: unknown): value is Outcome {
  if (typeof value !== 'object' || value === null) return false;
  const { type, delay, reason } = value as { type?: unknown; delay?: unknown; reason?: unknown };
  if (type === 'success') return true;
  if (type === 'retry') return delay === undefined || (Number.isFinite(delay) && Number(delay) >= 0);
  return type === 'deadLetter' && typeof reason === 'string';
}

function shown(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`;
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}
