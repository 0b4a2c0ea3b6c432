import { RsError } from '@rs/core';

/** The sources of an environment that can be read only once and have been: iterators, generators, Node streams. */
export class ReadOnce {
  readonly #read = new WeakSet<object>();

  /**
   * Refuses a second run over such a source. It would find nothing, and nobody could tell that from an empty source.
   *
   * @param iterator what `source` gave for this run
   * @throws RsError `RS_SOURCE_FAILED`
   */
  begin(source: object, iterator: object, name: string): void {
    if (iterator !== source && !isStream(source)) return;
    if (this.#read.has(source)) {
      throw new RsError(
        'RS_SOURCE_FAILED',
        `${name} can be read only once, and an earlier run has read it; pass an array, an object whose iterator starts ` +
          'anew, or attach all sinks in one job and run it with executeAsync',
        { details: { operator: name } },
      );
    }
    this.#read.add(source);
  }
}

/**
 * What an iterator gave, checked as a `for` loop checks it.
 *
 * @throws RsError `RS_SOURCE_FAILED`
 */
export function checkedStep<S extends IteratorResult<unknown>>(step: S, name: string): S {
  if (typeof step === 'object' && step !== null) return step;
  throw new RsError(
    'RS_SOURCE_FAILED',
    `${name}: its iterator gave ${String(step)} instead of { done, value }`,
    {
      details: { operator: name },
    },
  );
}

/** A Node stream gives a new iterator each time, but over the same data. */
export function isStream(source: object): source is { destroy(): void } {
  return typeof (source as { destroy?: unknown }).destroy === 'function';
}
