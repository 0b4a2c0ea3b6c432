import { checkObject, RsError, type TimestampedElement } from '@rs/core';

/** Options of all evictors. */
export interface EvictorOptions {
  /**
   * `false`: elements are removed before the window function, which does not see them. `true`: the function sees all,
   * and they are removed after it, so that the next firing does not. Default `false`.
   */
  readonly after?: boolean;
}

/** What applies to options that are not given. */
export const EVICTOR_DEFAULTS = Object.freeze({ after: false } as const satisfies Required<EvictorOptions>);

/** Returns the elements that stay, in their order. */
export type Evict<T> = (elements: readonly TimestampedElement<T>[]) => readonly TimestampedElement<T>[];

/** As {@link Evict}, for elements of all types: what has such a method fits every stream. */
export type EvictAny = <E>(elements: readonly TimestampedElement<E>[]) => readonly TimestampedElement<E>[];

/** @throws RsError `RS_INVALID_ARGUMENT` for options that are no object, and anything but a boolean or `undefined` */
export function readAfter(options: EvictorOptions, evictor: string): boolean {
  checkObject(options, `${evictor}: options`);
  const { after = EVICTOR_DEFAULTS.after }: { readonly after?: unknown } = options;
  if (typeof after === 'boolean') return after;
  throw new RsError('RS_INVALID_ARGUMENT', `${evictor}: after must be true or false, got ${typeof after}`, {
    details: { evictor },
  });
}

/** Text such as `count(10)` or `count(10, after)`. */
export function describeEvictor(kind: string, limit: number, after: boolean): string {
  return `${kind}(${limit}${after ? ', after' : ''})`;
}
