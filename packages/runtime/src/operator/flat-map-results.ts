import { RsError } from '@rs/core';

const NONE: readonly never[] = [];

/** What a `flatMap` function returned, to loop over. @throws RsError `RS_USER_FUNCTION_FAILED` for what has no elements */
export function resultsOf<R>(returned: Iterable<R> | null | undefined): Iterable<R> {
  if (returned === null || returned === undefined) return NONE;
  if (typeof (returned as Partial<Iterable<R>>)[Symbol.iterator] === 'function') return returned;
  throw new RsError(
    'RS_USER_FUNCTION_FAILED',
    `the function must return an iterable such as an array, null or undefined, but returned ${shown(returned)}`,
    { details: { received: returned } },
  );
}

function shown(value: unknown): string {
  return typeof value === 'object' ? 'an object that is none' : `a ${typeof value}`;
}
