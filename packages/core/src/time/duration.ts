import { RsError } from '../errors/rs-error.ts';

const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

export type DurationUnit = keyof typeof UNIT_MS;

/** A length of time: milliseconds as a number, or a text such as `'250ms'`, `'5s'`, `'1m'`, `'2h'`, `'1d'`. */
export type Duration = number | `${number}${DurationUnit}`;

const TEXT = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/;

/**
 * Turns a {@link Duration} into whole milliseconds; parts of a millisecond are cut off.
 *
 * @param what names the option in the error message
 * @throws RsError `RS_INVALID_DURATION` when it is negative, not finite, malformed or above 2^53 ms
 */
export function durationToMillis(duration: Duration, what = 'duration'): number {
  const millis = Math.trunc(typeof duration === 'string' ? parseText(duration, what) : duration);
  if (typeof duration !== 'number' && typeof duration !== 'string') throw invalid(duration, what);
  if (!Number.isSafeInteger(millis) || millis < 0 || Object.is(millis, -0)) throw invalid(duration, what);
  return millis;
}

/** Like {@link durationToMillis}, and zero is refused too. */
export function positiveDurationToMillis(duration: Duration, what = 'duration'): number {
  const millis = durationToMillis(duration, what);
  if (millis === 0) {
    throw new RsError('RS_INVALID_DURATION', `${what} must be at least 1 ms, got ${String(duration)}`, {
      details: { what, received: duration },
    });
  }
  return millis;
}

function parseText(text: string, what: string): number {
  const match = TEXT.exec(text);
  if (match === null) throw invalid(text, what);
  return Number(match[1]) * UNIT_MS[match[2] as DurationUnit];
}

function invalid(received: unknown, what: string): RsError {
  const shown = typeof received === 'string' ? `'${received}'` : String(received);
  return new RsError(
    'RS_INVALID_DURATION',
    `${what} must be milliseconds ≥ 0 or a text such as '250ms', '5s', '1m', '2h', '1d', got ${shown}`,
    { details: { what, received } },
  );
}
