import { RsError } from '../errors/rs-error.ts';

const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

export type DurationUnit = keyof typeof UNIT_MS;

/** A length of time: milliseconds as a number, or a text such as `'250ms'`, `'5s'`, `'1m'`, `'2h'`, `'1d'`. */
export type Duration = number | `${number}${DurationUnit}`;

const TEXT = /^(\d+)(?:\.(\d+))?(ms|s|m|h|d)$/;

/**
 * Turns a {@link Duration} into whole milliseconds; parts of a millisecond are cut off.
 *
 * @param what names the option in the error message
 * @throws RsError `RS_INVALID_DURATION` when it is negative, not finite, malformed or 2^53 ms and more
 */
export function durationToMillis(duration: Duration, what = 'duration'): number {
  const millis = Math.trunc(exactMillis(duration));
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

/** `NaN` for everything that is not a duration. */
function exactMillis(duration: unknown): number {
  if (typeof duration === 'number') return duration;
  const match = typeof duration === 'string' ? TEXT.exec(duration) : null;
  if (match === null) return Number.NaN;
  const [, whole = '', fraction = '', unit] = match;
  // In whole numbers: as a double, 1.001 · 1000 is 1000.9999…, and cutting that off would lose a millisecond.
  const scaled = BigInt(whole + fraction) * BigInt(UNIT_MS[unit as DurationUnit]);
  return Number(scaled / 10n ** BigInt(fraction.length));
}

function invalid(received: unknown, what: string): RsError {
  return new RsError(
    'RS_INVALID_DURATION',
    `${what} must be milliseconds ≥ 0 or a text such as '250ms', '5s', '1m', '2h', '1d', got ${describe(received)}`,
    { details: { what, received } },
  );
}

function describe(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`;
  if (typeof value === 'number') return Object.is(value, -0) ? '-0' : String(value);
  return value === null ? 'null' : typeof value;
}
