import { RsError } from '@rs/core';

/**
 * How far apart two elements are, in a unit of the caller's choice; a number other than `NaN`. May be signed: a
 * difference `newer − older` lets only a rise count as a distance.
 */
export type DeltaFunction<T> = (older: T, newer: T) => number;

/**
 * `delta` with its result checked: `NaN`, as from a field that is missing, would compare as neither near nor far and
 * silently never fire or never evict.
 *
 * @throws RsError when called: `RS_INVALID_VALUE` when the function returns no number
 */
export function checkedDelta<T>(delta: DeltaFunction<T>, owner: string): DeltaFunction<T> {
  return (older, newer) => {
    const distance: unknown = delta(older, newer);
    if (typeof distance === 'number' && !Number.isNaN(distance)) return distance;
    throw new RsError(
      'RS_INVALID_VALUE',
      `${owner}: the delta function must return a number, got ${typeof distance === 'number' ? 'NaN' : typeof distance}; ` +
        'does every element have the fields that it reads?',
      { details: { owner } },
    );
  };
}
