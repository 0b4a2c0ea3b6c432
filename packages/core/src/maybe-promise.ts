/** A value, or a promise of it. Callbacks that may return either keep the same order of effects in both cases. */
export type MaybePromise<T> = T | PromiseLike<T>;
